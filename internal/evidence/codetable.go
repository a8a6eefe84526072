package evidence

// Codes lists every finding code in order of code, with the states that it can come with, what it means and the one thing to do about it.
func Codes() []Code {
	var all []Code
	for _, part := range [][]Code{
		addressCodes(), artifactCodes(), checkCodes(), contentCodes(), contractCodes(), coverageCodes(), evidenceCodes(), exitCodes(), failToPassCodes(),
		inputCodes(), jobCodes(), judgementCodes(), producerCodes(), sarifCodes(), schemaCodes(), stepCodes(), testsCodes(), uploadCodes(), waitCodes(),
	} {
		all = append(all, part...)
	}
	return all
}

// states is a list of states, for the tables below.
func states(s ...State) []State { return s }

func artifactCodes() []Code {
	return []Code{
		{CodeArtifactBoundaryUnknown, states(Unverified), "When this run began, or when the file was made, is not known, so fresh cannot be told from old.", "let the action's pre step record the run's start"},
		{CodeArtifactCommitted, states(Stale), "The file is committed, so this run did not produce it.", "produce the file in this run, outside of the committed paths"},
		{CodeArtifactCopied, states(Stale), "The file's bytes are those of a committed file.", "produce the file in this run instead of copying it"},
		{CodeArtifactElsewhere, states(Unverified), "The gate runs apart from the change's jobs, so no file of its workspace is the change's.", "upload the files in the job that makes them, and name them by `upload`"},
		{CodeArtifactFuture, states(Unverified), "The file's modification time lies ahead of the clock, so it means nothing.", "correct the clock or the file's time"},
		{CodeArtifactGitUnknown, states(Unverified), "What git tracks could not be read, so produced cannot be told from committed.", "check out the repository with its index, or allow the token to read it"},
		{CodeArtifactHash, states(HashMismatch), "Exact bytes are required, and the file has others.", "explain the difference, then rebuild or change the expected digest"},
		{CodeArtifactHMAC, states(HashMismatch), "Exact bytes are required, and the file's keyed digest is another.", "explain the difference, then rebuild or change the expected digest"},
		{CodeArtifactHMACNoKey, states(Unverified), "A keyed digest is required and no key was given.", "give the key as hmac-key"},
		{CodeArtifactLinkBroken, states(Missing), "The path is a symbolic link to nothing.", "produce the file that the link points to"},
		{CodeArtifactLinkOutside, states(WrongArtifact), "The path is a symbolic link that leaves the workspace.", "put the file itself into the workspace"},
		{CodeArtifactLinkRefused, states(WrongArtifact), "The path is a symbolic link, which the contract refuses.", "put the file itself in place of the link"},
		{CodeArtifactLinkedDirectory, states(Unverified), "A symbolic link to a directory lies where the patterns look; directory links are not entered, so what lies below it was not seen.", "put the directory itself there, or narrow the pattern"},
		{CodeArtifactMissing, states(Missing), "No file is there.", "produce the file"},
		{CodeArtifactMoved, states(Unverified), "The file changed while it was read.", "let whatever writes it finish before the gate runs"},
		{CodeArtifactNotAtHead, states(WrongArtifact), "The file is meant to be committed, and its bytes are not those of the head commit.", "commit the file as it is meant to be"},
		{CodeArtifactNotChanged, states(Stale), "The change is meant to add or modify the file, and does neither.", "make the change to the file"},
		{CodeArtifactNotRegular, states(WrongArtifact), "The path is a folder, device, pipe or socket.", "put a regular file there"},
		{CodeArtifactOK, states(Verified), "The file meets every condition of its artifact.", ""},
		{CodeArtifactOverLimit, states(Unverified), "The file is over a limit of what the gate reads.", "make the file smaller, or split it"},
		{CodeArtifactStale, states(Stale), "The file is older than this run, or than the contract's max_age.", "produce the file in this run"},
		{CodeArtifactTimeout, states(Unverified), "Reading the file took too long.", "look at the file system that it lies on"},
		{CodeArtifactTooFew, states(Missing), "Fewer files are there than the contract's count.", "produce the missing files"},
		{CodeArtifactTooLarge, states(ValidatorFailed), "The file has more bytes than max_bytes.", "make the file smaller"},
		{CodeArtifactTooMany, states(WrongArtifact, Unverified), "More files match than the contract's count, or than the gate lists.", "remove the files that do not belong, or narrow the pattern"},
		{CodeArtifactTooSmall, states(ValidatorFailed), "The file has fewer bytes than min_bytes.", "produce the whole file"},
		{CodeArtifactUnlisted, states(Unverified), "The files could not be listed, or not all of them.", "make the folder readable, or narrow the pattern"},
		{CodeArtifactUnreadable, states(Unverified), "The file could not be read.", "make the file readable"},
		{CodeArtifactIdentity, states(WrongArtifact), "The file names another commit, run or version than this one, or none.", "produce the file for this commit and run"},
	}
}

