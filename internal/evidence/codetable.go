package evidence

// Who has to act on a finding.
const (
	whoNobody   = ""
	whoAgent    = "agent"
	whoHuman    = "human"
	whoPlatform = "platform"
)

// Codes lists every finding code in order of code, with the states that it can come with, what it means and the one thing to do about it.
func Codes() []Code {
	var all []Code
	for _, part := range [][]Code{
		artifactCodes(), checkCodes(), contentCodes(), contractCodes(), evidenceCodes(), exitCodes(), failToPassCodes(),
		inputCodes(), jobCodes(), producerCodes(), schemaCodes(), stepCodes(), testsCodes(), waitCodes(),
	} {
		all = append(all, part...)
	}
	return all
}

// states is a list of states, for the tables below.
func states(s ...State) []State { return s }

func artifactCodes() []Code {
	return []Code{
		{CodeArtifactBoundaryUnknown, states(Unverified), "When this run began, or when the file was made, is not known, so fresh cannot be told from old.", "give the run's start (the pre step does, or --run-started-at)", whoPlatform},
		{CodeArtifactCommitted, states(Stale), "The file is committed, so this run did not produce it.", "produce the file in this run, outside of the committed paths", whoAgent},
		{CodeArtifactCopied, states(Stale), "The file's bytes are those of a committed file.", "produce the file in this run instead of copying it", whoAgent},
		{CodeArtifactFuture, states(Unverified), "The file's modification time lies ahead of the clock, so it means nothing.", "correct the clock or the file's time", whoPlatform},
		{CodeArtifactGitUnknown, states(Unverified), "What git tracks could not be read, so produced cannot be told from committed.", "check out the repository with its index, or allow the token to read it", whoPlatform},
		{CodeArtifactHash, states(HashMismatch), "Exact bytes are required, and the file has others.", "explain the difference, then rebuild or change the expected digest", whoHuman},
		{CodeArtifactHMAC, states(HashMismatch), "Exact bytes are required, and the file's keyed digest is another.", "explain the difference, then rebuild or change the expected digest", whoHuman},
		{CodeArtifactHMACNoKey, states(Unverified), "A keyed digest is required and no key was given.", "give the key as hmac-key", whoPlatform},
		{CodeArtifactLinkBroken, states(Missing), "The path is a symbolic link to nothing.", "produce the file that the link points to", whoAgent},
		{CodeArtifactLinkOutside, states(WrongArtifact), "The path is a symbolic link that leaves the workspace.", "put the file itself into the workspace", whoAgent},
		{CodeArtifactLinkRefused, states(WrongArtifact), "The path is a symbolic link, which the contract refuses.", "put the file itself in place of the link", whoAgent},
		{CodeArtifactMissing, states(Missing), "No file is there.", "produce the file", whoAgent},
		{CodeArtifactMoved, states(Unverified), "The file changed while it was read.", "let whatever writes it finish before the gate runs", whoPlatform},
		{CodeArtifactNotAtHead, states(WrongArtifact), "The file is meant to be committed, and its bytes are not those of the head commit.", "commit the file as it is meant to be", whoAgent},
		{CodeArtifactNotChanged, states(Stale), "The change is meant to add or modify the file, and does neither.", "make the change to the file", whoAgent},
		{CodeArtifactNotRegular, states(WrongArtifact), "The path is a folder, device, pipe or socket.", "put a regular file there", whoAgent},
		{CodeArtifactOK, states(Verified), "The file meets every condition of its artifact.", "", whoNobody},
		{CodeArtifactOverLimit, states(Unverified), "The file is over a limit of what the gate reads.", "make the file smaller, or split it", whoPlatform},
		{CodeArtifactStale, states(Stale), "The file is older than this run, or than the contract's max_age.", "produce the file in this run", whoAgent},
		{CodeArtifactTimeout, states(Unverified), "Reading the file took too long.", "look at the file system that it lies on", whoPlatform},
		{CodeArtifactTooFew, states(Missing), "Fewer files are there than the contract's count.", "produce the missing files", whoAgent},
		{CodeArtifactTooLarge, states(ValidatorFailed), "The file has more bytes than max_bytes.", "make the file smaller", whoAgent},
		{CodeArtifactTooMany, states(WrongArtifact, Unverified), "More files match than the contract's count, or than the gate lists.", "remove the files that do not belong, or narrow the pattern", whoAgent},
		{CodeArtifactTooSmall, states(ValidatorFailed), "The file has fewer bytes than min_bytes; an empty file never counts.", "produce the whole file", whoAgent},
		{CodeArtifactUnlisted, states(Unverified), "The files could not be listed, or not all of them.", "make the folder readable, or narrow the pattern", whoPlatform},
		{CodeArtifactUnreadable, states(Unverified), "The file could not be read.", "make the file readable", whoPlatform},
		{CodeArtifactIdentity, states(WrongArtifact), "The file names another commit, run or version than this one, or none.", "produce the file for this commit and run", whoAgent},
	}
}

