package doctor

import (
	"bytes"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/outcome-gate/outcome-gate/internal/contract"
)

// Bounds on an owners file. GitHub reads none over 3 MB.
const (
	MaxOwners      = 3 << 20
	maxDoubleStars = 4 // of one pattern: bounds what a matcher may try for one path
)

// checkOwners asks that the contract and the gate's workflows have owners.
func (c *checker) checkOwners() {
	paths := []string{c.ContractPath}
	for _, s := range c.sites {
		for _, w := range s.started() {
			paths = append(paths, w.path)
		}
	}
	seen := map[string]bool{}
	for _, p := range paths {
		if p == "" || seen[p] {
			continue
		}
		seen[p] = true
		switch {
		case c.Owners == nil:
			c.add(CodeNoOwners, ".github/CODEOWNERS", place{}, "there is no CODEOWNERS file, so %s has no owner", p)
		case !owned(c.Owners.Data, p):
			c.add(CodeNoOwners, c.Owners.Path, place{}, "%s has no owner", p)
		}
	}
}

// owned says whether an owners file names somebody for a path: the last line that matches counts, and it may name nobody.
func owned(data []byte, name string) bool {
	if len(data) > MaxOwners {
		return false
	}
	has := false
	for line := range bytes.Lines(data) {
		pattern, owners := ownersLine(string(line))
		if pattern != "" && ownersMatch(pattern, name) {
			has = owners
		}
	}
	return has
}

// ownersLine reads one line: a pattern, in which a blank is written behind a backslash, and whether owners follow.
func ownersLine(line string) (pattern string, owners bool) {
	line = strings.TrimSpace(line)
	if line == "" || line[0] == '#' {
		return "", false
	}
	var b strings.Builder
	i := 0
	for ; i < len(line) && line[i] != ' ' && line[i] != '\t'; i++ {
		if line[i] == '\\' && i+1 < len(line) && (line[i+1] == ' ' || line[i+1] == '#') {
			i++
		}
		b.WriteByte(line[i])
	}
	rest := strings.TrimSpace(line[i:])
	return b.String(), rest != "" && rest[0] != '#'
}

// ownersMatch says whether a pattern of an owners file is about a path. The language is gitignore's without `!` and
// `[ ]`; a pattern that ends in `/*` is about the files of that folder and no deeper. What cannot be matched in bounded
// time matches nothing, so that the path counts as without owner.
func ownersMatch(pattern, name string) bool {
	if strings.HasPrefix(pattern, "!") || strings.ContainsAny(pattern, "[]") || strings.Count(pattern, "**") > maxDoubleStars {
		return false
	}
	folder := strings.HasSuffix(pattern, "/")
	glob := strings.TrimSuffix(pattern, "/")
	if strings.Contains(glob, "/") {
		glob = strings.TrimPrefix(glob, "/")
	} else if glob != "" {
		glob = "**/" + glob
	}
	glob = strings.NewReplacer("{", `\{`, "}", `\}`).Replace(glob)
	switch {
	case glob == "": // a lone slash
		return false
	case folder:
		return match(glob+"/**", name)
	case match(glob, name):
		return true
	default:
		return !strings.HasSuffix(glob, "/*") && match(glob+"/**", name)
	}
}

func match(glob, name string) bool {
	ok, err := doublestar.Match(glob, name)
	return err == nil && ok
}

// checkContract looks at the contract as it lies in the checkout.
func (c *checker) checkContract() {
	mistakes := c.ContractProblems.Mistakes()
	switch {
	case c.Contract != nil && c.Contract.Mode == contract.Observe:
		at := c.Contract.Places["/mode"]
		c.add(CodeObserve, c.ContractPath, place{at.Line, at.Col}, "`mode: observe`: nothing is blocked")
	case c.Contract != nil:
	case len(mistakes) > 0:
		c.add(CodeInvalidContract, c.ContractPath, place{mistakes[0].Line, mistakes[0].Col}, "the contract is not valid, at first: %s [%s]",
			clip(mistakes[0].Message), mistakes[0].Code)
	default:
		c.add(CodeNoContract, c.ContractPath, place{}, "there is no contract")
	}
}