func checkCodes() []Code {
	return []Code{
		{CodeCheckAbsent, states(Unverified), "No check of that name is at the head commit.", "run the check on the head commit, or correct its name"},
		{CodeCheckCancelled, states(Unverified), "The check was cancelled.", "run the check again"},
		{CodeCheckFailed, states(ValidatorFailed), "The check failed.", "read the check's own output and repair the cause"},
		{CodeCheckNoAnswer, states(Unverified), "The check ended without an answer (neutral, stale, timed out, startup failure, action required).", "run the check again"},
		{CodeCheckNotCompleted, states(Waiting), "The check has not completed.", "wait for the check"},
		{CodeCheckSkipped, states(Unverified), "The check was skipped.", "run the check"},
		{CodeCheckSucceeded, states(Verified), "The newest check of that name and app at the head commit succeeded.", ""},
		{CodeCheckWrongApp, states(WrongArtifact), "Checks of that name at the head commit are by other apps only.", "run the check by the app that the contract names"},
		{CodeCommandNotHere, states(Unverified), "Commands are not run here.", "record the command in a step, and judge that by step or exit_code"},
		{CodeCommandNotRun, states(Unverified), "The command could not be started.", "install what the command needs"},
	}
}

func contentCodes() []Code {
	return []Code{
		{CodeContentAbsent, states(ValidatorFailed), "The file holds no single value at that place.", "write the value into the file"},
		{CodeContentMatches, states(Verified), "Every file holds what is asked for.", ""},
		{CodeContentMismatch, states(ValidatorFailed), "The file holds another value, or not the text or match.", "correct the file's content"},
		{CodeContentNotParsable, states(ValidatorFailed), "The file is no well-formed JSON or YAML document, or names the member twice.", "write a well-formed document"},
		{CodeContentOverLimit, states(Unverified), "The file is longer than what is read.", "judge a smaller file, or another condition"},
		{CodeContentIdentity, states(WrongArtifact), "The value names another commit or run than this one.", "produce the file for this commit and run"},
	}
}

func contractCodes() []Code {
	return []Code{
		{CodeContractSelfWait, states(Unverified), "The contract waits for the gate's own job or check.", "name another check in the contract"},
	}
}

func evidenceCodes() []Code {
	return []Code{
		{CodeEvidenceConflict, states(ValidatorFailed), "The producer and the records contradict each other: one says success, the other failure.", "find out which one is wrong"},
		{CodeEvidenceHeadMoved, states(Stale), "The head commit moved on while the gate looked, so this is evidence for an older commit.", "let the gate run for the new head commit"},
		{CodeEvidenceLater, states(Unverified), "The contract uses a validator that this gate does not judge yet.", "judge by another validator until then"},
		{CodeEvidenceNone, states(Unverified), "Nothing was observed.", "run the check"},
		{CodeEvidenceTier, states(Unverified), "The evidence is known less surely than the contract's trust asks for.", "produce the evidence where the contract trusts it"},
		{CodeEvidenceNoKind, states(Unverified), "This gate knows no such validator, or facts of another version of it.", "use a gate that knows it"},
	}
}