func checkCodes() []Code {
	return []Code{
		{CodeCheckAbsent, states(Unverified), "No check of that name is at the head commit.", "run the check on the head commit, or correct its name", whoPlatform},
		{CodeCheckCancelled, states(Unverified), "The check was cancelled.", "run the check again", whoPlatform},
		{CodeCheckFailed, states(ValidatorFailed), "The check failed.", "read the check's own output and repair the cause", whoAgent},
		{CodeCheckNoAnswer, states(Unverified), "The check ended without an answer (neutral, stale, timed out, startup failure, action required).", "run the check again", whoPlatform},
		{CodeCheckNotCompleted, states(Waiting), "The check has not completed.", "wait for the check", whoPlatform},
		{CodeCheckSkipped, states(Unverified), "The check was skipped.", "run the check", whoPlatform},
		{CodeCheckSucceeded, states(Verified), "The newest check of that name and app at the head commit succeeded.", "", whoNobody},
		{CodeCheckWrongApp, states(WrongArtifact), "Checks of that name at the head commit are by other apps only.", "run the check by the app that the contract names", whoHuman},
		{CodeCommandNotHere, states(Unverified), "Commands are not run here.", "record the command in a step, and judge that by step or exit_code", whoHuman},
		{CodeCommandNotRun, states(Unverified), "The command could not be started.", "install what the command needs", whoPlatform},
	}
}

func contentCodes() []Code {
	return []Code{
		{CodeContentAbsent, states(ValidatorFailed), "The file is empty, or holds no single value at that place.", "write the value into the file", whoAgent},
		{CodeContentMatches, states(Verified), "Every file holds what is asked for.", "", whoNobody},
		{CodeContentMismatch, states(ValidatorFailed), "The file holds another value, or not the text or match.", "correct the file's content", whoAgent},
		{CodeContentNotParsable, states(ValidatorFailed), "The file is no well-formed JSON or YAML document, or names the member twice.", "write a well-formed document", whoAgent},
		{CodeContentOverLimit, states(Unverified), "The file is longer than what is read.", "judge a smaller file, or another condition", whoHuman},
		{CodeContentIdentity, states(WrongArtifact), "The value names another commit or run than this one.", "produce the file for this commit and run", whoAgent},
	}
}

func contractCodes() []Code {
	return []Code{
		{CodeContractSelfWait, states(Unverified), "The contract waits for the gate's own job or check.", "name another check in the contract", whoHuman},
	}
}

func evidenceCodes() []Code {
	return []Code{
		{CodeEvidenceConflict, states(ValidatorFailed), "The producer and the records contradict each other: one says success, the other failure.", "find out which one is wrong", whoHuman},
		{CodeEvidenceHeadMoved, states(Stale), "The head commit moved on while the gate looked, so this is evidence for an older commit.", "let the gate run for the new head commit", whoPlatform},
		{CodeEvidenceLater, states(Unverified), "The contract uses a validator that this gate does not judge yet.", "judge by another validator until then", whoHuman},
		{CodeEvidenceNone, states(Unverified), "Nothing was observed.", "run the check", whoPlatform},
		{CodeEvidenceTier, states(Unverified), "The evidence is known less surely than the contract's trust asks for.", "produce the evidence where the contract trusts it", whoHuman},
		{CodeEvidenceNoKind, states(Unverified), "This gate knows no such validator, or facts of another version of it.", "use a gate that knows it", whoHuman},
	}
}

