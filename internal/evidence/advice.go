package evidence

// Advice is what to do about a finding, in words: in a local check, where that differs, else in the action. It is
// "" for codes that pass and for unknown ones.
func Advice(code string, local bool) string {
	if local {
		if s := localAdvice(code); s != "" {
			return s
		}
	}
	for _, c := range Codes() {
		if c.Code == code {
			return c.Next
		}
	}
	return ""
}

// localAdvice is the advice that names flags and files of a local check, where the action has inputs and tokens.
func localAdvice(code string) string {
	const steps = `hand in how the steps ended: --steps FILE with {"ID": {"outcome": "success"}}`
	switch code {
	case CodeArtifactBoundaryUnknown:
		return "give the run's start with --run-started-at TIME"
	case CodeArtifactGitUnknown:
		return "check in a git repository whose index and commits can be read"
	case CodeArtifactHMACNoKey:
		return "give the key with --hmac-key-file FILE"
	case CodeArtifactNotChanged:
		return "commit the change to the file, or name what the change is compared with by --base"
	case CodeArtifactStale:
		return "produce the file again, after the last change to a source file"
	case CodeCoverageChangeUnknown:
		return "name what the change is compared with by --base, and measure the files as they are committed"
	case CodeCheckAbsent, CodeCheckNotCompleted, CodeInputChecks:
		return "hand in the check runs of the head commit: --checks FILE (a local check asks no service)"
	case CodeInputHead:
		return "commit, so that there is a head commit"
	case CodeInputNeeds, CodeJobAbsent:
		return `hand in how the jobs ended: --needs FILE with {"ID": {"result": "success"}}`
	case CodeInputSteps, CodeProducerAbsent, CodeStepAbsent:
		return steps
	case CodeTestsBaseAbsent, CodeTestsBaseUnusable:
		return "run the tests on the merge base, in a git worktree of --base"
	case CodeTestsLost:
		return "bring the tests back; an approval of the loss is given on the pull request only"
	case CodeWaitApproval, CodeWaitEnvironment, CodeWaitUnknown:
		return "nothing to do here: it is given on the pull request, which a local check does not ask"
	}
	return ""
}
