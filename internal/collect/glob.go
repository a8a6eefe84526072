package collect

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
)

const (
	// maxPatterns bounds what one list of patterns may grow to when its braces are written out: a contract
	// may hold a few dozen alternatives, {a,b}{a,b}... doubles with every pair.
	maxPatterns = 1024
	// maxPatternBytes is the longest path that Linux opens (PATH_MAX).
	maxPatternBytes = 4096
)

// segKind says how one segment of a pattern is compared.
type segKind uint8

const (
	segGeneral segKind = iota // by doublestar
	segLiteral                // by equality
	segAffix                  // one star between a fixed beginning and end
	segTree                   // **: any number of directories
)

// segment is one slash-separated part of a pattern.
type segment struct {
	kind           segKind
	text           string
	prefix, suffix string // of segAffix
	dot            bool   // it names files that begin with a dot
}

// pattern is one compiled pattern of a file set.
type pattern struct {
	set  int
	segs []segment
}

// compile turns one list of patterns into compiled ones. Braces are written out first, so that alternatives
// may hold slashes and each one says for itself whether it names dot files.
func compile(set int, globs []string) ([]pattern, error) {
	var out []pattern
	for _, g := range globs {
		if err := checkPattern(g); err != nil {
			return nil, fmt.Errorf("pattern %q: %w", g, err)
		}
		flat, err := expandBraces(g, maxPatterns-len(out))
		if err != nil {
			return nil, fmt.Errorf("pattern %q: %w", g, err)
		}
		for _, f := range flat {
			segs, err := split(f)
			if err != nil {
				return nil, fmt.Errorf("pattern %q: %w", g, err)
			}
			out = append(out, pattern{set: set, segs: segs})
		}
	}
	if len(out) == 0 {
		return nil, errors.New("no pattern")
	}
	return out, nil
}

func checkPattern(g string) error {
	switch {
	case len(g) > maxPatternBytes:
		return fmt.Errorf("longer than %d bytes", maxPatternBytes)
	case !utf8.ValidString(g):
		return errors.New("is not UTF-8")
	case strings.IndexByte(g, 0) >= 0:
		return errors.New("holds a NUL byte")
	case !doublestar.ValidatePattern(g):
		return errors.New("malformed")
	}
	return nil
}

func split(p string) ([]segment, error) {
	var segs []segment
	for part := range strings.SplitSeq(p, "/") {
		switch part {
		case "":
			return nil, errors.New("has an empty segment; paths are relative to the workspace")
		case ".", "..":
			return nil, fmt.Errorf("has the segment %q", part)
		case "**":
			if n := len(segs); n > 0 && segs[n-1].kind == segTree {
				continue // "**/**" is "**"
			}
		}
		if !doublestar.ValidatePattern(part) { // valid as a whole, so a class is open where the segment ends
			return nil, errors.New("has a character class with a slash; a class stands for one character of one name")
		}
		segs = append(segs, newSegment(part))
	}
	return segs, nil
}

func newSegment(part string) segment {
	s := segment{text: part, dot: strings.HasPrefix(strings.TrimPrefix(part, `\`), ".")}
	switch {
	case part == "**":
		s.kind = segTree
	case !strings.ContainsAny(part, `*?[]{}\`):
		s.kind = segLiteral
	case strings.Count(part, "*") == 1 && !strings.ContainsAny(part, `?[]{}\`):
		s.kind = segAffix
		s.prefix, s.suffix, _ = strings.Cut(part, "*")
	}
	return s
}

// skipped are the directories that only a segment of that very name enters: git's own, and installed
// dependencies, which hold most of a workspace's files and none of its evidence.
func skipped(name string) bool { return name == ".git" || name == "node_modules" }

// matches says whether a name is meant by the segment, which is not "**". Names with a dot in front have to
// be named with it, so that "*" never means a hidden file.
func (s *segment) matches(name string) bool {
	if s.kind == segLiteral {
		return s.text == name
	}
	if (name[0] == '.' && !s.dot) || skipped(name) {
		return false
	}
	if s.kind == segAffix {
		return len(name) >= len(s.prefix)+len(s.suffix) && strings.HasPrefix(name, s.prefix) && strings.HasSuffix(name, s.suffix)
	}
	ok, err := doublestar.Match(s.text, name)
	return err == nil && ok
}

// mayMatch is false for a name that the segment cannot mean, told without a string.
func (s *segment) mayMatch(name []byte) bool {
	switch s.kind {
	case segLiteral:
		return string(name) == s.text
	case segAffix:
		return len(name) >= len(s.prefix)+len(s.suffix) && string(name[:len(s.prefix)]) == s.prefix && string(name[len(name)-len(s.suffix):]) == s.suffix
	case segGeneral, segTree:
	}
	return true
}

// crosses says whether "**" enters a directory of that name, or as the last segment means a file of it.
func crosses(name string) bool { return name[0] != '.' && !skipped(name) }

// expandBraces writes out every alternative of {a,b}. The order is that of the pattern.
func expandBraces(p string, room int) ([]string, error) {
	open, parts, rest := firstBrace(p)
	if open < 0 {
		if room < 1 {
			return nil, fmt.Errorf("its alternatives give more than %d patterns", maxPatterns)
		}
		return []string{p}, nil
	}
	var out []string
	for _, part := range parts {
		more, err := expandBraces(p[:open]+part+rest, room-len(out))
		if err != nil {
			return nil, err
		}
		for _, m := range more {
			if !slices.Contains(out, m) {
				out = append(out, m)
			}
		}
	}
	return out, nil
}

// firstBrace finds the first {...} outside of a class or an escape: its place, its alternatives and what
// follows it. The pattern is valid, so that every brace is closed.
func firstBrace(p string) (open int, parts []string, rest string) {
	open = -1
	depth, from, class := 0, 0, false
	for i := 0; i < len(p); i++ {
		switch c := p[i]; {
		case c == '\\':
			i++
		case class:
			class = c != ']'
		case c == '[':
			class = true
		case c == '{':
			if depth++; depth == 1 {
				open, from = i, i+1
			}
		case c == ',' && depth == 1:
			parts, from = append(parts, p[from:i]), i+1
		case c == '}' && depth > 0:
			if depth--; depth == 0 {
				return open, append(parts, p[from:i]), p[i+1:]
			}
		}
	}
	return -1, nil, ""
}

// matchPath says whether the patterns mean a path that some tree lists; the rules are those of the walk.
func matchPath(pats []pattern, path string) bool {
	names := strings.Split(path, "/")
	for i := range pats {
		if matchNames(pats[i].segs, names) {
			return true
		}
	}
	return false
}

// matchNames says whether the segments mean the path of these names.
func matchNames(segs []segment, names []string) bool {
	at := reach(segs, names)
	return at[len(segs)] || (len(segs) > 0 && segs[len(segs)-1].kind == segTree && (at[len(segs)-1]))
}

// reach runs the segments over the names as a set of positions, so that its time is the product of both lengths and
// never more. It says of each segment whether what follows the names can be compared with it.
func reach(segs []segment, names []string) []bool {
	at := make([]bool, len(segs)+1)
	at[0] = true
	for _, name := range names {
		next := make([]bool, len(segs)+1)
		if name == "" {
			return next
		}
		for i := range segs {
			if !at[i] {
				continue
			}
			if segs[i].kind != segTree {
				next[i+1] = next[i+1] || segs[i].matches(name)
				continue
			}
			at[i+1] = true // "**" may mean no directory at all
			next[i] = next[i] || crosses(name)
		}
		at = next
	}
	return at
}