func exitCodes() []Code {
	return []Code{
		{CodeExitAbsent, states(Unverified), "No exit status is recorded at that place.", "record the command's exit status, for example with gate exec", whoPlatform},
		{CodeExitAmbiguous, states(Unverified), "Several files match the place of the exit status.", "name one file in the contract", whoHuman},
		{CodeExitNotRecorded, states(Unverified), "The record says nothing of the artifact's file.", "name the file to gate exec when it runs the command", whoPlatform},
		{CodeExitFailed, states(ValidatorFailed), "The command failed.", "read the command's output and repair the cause", whoAgent},
		{CodeExitNoRecord, states(Unverified), "A bare status cannot show the command or the artifact.", "record the command with gate exec", whoPlatform},
		{CodeExitNoTests, states(ValidatorFailed), "pytest collected no tests (exit status 5).", "let pytest find the tests", whoAgent},
		{CodeExitNotAStatus, states(Unverified), "The file holds neither one integer nor a record of gate exec.", "record the exit status as an integer", whoPlatform},
		{CodeExitNotExecutable, states(Unverified), "The command was found and could not be executed (126).", "make the command executable", whoPlatform},
		{CodeExitNotFound, states(Unverified), "The command was not found (127).", "install the command, or correct its name", whoPlatform},
		{CodeExitOtherArtifact, states(Unverified), "The artifact is not the one that the command saw and left.", "run the command on the artifact that is delivered", whoPlatform},
		{CodeExitOtherCommand, states(Unverified), "Another command was recorded than the contract asks for.", "run the command that the contract names", whoPlatform},
		{CodeExitOutOfRange, states(Unverified), "The number is no exit status.", "record the command's exit status, 0 to 255", whoPlatform},
		{CodeExitPassed, states(Verified), "The command exited with 0.", "", whoNobody},
		{CodeExitSignal, states(Unverified), "The command was killed by a signal.", "run the command again, with what it lacked", whoPlatform},
		{CodeExitTimedOut, states(Unverified), "The command did not end in time.", "run the command again, with more time if it needs it", whoPlatform},
		{CodeExitWrongCommit, states(WrongArtifact), "The record is of another commit.", "run the command on the head commit", whoAgent},
	}
}

func failToPassCodes() []Code {
	return []Code{
		{CodeFailToPassAbsent, states(ValidatorFailed), "A test that must show the change does not exist.", "write the test, or correct its name", whoAgent},
		{CodeFailToPassInconclusive, states(Unverified), "Before the change the test ended with an error, or did not run: that shows nothing.", "run the test against the base so that it fails by itself", whoPlatform},
		{CodeFailToPassNotBefore, states(ValidatorFailed), "The test passed before the change too, so it does not show it.", "write a test that fails without the change", whoAgent},
		{CodeFailToPassRegressed, states(ValidatorFailed), "A test that passed before the change fails now.", "repair what the change broke", whoAgent},
		{CodeFailToPassShown, states(Verified), "Tests failed before the change and pass now, and none that passed fails.", "", whoNobody},
		{CodeFailToPassStillFails, states(ValidatorFailed), "A test that must show the change does not pass.", "make the test pass", whoAgent},
		{CodeFailToPassTooFew, states(ValidatorFailed), "Fewer tests than asked for failed before and pass now.", "write tests that fail without the change", whoAgent},
	}
}