func exitCodes() []Code {
	return []Code{
		{CodeExitAbsent, states(Unverified), "No exit status is recorded at that place.", "let the step that runs the command write its exit status there"},
		{CodeExitAmbiguous, states(Unverified), "Several files match the place of the exit status.", "name one file in the contract"},
		{CodeExitNotRecorded, states(Unverified), "The record says nothing of the artifact's file.", "let the record name the file, with its digests before and after the command"},
		{CodeExitFailed, states(ValidatorFailed), "The command failed.", "read the command's output and repair the cause"},
		{CodeExitNoRecord, states(Unverified), "A bare status cannot show the command or the artifact.", "write an exit record (JSON) in place of the bare number"},
		{CodeExitNoTests, states(ValidatorFailed), "pytest collected no tests (exit status 5).", "let pytest find the tests"},
		{CodeExitNotAStatus, states(Unverified), "The file holds neither one integer nor an exit record.", "write the exit status as an integer, or an exit record (JSON)"},
		{CodeExitNotExecutable, states(Unverified), "The command was found and could not be executed (126).", "make the command executable"},
		{CodeExitNotFound, states(Unverified), "The command was not found (127).", "install the command, or correct its name"},
		{CodeExitOtherArtifact, states(Unverified), "The artifact is not the one that the command saw and left.", "run the command on the artifact that is delivered"},
		{CodeExitOtherCommand, states(Unverified), "Another command was recorded than the contract asks for.", "run the command that the contract names"},
		{CodeExitOutOfRange, states(Unverified), "The number is no exit status.", "record the command's exit status, 0 to 255"},
		{CodeExitPassed, states(Verified), "The command exited with 0.", ""},
		{CodeExitSignal, states(Unverified), "The command was killed by a signal.", "run the command again, with what it lacked"},
		{CodeExitTimedOut, states(Unverified), "The command did not end in time.", "run the command again, with more time if it needs it"},
		{CodeExitWrongCommit, states(WrongArtifact), "The record is of another commit.", "run the command on the head commit"},
	}
}

func failToPassCodes() []Code {
	return []Code{
		{CodeFailToPassAbsent, states(ValidatorFailed), "A test that must show the change does not exist.", "write the test, or correct its name"},
		{CodeFailToPassInconclusive, states(Unverified), "Before the change the test ended with an error, or did not run: that shows nothing.", "run the test against the base so that it fails by itself"},
		{CodeFailToPassNotBefore, states(ValidatorFailed), "The test passed before the change too, so it does not show it.", "write a test that fails without the change"},
		{CodeFailToPassRegressed, states(ValidatorFailed), "A test that passed before the change fails now.", "repair what the change broke"},
		{CodeFailToPassShown, states(Verified), "Tests failed before the change and pass now, and all that passed before still do.", ""},
		{CodeFailToPassStillFails, states(ValidatorFailed), "A test that must show the change does not pass.", "make the test pass"},
		{CodeFailToPassTooFew, states(ValidatorFailed), "Fewer tests than asked for failed before and pass now.", "write tests that fail without the change"},
	}
}

