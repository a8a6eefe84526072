package evidence

func coverageCodes() []Code {
	return []Code{
		{CodeCoverageAmbiguous, states(Unverified), "A name in a coverage file may mean a changed file or another one.", "write names that begin at the repository's root, or say with root where they begin"},
		{CodeCoverageChangeUnknown, states(Unverified), "Which lines the change touches is not known, or not for every file that counts.", "check out the head commit with its history, and measure the files as they are there"},
		{CodeCoverageChangedTooLow, states(ValidatorFailed), "Fewer of the changed lines ran in the tests than must.", "test the changed lines"},
		{CodeCoverageEmpty, states(Unverified), "The coverage files hold no line that can run.", "run the tests with coverage"},
		{CodeCoverageLeftOut, states(ValidatorFailed), "The change touches files that no coverage file names, and their lines count as not covered.", "measure the coverage of these files too, or let them go with ignore_files"},
		{CodeCoverageIncomplete, states(Unverified), "A coverage file ends in the middle.", "let the test run write the file to its end"},
		{CodeCoverageInvalid, states(Unverified), "A coverage file is malformed, so nothing in it counts.", "write a well-formed coverage file"},
		{CodeCoverageOverLimit, states(Unverified), "A coverage file is over a limit of what the gate reads.", "split the coverage file"},
		{CodeCoverageReached, states(Verified), "Enough lines ran in the tests.", ""},
		{CodeCoverageTooFew, states(ValidatorFailed), "The coverage files know fewer lines than there must be.", "measure the coverage of all files"},
		{CodeCoverageTooLow, states(ValidatorFailed), "Fewer of the lines ran in the tests than must.", "test more of the code"},
		{CodeCoverageTotals, states(Unverified), "A coverage file declares totals that its own records contradict.", "write the coverage file anew; where the tool counts something else than lines, allow_count_mismatch: true"},
		{CodeCoverageUnknownFormat, states(Unverified), "A file is in no known coverage format, or not in the one that the contract names.", "write Cobertura, Clover, JaCoCo, LCOV or a Go cover profile"},
	}
}

func sarifCodes() []Code {
	return []Code{
		{CodeSARIFErrors, states(ValidatorFailed), "The analysis found more errors than there may be.", "repair what it found"},
		{CodeSARIFExecutionFailed, states(Unverified), "The analysis failed, or does not say that it succeeded, so what it did not find means nothing.", "let the analysis run to its end"},
		{CodeSARIFIncomplete, states(Unverified), "A log ends in the middle.", "let the tool write the log to its end"},
		{CodeSARIFInvalid, states(Unverified), "A file is no well-formed SARIF log, so nothing in it counts.", "write a well-formed SARIF 2.1.0 log"},
		{CodeSARIFNoResults, states(Unverified), "A log has no run, or a run without a list of results: nothing was looked for.", "run the analysis; where the tool leaves out an empty list, allow_no_results: true"},
		{CodeSARIFNotes, states(ValidatorFailed), "The analysis found more notes than there may be.", "repair what it found"},
		{CodeSARIFVersion, states(Unverified), "A log is of another version of SARIF than 2.1.0.", "write SARIF 2.1.0"},
		{CodeSARIFOverLimit, states(Unverified), "A log is over a limit of what the gate reads.", "split the log"},
		{CodeSARIFPassed, states(Verified), "The analysis ran to its end and found no more than there may be.", ""},
		{CodeSARIFElsewhere, states(Unverified), "Results, or what decides their level, lie in other files than the log.", "write the log as one file"},
		{CodeSARIFSuppressed, states(ValidatorFailed), "More results are suppressed than may be.", "repair what is suppressed, or have a person allow it in the contract"},
		{CodeSARIFWarnings, states(ValidatorFailed), "The analysis found more warnings than there may be.", "repair what it found"},
	}
}

func judgementCodes() []Code {
	return []Code{
		{CodeJudgementAbsent, states(Unverified), "No judgement is recorded at that place.", "let the judge write its record there"},
		{CodeJudgementAmbiguous, states(Unverified), "Several files match the place of the judgement.", "name one file in the contract"},
		{CodeJudgementMakersUnknown, states(Unverified), "The author may not judge, and who made the change is not known.", "let the gate run on a pull request whose commits can be listed"},
		{CodeJudgementNoRubric, states(Unverified), "The rubric could not be read from the trusted branch.", "put the rubric on the trusted branch"},
		{CodeJudgementNoRecord, states(Unverified), "The file is no record of a judgement.", "write the record as the documentation shows it"},
		{CodeJudgementOtherArtifact, states(Unverified), "The judgement is of other files than these.", "have the files judged that are delivered"},
		{CodeJudgementOtherJudge, states(Unverified), "The judge is none of those that the contract names.", "have it judged by one that the contract names"},
		{CodeJudgementOtherRubric, states(Unverified), "It was judged by another rubric, or another version of it, than the trusted branch has.", "have it judged by the rubric of the trusted branch"},
		{CodeJudgementOwnWork, states(Unverified), "Who made the change judged it.", "have it judged by another model or person"},
		{CodeJudgementReached, states(Verified), "The score is at least the one that is asked for.", ""},
		{CodeJudgementTooLow, states(ValidatorFailed), "The score is lower than the one that is asked for.", "read what the judge says and improve the work"},
		{CodeJudgementWrongCommit, states(WrongArtifact), "The judgement is of another commit.", "have the head commit judged"},
	}
}

func addressCodes() []Code {
	return []Code{
		{CodeAddressNotHere, states(Unverified), "Addresses are not looked at here.", "let the action judge the change"},
		{CodeAddressStatus, states(Missing), "The address answers with another status than the contract expects.", "deliver what the address stands for"},
		{CodeAddressRefused, states(Unverified), "The address, or a place that it leads to, is no public https address, so it was not looked at.", "name a public https address"},
		{CodeAddressUnreachable, states(Unverified), "The address gave no answer that could be read.", "look at what answers there, and run the gate again"},
	}
}

func uploadCodes() []Code {
	return []Code{
		{CodeUploadArchive, states(Unverified), "The upload's archive is damaged, or holds something that no honest upload has.", "upload plain files with actions/upload-artifact"},
		{CodeUploadUnknown, states(Unverified), "Which attempt of which job made the upload cannot be told.", "run all jobs of the run again, or name the job with made_by"},
		{CodeUploadDigest, states(HashMismatch), "The archive that was downloaded has another digest than the service names.", "run the gate again, and the job if it stays so"},
		{CodeUploadExpired, states(Missing), "The upload has expired.", "run the job that makes it again"},
		{CodeUploadMissing, states(Missing), "The run has no upload of that name.", "upload it in a job that comes before the gate"},
		{CodeUploadNotHere, states(Unverified), "Uploads are read through the service's API, and not here.", "let the action judge the change"},
		{CodeUploadOtherRun, states(WrongArtifact), "The upload is of another run or another commit.", "upload it in this run"},
		{CodeUploadRun, states(Unverified), "The evidence run did not run to its end, or cannot be told to be one of this pull request into its base branch as it is now.", "run the evidence workflow anew: push, or close and reopen the pull request"},
		{CodeUploadRunning, states(Unverified), "The job that makes the upload has not ended.", "let the gate's job need that one"},
		{CodeUploadSuperseded, states(Stale), "The upload is of an earlier attempt of a job that ran again since.", "let the job upload it in every attempt"},
	}
}
