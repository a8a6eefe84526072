package report

// Template is the block for the agent to fill in, as Markdown. Its outcome is "…", so that a text that repeats it
// unchanged holds no report.
func Template() string {
	return "```outcome\n" +
		"{\n" +
		"  \"outcome\": \"" + unfilled + "\",\n" +
		"  \"evidence\": [\"" + unfilled + "\"],\n" +
		"  \"failing\": []\n" +
		"}\n" +
		"```\n"
}

// Explain says in one sentence what a problem means and what helps. It is empty for no problem.
func Explain(p Problem) string {
	switch p {
	case "":
		return ""
	case NoText:
		return "No carrier holds a text."
	case NoBlock:
		return "There is text, but no report block: add a fenced block labelled outcome."
	case Broken:
		return "The report block does not decode or breaks its schema: correct what the errors name."
	case Ambiguous:
		return "There are several report blocks that differ: leave one."
	case NoOutcome:
		return "The report's outcome is absent or not one of the three words: succeeded, failed, blocked."
	case NoEvidence:
		return "The report says succeeded without evidence: say what was run and what it printed."
	default:
		return "Unknown problem " + shown(string(p)) + "."
	}
}