func inputCodes() []Code {
	return []Code{
		{CodeInputChecks, states(Unverified), "The check runs could not be listed.", "allow the token to read checks and statuses"},
		{CodeInputFacts, states(Unverified), "The recorded facts cannot be those of this validator.", "observe again with this gate"},
		{CodeInputEmpty, states(Unverified), "A file that the validator needs is empty, so it says nothing, not even of a failure.", "write the file whole"},
		{CodeInputUnreadable, states(Unverified), "A file that the validator needs could not be read.", "make the file readable"},
		{CodeInputHead, states(Unverified), "The commit or run that the value is held against is not known.", "name the head commit"},
		{CodeInputNeeds, states(Unverified), "The gate was not told how the needed jobs ended.", "add `needs: ${{ toJSON(needs) }}` to the gate's inputs"},
		{CodeInputNoFiles, states(Unverified), "There is no file to judge.", "produce the artifact"},
		{CodeInputParams, states(Unverified), "The validator's parameters cannot be used.", "correct the contract"},
		{CodeInputSteps, states(Unverified), "The gate was not told how the steps ended.", "add `steps: ${{ toJSON(steps) }}` to the gate's inputs"},
	}
}

func jobCodes() []Code {
	return []Code{
		{CodeJobAbsent, states(Unverified), "No job of that name is known: the gate's job does not need one, and the run that makes the evidence has none.", "add the job to needs, or correct its name"},
		{CodeJobCancelled, states(Unverified), "The job was cancelled.", "run the job again"},
		{CodeJobFailed, states(ValidatorFailed), "The job failed.", "read the job's log and repair the cause"},
		{CodeJobNoAnswer, states(Unverified), "The job ended without an answer.", "run the job again"},
		{CodeJobSkipped, states(Unverified), "The job was skipped.", "run the job"},
		{CodeJobSucceeded, states(Verified), "The job succeeded.", ""},
	}
}

func producerCodes() []Code {
	return []Code{
		{CodeProducerAbsent, states(Unverified), "No step or job of that name is known, or it has not run.", "correct made_by, or run the step before the gate"},
		{CodeProducerCancelled, states(Unverified), "The step or job that makes the artifact was cancelled.", "run it again"},
		{CodeProducerFailed, states(ValidatorFailed), "The step or job that makes the artifact failed.", "read its log and repair the cause"},
		{CodeProducerOK, states(Verified), "The step or job that makes the artifact succeeded.", ""},
		{CodeProducerSkipped, states(Unverified), "The step or job that makes the artifact was skipped.", "run it"},
	}
}

func schemaCodes() []Code {
	return []Code{
		{CodeSchemaAbsent, states(Unverified), "The schema could not be read from the trusted branch.", "put the schema there, or correct its path"},
		{CodeSchemaInvalid, states(ValidatorFailed), "A file breaks the schema.", "correct the file by the errors listed"},
		{CodeSchemaNotParsable, states(ValidatorFailed), "A file is no well-formed JSON or YAML document, or names a member twice.", "write a well-formed document"},
		{CodeSchemaNotUsable, states(Unverified), "The schema is no usable JSON Schema, or refers to something outside of itself.", "correct the schema"},
		{CodeSchemaVersion, states(Unverified), "The schema declares another version than the contract asks for.", "change the schema or the contract's version"},
		{CodeSchemaOverLimit, states(Unverified), "A file is longer than what is read.", "judge a smaller file, or by a step"},
		{CodeSchemaValid, states(Verified), "The schema accepts every file.", ""},
	}
}

func stepCodes() []Code {
	return []Code{
		{CodeStepAbsent, states(Unverified), "No step before the gate has that id.", "give the step the id, or correct the contract"},
		{CodeStepCancelled, states(Unverified), "The step was cancelled.", "run the step again"},
		{CodeStepElsewhere, states(Unverified), "The step belongs to a run that is not the gate's own, and GitHub's API says neither its id nor its outcome.", "judge the job by `job`, or what the step wrote by an `upload`"},
		{CodeStepFailed, states(ValidatorFailed), "The step failed, whatever continue-on-error shows.", "read the step's log and repair the cause"},
		{CodeStepNotRun, states(Unverified), "The step has not run.", "put the step before the gate"},
		{CodeStepSkipped, states(Unverified), "The step was skipped.", "run the step"},
		{CodeStepSucceeded, states(Verified), "The step succeeded.", ""},
		{CodeStepUnknownOutcome, states(Unverified), "The step ended in a way that is not known here.", "use a gate that knows it"},
	}
}

