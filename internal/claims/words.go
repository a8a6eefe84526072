package claims

// class is what a word can mean in a claim; a word can have several.
type class uint32

const (
	clsPass  class = 1 << iota // says that tests passed
	clsFail                    // that they failed
	clsSkip                    // that they were left out
	clsTests                   // tests, in the plural
	clsTest                    // one test
	clsSuite                   // the suite
	clsTotal                   // a sum
	clsAll                     // all of them
	clsWhole                   // the whole of something
	clsNot                     // negates what follows
	clsSave                    // takes something out of what was said
	clsHedge                   // a plan, a condition, a demand, a doubt
	clsPast                    // speaks of another time
	clsCause                   // makes something so
	clsTurn                    // begins another clause
	clsLink                    // may stand between tests and passed
	clsAfter                   // may stand behind passed
	clsLabel                   // may name a sum of tests in front of a colon
	clsOther                   // counts something else than tests
	clsRun                     // to run, in the forms that an admission uses
	clsAble                    // to be able
	clsZero                    // none of them
	clsTool                    // the name of a program that builds or tests
	clsRuns                    // of these tools, one that runs tests by its name alone
	clsPlan                    // in a heading: what follows is not what was done
	clsMade                    // work that is done besides tests: what an admission can be about
	clsClean                   // says that a command ended well
	clsPlain                   // says nothing of which tests are meant
	clsOf                      // begins words that say of which
	clsDone                    // says that something was tried
)

const longestWord = 24 // bytes; no word below is longer

// meaning is classOf of a word in any case. What is in it besides ASCII means nothing here.
func meaning(w []byte) class {
	if len(w) > longestWord {
		return 0
	}
	var b [longestWord]byte
	for i, c := range w {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		b[i] = c
	}
	return classOf(string(b[:len(w)]))
}

// classOf knows the words, in lower case.
func classOf(w string) class { //nolint:cyclop,funlen // a table of words, in groups
	switch w {
	case "passed", "passes", "passing", "green", "succeeded", "succeeds", "succeed":
		return clsPass | clsClean
	case "pass":
		return clsPass | clsClean
	case "ok", "clean", "success", "successful", "successfully", "cleanly":
		return clsClean | clsAfter
	case "failed", "failing", "failures", "failure", "fails", "fail", "broken", "errors", "error", "errored":
		return clsFail
	case "skipped", "ignored", "disabled", "xfailed", "skip", "skips", "skipping":
		return clsSkip
	case "pending", "todo":
		return clsSkip | clsPlan
	case "tests", "specs", "examples", "testcases", "scenarios":
		return clsTests | clsLabel | clsMade
	case "tested":
		return clsTest | clsLabel | clsMade | clsDone
	case "test", "spec", "testing":
		return clsTest | clsLabel | clsMade
	case "suite", "test-suite", "testsuite":
		return clsSuite | clsLabel | clsMade
	case "total":
		return clsTotal | clsLabel | clsWhole
	}
	return classOfContext(w)
}

func classOfContext(w string) class {
	switch w {
	case "all", "every":
		return clsAll | clsLink | clsLabel
	case "full", "entire", "whole", "complete":
		return clsWhole | clsLabel
	case "not", "isn't", "aren't", "wasn't", "weren't", "don't", "doesn't", "haven't", "hasn't", "won't", "cannot", "can't", "couldn't", "didn't",
		"never", "neither", "nor", "without", "unable", "hardly", "barely", "almost", "nearly", "most", "some", "few", "many", "half", "several",
		"partially", "mostly", "not-run", "wouldn't", "shouldn't", "isnt", "dont", "doesnt", "didnt", "couldnt", "arent", "wasnt",
		"hadn't", "fewer", "only", "false", "untrue", "wrong":
		return clsNot
	case "no", "none", "zero":
		return clsNot | clsZero
	case "except", "excluding", "besides", "apart", "minus", "aside", "yet":
		return clsSave
	case "now", "still", "are", "is", "also", "both", "again", "have", "has", "been", "were", "was", "stay", "stayed", "remain", "remained", "keep", "kept", "continue",
		"ran", "run", "executed", "and":
		return classOfLink(w)
	case "but", "although", "however", "though", "whereas", "while":
		return clsTurn
	case "in", "on", "with", "against", "under", "at", "across", "via", "using", "for", "from", "of":
		return clsAfter | clsOf
	case "locally", "after", "too", "untouched", "unchanged", "including":
		return clsAfter
	case "the", "our", "my", "unit", "automated", "individual":
		return clsPlain
	case "result", "results", "summary", "validation", "verification", "evidence", "output", "overall", "status":
		return clsLabel
	case "verified":
		return clsLabel | clsDone
	case "validated", "confirmed":
		return clsDone
	}
	return classOfDoubt(w)
}

