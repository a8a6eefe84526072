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