func testsCodes() []Code {
	return []Code{
		{CodeTestsBaseAbsent, states(Unverified), "There are no result files of the base to compare with.", "run the tests on the merge base"},
		{CodeTestsBaseBroken, states(Unverified), "The base did not build or run, so it shows nothing.", "repair the base, or its run"},
		{CodeTestsBaseNotTrusted, states(Unverified), "The results of the base were made in this job, where the change can influence them.", "make them in a run of the base, or accept them with trust: run"},
		{CodeTestsBaseUnusable, states(Unverified), "The result files of the base are incomplete, unparsable or empty.", "run the tests on the merge base again"},
		{CodeTestsCached, states(Stale), "Results were replayed from the test cache instead of run.", "run go test with -count=1"},
		{CodeTestsCounts, states(Unverified), "A result file claims more tests or failures than it records, or claims them in numbers that cannot be read.", "write the result file whole; where the runner counts something else than tests (Catch2 counts assertions), allow_count_mismatch: true"},
		{CodeTestsEmpty, states(Unverified), "The result files hold no test at all.", "run the tests"},
		{CodeTestsFailed, states(ValidatorFailed), "More tests failed than may.", "read the failing tests and repair the cause"},
		{CodeTestsFailuresAllowed, states(Verified), "Enough tests ran; some failed, all of which the contract allows.", ""},
		{CodeTestsIncomplete, states(Unverified), "A result file is cut off or broken, or the run did not end.", "run the tests to their end"},
		{CodeTestsInvalid, states(Unverified), "A result file is malformed, so nothing in it counts.", "write a well-formed result file"},
		{CodeTestsLost, states(Waiting), "Tests that ran on the base, or passed before the change, are gone or skipped now.", "approve the loss, or bring the tests back"},
		{CodeTestsMustPassAbsent, states(ValidatorFailed), "A test that must pass does not exist.", "run the test, or correct its name"},
		{CodeTestsMustPassFailed, states(ValidatorFailed), "A test that must pass failed or was skipped.", "make the test run and pass"},
		{CodeTestsPassed, states(Verified), "Enough tests ran and none failed.", ""},
		{CodeTestsRunFailed, states(ValidatorFailed), "The test run failed beyond its records: a package did not build, or the run crashed.", "repair the build or the crash"},
		{CodeTestsTooFew, states(ValidatorFailed), "Fewer distinct tests ran than must.", "run the whole suite"},
		{CodeTestsTooManyFlaky, states(ValidatorFailed), "More tests passed only on a retry than may.", "repair the flaky tests"},
		{CodeTestsTooManySkipped, states(ValidatorFailed), "More tests were skipped than may.", "run the skipped tests"},
		{CodeTestsUnknownFormat, states(Unverified), "A file is in no known test result format.", "write results in a format that gate tests --help lists"},
	}
}

func waitCodes() []Code {
	return []Code{
		{CodeWaitApproval, states(Waiting), "The approval that the contract waits for was not given yet.", "approve, or say no"},
		{CodeWaitEnvironment, states(Waiting), "The environment that the contract waits for was not approved yet.", "approve the deployment, or reject it"},
		{CodeWaitExpired, states(Missing), "What the contract waits for did not arrive before the deadline.", "decide whether it is still wanted"},
		{CodeWaitOver, states(Verified), "What the contract waits for has arrived.", ""},
		{CodeWaitRejected, states(ValidatorFailed), "What the contract waits for was refused.", "answer the reviewer"},
		{CodeWaitUnknown, states(Unverified), "Whether it has arrived could not be read.", "allow the token to read reviews, workflow runs (`actions: read`) and members of teams"},
		{CodeWaitWindow, states(Waiting), "It is not there yet, and its window is still open.", "observe again"},
	}
}