func inputCodes() []Code {
	return []Code{
		{CodeInputChecks, states(Unverified), "The check runs could not be listed.", "allow the token to read checks and statuses", whoPlatform},
		{CodeInputFacts, states(Unverified), "The recorded facts cannot be those of this validator.", "observe again with this gate", whoPlatform},
		{CodeInputUnreadable, states(Unverified), "A file that the validator needs could not be read.", "make the file readable", whoPlatform},
		{CodeInputHead, states(Unverified), "The commit or run that the value is held against is not known.", "name the head commit", whoPlatform},
		{CodeInputNeeds, states(Unverified), "The gate was not told how the needed jobs ended.", "add `needs: ${{ toJSON(needs) }}` to the gate's inputs", whoPlatform},
		{CodeInputNoFiles, states(Unverified), "There is no file to judge.", "produce the artifact", whoAgent},
		{CodeInputParams, states(Unverified), "The validator's parameters cannot be used.", "correct the contract", whoHuman},
		{CodeInputSteps, states(Unverified), "The gate was not told how the steps ended.", "add `steps: ${{ toJSON(steps) }}` to the gate's inputs", whoPlatform},
	}
}

func jobCodes() []Code {
	return []Code{
		{CodeJobAbsent, states(Unverified), "The gate's job does not need a job of that name.", "add the job to needs, or correct its name", whoHuman},
		{CodeJobCancelled, states(Unverified), "The job was cancelled.", "run the job again", whoPlatform},
		{CodeJobFailed, states(ValidatorFailed), "The job failed.", "read the job's log and repair the cause", whoAgent},
		{CodeJobNoAnswer, states(Unverified), "The job ended without an answer.", "run the job again", whoPlatform},
		{CodeJobSkipped, states(Unverified), "The job was skipped.", "run the job", whoPlatform},
		{CodeJobSucceeded, states(Verified), "The job succeeded.", "", whoNobody},
	}
}

func producerCodes() []Code {
	return []Code{
		{CodeProducerAbsent, states(Unverified), "No step or job of that name is known, or it has not run.", "correct made_by, or run the step before the gate", whoHuman},
		{CodeProducerCancelled, states(Unverified), "The step or job that makes the artifact was cancelled.", "run it again", whoPlatform},
		{CodeProducerFailed, states(ValidatorFailed), "The step or job that makes the artifact failed.", "read its log and repair the cause", whoAgent},
		{CodeProducerOK, states(Verified), "The step or job that makes the artifact succeeded.", "", whoNobody},
		{CodeProducerSkipped, states(Unverified), "The step or job that makes the artifact was skipped.", "run it", whoPlatform},
	}
}

func schemaCodes() []Code {
	return []Code{
		{CodeSchemaAbsent, states(Unverified), "The schema could not be read from the trusted branch.", "put the schema there, or correct its path", whoHuman},
		{CodeSchemaInvalid, states(ValidatorFailed), "A file breaks the schema.", "correct the file by the errors listed", whoAgent},
		{CodeSchemaNotParsable, states(ValidatorFailed), "A file is no well-formed JSON or YAML document, or names a member twice.", "write a well-formed document", whoAgent},
		{CodeSchemaNotUsable, states(Unverified), "The schema is no usable JSON Schema, or refers to something outside of itself.", "correct the schema", whoHuman},
		{CodeSchemaVersion, states(Unverified), "The schema declares another version than the contract asks for.", "change the schema or the contract's version", whoHuman},
		{CodeSchemaOverLimit, states(Unverified), "A file is longer than what is read.", "judge a smaller file, or by a step", whoHuman},
		{CodeSchemaValid, states(Verified), "The schema accepts every file.", "", whoNobody},
	}
}

func stepCodes() []Code {
	return []Code{
		{CodeStepAbsent, states(Unverified), "No step before the gate has that id.", "give the step the id, or correct the contract", whoHuman},
		{CodeStepCancelled, states(Unverified), "The step was cancelled.", "run the step again", whoPlatform},
		{CodeStepFailed, states(ValidatorFailed), "The step failed, whatever continue-on-error shows.", "read the step's log and repair the cause", whoAgent},
		{CodeStepNotRun, states(Unverified), "The step has not run.", "put the step before the gate", whoHuman},
		{CodeStepSkipped, states(Unverified), "The step was skipped.", "run the step", whoPlatform},
		{CodeStepSucceeded, states(Verified), "The step succeeded.", "", whoNobody},
		{CodeStepUnknownOutcome, states(Unverified), "The step ended in a way that is not known here.", "use a gate that knows it", whoPlatform},
	}
}

