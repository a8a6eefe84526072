// Package scope decides what a contract says about one change: whether it is gated, which outcomes are
// expected of it, which protected paths it touches, and whether known coding agents left their marks on it.
//
// It trusts the facts that it is given and nothing that the change says of itself: marks can only bring a
// change under the contract, never take it out, and every list that was cut counts as holding the worst. It
// is pure: no file, no network, no clock.
package scope

import (
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/outcome-gate/outcome-gate/internal/contract"
)

// Account is an account of the hosting service.
type Account struct {
	Login string
	Type  string // "User", "Bot", "Organization"; "" if not known
}

// Change holds the facts of one pull request. All texts but the authors' logins and types are the author's to choose.
type Change struct {
	Author     Account
	HeadBranch string
	Title      string
	Body       string
	Draft      bool
	Labels     []string
	Commits    []Commit
	CommitsCut bool // not all commits could be listed
	Files      []File
	FilesCut   bool // not all changed files could be listed
}

// Commit is one commit of a change. Message is parsed for trailers; Trailers may hold those that are known besides.
type Commit struct {
	AuthorLogin    string
	CommitterLogin string
	AuthorEmail    string
	CommitterEmail string
	Message        string
	Trailers       []Trailer
}

// File is one changed file. Paths are slash separated and relative to the repository.
type File struct {
	Path     string
	Previous string // the old name of a renamed or copied file
	Status   string // added, modified, removed, renamed, copied, changed
}

// Gated reports whether c applies to the change, and why in words for people.
func Gated(c *contract.Contract, change Change) (gated bool, why string) {
	a := c.AppliesTo
	if a == nil {
		return true, "the contract applies to every pull request"
	}
	for _, m := range AgentMarks(change) {
		if slices.Contains(a.Agents, m.Agent) {
			return true, "the mark of " + m.Agent + ": " + m.By + " " + m.Value
		}
	}
	for _, login := range a.Authors {
		if sameLogin(login, change.Author) {
			return true, "the author " + login
		}
	}
	for _, label := range a.Labels {
		if slices.ContainsFunc(change.Labels, func(l string) bool { return strings.EqualFold(l, label) }) {
			return true, "the label " + label
		}
	}
	for _, glob := range a.HeadBranches {
		if match(glob, change.HeadBranch) {
			return true, "the head branch matches " + glob
		}
	}
	if key, value, ok := trailerMatch(a.Trailers, change); ok {
		return true, "the commit trailer " + key + " with " + value
	}
	if change.CommitsCut && (len(a.Agents) > 0 || len(a.Trailers) > 0) {
		return true, "not all commits could be listed, and one of them may carry a mark"
	}
	return false, "no entry of applies_to matches"
}

// trailerMatch finds the first entry of trailers that a commit of the change carries, in order of keys.
func trailerMatch(trailers map[string][]string, change Change) (key, value string, ok bool) {
	keys := make([]string, 0, len(trailers))
	for key := range trailers {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		for _, commit := range change.Commits {
			for _, t := range commit.trailers() {
				if !strings.EqualFold(t.Key, key) {
					continue
				}
				for _, want := range trailers[key] {
					if sameAddress(want, t.Email()) {
						return key, want, true
					}
				}
			}
		}
	}
	return "", "", false
}

// ReportRequired reports whether c requires a report of the change. An unknown rule requires one.
func ReportRequired(c *contract.Contract, change Change) bool {
	switch c.Report.Required {
	case "never":
		return false
	case "agents":
		return len(AgentMarks(change)) > 0
	}
	return true
}

// ReportRequiredOfCommit reports whether c requires a report of a commit without a pull request: the rule for agents'
// pull requests asks for none there.
func ReportRequiredOfCommit(c *contract.Contract) bool {
	return c.Report.Required != "never" && c.Report.Required != "agents"
}

// Expected reports whether the outcome is expected of the change: `when.paths` against new and old names. A
// cut list of files counts as touching everything.
func Expected(o *contract.Outcome, change Change) bool {
	if o.When == nil || change.FilesCut {
		return true
	}
	for _, f := range change.Files {
		for _, glob := range o.When.Paths {
			if match(glob, f.Path) || f.Previous != "" && match(glob, f.Previous) {
				return true
			}
		}
	}
	return false
}

// Unlisted stands among protected paths for those that a cut list of changed files may hide.
const Unlisted = "(changed files that could not be listed)"

// Protected lists the protected paths that the change touches, under new or old names, in order. contractPath
// and trustedFiles are the paths of the contract and of every file that was read from the trusted branch. Case
// does not count: on some file systems another spelling is the same file. c may be nil.
func Protected(c *contract.Contract, contractPath string, trustedFiles []string, change Change) []string {
	globs := contract.AlwaysProtected()
	files := append([]string{contractPath}, trustedFiles...)
	if c != nil {
		globs = append(globs, c.ProtectedPaths...)
		files = append(append(files, c.Contracts...), c.Report.Schema)
	}
	var out []string
	for _, f := range change.Files {
		for _, path := range []string{f.Path, f.Previous} {
			if path != "" && isProtected(globs, files, path) {
				out = append(out, path)
			}
		}
	}
	if change.FilesCut {
		out = append(out, Unlisted)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func isProtected(globs, files []string, path string) bool {
	if slices.ContainsFunc(files, func(f string) bool { return f != "" && strings.EqualFold(f, path) }) {
		return true
	}
	return slices.ContainsFunc(globs, func(glob string) bool {
		return match(glob, path) || match(strings.ToLower(glob), strings.ToLower(path))
	})
}

// Waived reports whether the outcome is waived at now: through 24:00 UTC of the day that it names.
func Waived(o *contract.Outcome, now time.Time) bool { return o.WaivedAt(now) }

// WorkInProgress reports whether a title says that the work is not done: it begins with [WIP], WIP: or
// Draft:, in any case.
func WorkInProgress(title string) bool {
	title = strings.TrimSpace(title)
	for _, mark := range []string{"[WIP]", "WIP:", "Draft:"} {
		if len(title) >= len(mark) && strings.EqualFold(title[:len(mark)], mark) {
			return true
		}
	}
	return false
}

// match applies a glob of the contract, which has validated it.
func match(glob, name string) bool {
	ok, err := doublestar.Match(glob, name)
	return err == nil && ok
}

// sameLogin compares a login of the contract with an account. Interfaces of the hosting service differ in
// whether a bot's login ends in [bot]; the account's type decides that it is one.
func sameLogin(login string, account Account) bool {
	if strings.EqualFold(login, account.Login) {
		return true
	}
	name, bot := strings.CutSuffix(login, "[bot]")
	return bot && account.Type == "Bot" && strings.EqualFold(name, account.Login)
}