func classOfLink(w string) class {
	switch w {
	case "ran", "run", "executed":
		return clsLink | clsRun | clsLabel
	case "and":
		return clsLink | clsAfter
	case "now", "again":
		return clsLink | clsAfter
	}
	return clsLink
}

func classOfDoubt(w string) class {
	switch w {
	case "if", "unless", "until", "once", "when", "whenever", "whether", "should", "would", "could", "will", "shall", "must", "might", "may", "expect", "expects",
		"expected", "expecting", "ensure", "ensures", "ensuring", "verify", "confirm", "validate", "need", "needs", "require", "requires", "required", "requirement",
		"want", "wants", "hope", "hopefully", "goal", "goals", "aim", "aims", "plan", "plans", "planned", "planning", "tbd", "fixme", "await", "awaits", "awaiting",
		"wait", "waiting", "waits", "likely", "probably", "presumably", "supposedly", "allegedly", "seems", "seem", "appears", "appear", "think", "believe", "guess",
		"intended", "intend", "eventually", "later", "soon", "tomorrow", "e.g", "i.e", "example", "imagine", "pretend", "pretends", "claim", "claims", "claimed",
		"says", "said", "saying", "instead", "rather", "despite", "assert", "asserts", "asserted", "asserting", "simulate", "simulates", "simulated", "guarantee",
		"guarantees", "demand", "demands", "prints", "returns", "emits", "displays", "shows", "logs", "assuming", "assume", "assumes", "suppose", "supposed",
		"let's", "please", "it'll", "we'll", "they'll", "i'll", "you'll", "placeholder", "template", "sample", "mock", "mocked", "fake", "dummy", "hypothetical",
		"hypothetically", "otherwise", "ideally", "theoretically", "potentially", "perhaps", "maybe", "possibly", "due", "minimum", "least",
		"mutant", "mutants", "mutation", "mutations", "mutated", "sabotage", "accidentally", "wrongly", "incorrectly", "falsely", "misleadingly", "silently", "vacuously":
		return clsHedge
	case "wip", "next", "upcoming", "future", "remaining", "follow-up", "followup", "follow-ups", "steps", "acceptance", "criteria", "how", "instructions",
		"proposal", "requirements", "reproduce", "reproduction", "repro", "current", "to-do", "todos", "actual", "problem", "bug", "issue":
		return clsPlan
	case "before", "previously", "baseline", "formerly", "originally", "earlier", "yesterday":
		return clsPast | clsPlan
	case "used", "main", "master", "upstream", "base", "last", "parent", "threshold":
		return clsPast
	case "make":
		return clsCause | clsTool
	case "makes", "making", "get", "gets", "getting", "let", "lets", "allow", "allows", "help", "helps", "cause", "causes", "force", "forces", "see", "so":
		return clsCause
	}
	return classOfThing(w)
}

func classOfThing(w string) class {
	switch w {
	case "able":
		return clsAble
	case "suites", "files", "checks", "jobs", "assertions", "snapshots", "warnings", "builds", "requests", "packages", "modules", "stages", "gates", "workflows",
		"pipelines", "crates", "projects", "targets", "environments", "rules", "hooks", "benchmarks":
		return clsOther
	case "running", "execute", "executing", "exercise", "exercised":
		return clsRun
	case "untested", "unverified":
		return clsMade
	case "build", "lint", "typecheck", "ci", "e2e", "integration", "qa", "playwright", "cypress":
		return clsMade
	case "pytest", "jest", "vitest", "mocha", "rspec", "phpunit", "ctest", "bats", "unittest", "nextest", "ava", "tap", "karma", "testng", "junit", "nosetests":
		return clsTool | clsRuns | clsLabel | clsMade
	case "go", "cargo", "npm", "pnpm", "yarn", "npx", "python", "python3", "uv", "poetry", "tox", "nox", "bundle", "dotnet", "mvn", "mvnw", "gradle", "gradlew",
		"cmake", "bun", "deno", "ruff", "eslint", "tsc", "mypy", "golangci-lint", "bazel", "swift", "composer", "rake", "mix", "sbt", "flutter", "dart", "just",
		"pre-commit", "prettier", "biome", "hatch", "pdm", "rails", "node", "actionlint", "shellcheck", "gofmt", "mkdocs", "oxfmt":
		return clsTool
	case "maven":
		return clsLabel
	}
	return 0
}
