package evidence

import (
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/evidence/testresult"
)

// pattern matches a test's text form or its bare name, whole. An asterisk stands for any text, separators
// included; everything else stands for itself.
type pattern struct {
	text  string
	parts []string // between the asterisks
}

func newPattern(text string) pattern {
	return pattern{text: text, parts: strings.Split(text, "*")}
}

func newPatterns(texts []string) []pattern {
	out := make([]pattern, len(texts))
	for i, t := range texts {
		out[i] = newPattern(t)
	}
	return out
}

// matches reports whether the pattern matches the text form or the bare name.
func (p pattern) matches(c *testresult.Case) bool {
	return p.match(c.ID) || (c.Name != "" && p.match(c.Name))
}

func anyMatches(ps []pattern, c *testresult.Case) bool {
	for _, p := range ps {
		if p.matches(c) {
			return true
		}
	}
	return false
}

// match takes each part at its first place, which is enough since an asterisk can stand for anything.
func (p pattern) match(s string) bool {
	if p.text == "" {
		return false
	}
	first, last := p.parts[0], p.parts[len(p.parts)-1]
	if len(p.parts) == 1 {
		return s == first
	}
	if len(s) < len(first)+len(last) || !strings.HasPrefix(s, first) || !strings.HasSuffix(s, last) {
		return false
	}
	s = s[len(first) : len(s)-len(last)]
	for _, part := range p.parts[1 : len(p.parts)-1] {
		i := strings.Index(s, part)
		if i < 0 {
			return false
		}
		s = s[i+len(part):]
	}
	return true
}

// maxNearTests is how many tests are compared with a pattern that matches none.
const maxNearTests = 20000

// near is the text form of the test that a pattern without a match most likely means, "" if none is near: the one
// that shares the longest beginning with it, separators and case aside.
func (p pattern) near(sets []*TestSet) string {
	want := folded(strings.Trim(p.text, "*"))
	best, bestAt, seen := 0, "", 0
	var names []string
	for _, s := range sets {
		s.Each(func(c *testresult.Case) bool {
			seen++
			if n := max(shared(want, folded(clip(c.ID, maxNameBytes))), shared(want, folded(clip(c.Name, maxNameBytes)))); n > best {
				best, bestAt = n, c.ID
			}
			if len(names) < maxNearKeys {
				names = append(names, c.Name)
			}
			return seen < maxNearTests
		})
		if seen >= maxNearTests {
			break
		}
	}
	if best >= 3 && 2*best >= len(want) {
		return clip(bestAt, maxNameBytes)
	}
	return nearest(names, strings.Trim(p.text, "*"))
}

// folded is a text in lower case with every run of separators as one slash.
func folded(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return strings.ContainsRune("/:.>#\\ -_", r)
	}), "/")
}

// shared is the length of the common beginning.
func shared(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
