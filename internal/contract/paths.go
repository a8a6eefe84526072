package contract

import (
	"strings"
	"unicode"

	"github.com/bmatcuk/doublestar/v4"
)

const (
	// maxDoubleStars and maxBraces bound how much a matcher may try for one path.
	maxDoubleStars = 4
	maxBraces      = 8
)

// badGlob says why a glob is refused and what to do, "" if it is not.
func badGlob(glob string) (why, hint string) {
	if why, hint := badPath(glob); why != "" {
		return why, hint
	}
	switch {
	case !doublestar.ValidatePattern(glob):
		return "a bracket or brace in it is not closed", "Close it; a literal bracket is written `[[]`."
	case classHoldsSlash(glob):
		return "a character class in it holds a `/`", "A class stands for one character of one name: write the directories outside of the brackets."
	case strings.Count(glob, "**") > maxDoubleStars:
		return "it has more than 4 `**`", "Write several shorter globs."
	case strings.Count(glob, "{") > maxBraces:
		return "it has more than 8 `{`", "Write several shorter globs."
	}
	return "", ""
}

// classHoldsSlash says whether a [...] of a valid glob holds a slash, about which matchers differ: a path is compared
// name by name, so it could stand for nothing.
func classHoldsSlash(glob string) bool {
	class := false
	for i := range len(glob) {
		switch c := glob[i]; {
		case c == '/' && class:
			return true
		case c == '[':
			class = true
		case c == ']':
			class = false
		}
	}
	return false
}

// badPath says why a path is refused and what to do, "" if it is not.
func badPath(path string) (why, hint string) {
	const relative = "Write it relative to the repository's top directory."
	switch {
	case path == "":
		return "it is empty", "Write a path or remove the entry."
	case strings.ContainsFunc(path, unicode.IsControl):
		return "it holds a control character", "Remove the character."
	case strings.Contains(path, `\`):
		return "it has a backslash", "Use `/` between directories, on every system."
	case strings.HasPrefix(path, "/"):
		return "it is absolute", relative
	case len(path) >= 2 && path[1] == ':':
		return "it names a drive", relative
	case strings.HasPrefix(path, "~"):
		return "it begins with `~`, which stands for nothing here", relative
	case strings.HasPrefix(path, "./"):
		return "it begins with `./`", "Write " + quote(strings.TrimPrefix(path, "./")) + "."
	case strings.HasSuffix(path, "/"):
		return "it ends with `/` and so names no file", "Write " + quote(path+"**") + " for everything below, or name the file."
	}
	for part := range strings.SplitSeq(path, "/") {
		switch part {
		case "..":
			return "it leads upwards with `..`", relative
		case ".":
			return "it has a part that is only `.`", "Remove that part."
		case "":
			return "it has two `/` in a row", "Remove one."
		}
	}
	return "", ""
}