func testsCodes() []Code {
	return []Code{
		{CodeTestsBaseAbsent, states(Unverified), "There are no result files of the base to compare with.", "run the tests on the merge base", whoPlatform},
		{CodeTestsBaseBroken, states(Unverified), "The base did not build or run, so it shows nothing.", "repair the base, or its run", whoHuman},
		{CodeTestsBaseNotTrusted, states(Unverified), "The results of the base were made in this job, where the change can influence them.", "make them in a run of the base, or accept them with trust: run", whoHuman},
		{CodeTestsBaseUnusable, states(Unverified), "The result files of the base are incomplete, unparsable or empty.", "run the tests on the merge base again", whoPlatform},
		{CodeTestsCached, states(Stale), "Results were replayed from the test cache instead of run.", "run go test with -count=1", whoAgent},
		{CodeTestsCounts, states(Unverified), "A result file claims more tests or failures than it records.", "write the result file whole", whoPlatform},
		{CodeTestsEmpty, states(Unverified), "The result files hold no test at all.", "run the tests", whoPlatform},
		{CodeTestsFailed, states(ValidatorFailed), "More tests failed than may.", "repair the failing tests' cause", whoAgent},
		{CodeTestsFailuresAllowed, states(Verified), "Enough tests ran; some failed, all of which the contract allows.", "", whoNobody},
		{CodeTestsIncomplete, states(Unverified), "A result file is cut off or broken, or the run did not end.", "run the tests to their end", whoPlatform},
		{CodeTestsInvalid, states(Unverified), "A result file is malformed, so nothing in it counts.", "write a well-formed result file", whoPlatform},
		{CodeTestsLost, states(Waiting), "Tests that ran on the base are gone or skipped now.", "approve the loss, or bring the tests back", whoHuman},
		{CodeTestsMustPassAbsent, states(ValidatorFailed), "A test that must pass does not exist.", "run the test, or correct its name", whoAgent},
		{CodeTestsMustPassFailed, states(ValidatorFailed), "A test that must pass failed or was skipped.", "make the test run and pass", whoAgent},
		{CodeTestsPassed, states(Verified), "Enough tests ran and none failed.", "", whoNobody},
		{CodeTestsRunFailed, states(ValidatorFailed), "The test run failed beyond its records: a package did not build, or the run crashed.", "repair the build or the crash", whoAgent},
		{CodeTestsTooFew, states(ValidatorFailed), "Fewer distinct tests ran than must.", "run the whole suite", whoAgent},
		{CodeTestsTooManyFlaky, states(ValidatorFailed), "More tests passed only on a retry than may.", "repair the flaky tests", whoAgent},
		{CodeTestsTooManySkipped, states(ValidatorFailed), "More tests were skipped than may.", "run the skipped tests", whoAgent},
		{CodeTestsUnknownFormat, states(Unverified), "A file is in no known test result format.", "write a known format, or name it in the contract", whoPlatform},
	}
}

func waitCodes() []Code {
	return []Code{
		{CodeWaitApproval, states(Waiting), "The approval that the contract waits for was not given yet.", "approve, or say no", whoHuman},
		{CodeWaitEnvironment, states(Waiting), "The environment that the contract waits for was not approved yet.", "approve the deployment, or reject it", whoHuman},
		{CodeWaitExpired, states(Missing), "What the contract waits for did not arrive before the deadline.", "decide whether it is still wanted", whoHuman},
		{CodeWaitOver, states(Verified), "What the contract waits for has arrived.", "", whoNobody},
		{CodeWaitRejected, states(ValidatorFailed), "What the contract waits for was refused.", "answer the reviewer", whoHuman},
		{CodeWaitUnknown, states(Unverified), "Whether it has arrived could not be read.", "allow the token to read reviews and deployments", whoPlatform},
		{CodeWaitWindow, states(Waiting), "It is not there yet, and its window is still open.", "observe again", whoPlatform},
	}
}
