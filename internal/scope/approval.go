package scope

import (
	"slices"
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/contract"
)

// Identity is the account as "login/type", in which reports and reviews are compared by equality.
func (a Account) Identity() string { return a.Login + "/" + a.Type }

// Review is one review of a pull request, as the hosting service records it.
type Review struct {
	By         Account
	State      string // APPROVED, CHANGES_REQUESTED, COMMENTED, DISMISSED, PENDING
	Commit     string // the commit that was reviewed
	Permission string // of the reviewer in the repository: admin, maintain, write, triage, read, none; "" if not known
}

// Approvers lists the logins of those whose approval of the head commit counts, in order of their first
// approval: people with write permission who neither opened the pull request nor wrote, committed or
// co-authored any of its commits. Of several reviews of one person the last that decides counts.
func Approvers(change Change, head string, reviews []Review) []string {
	if head == "" {
		return nil
	}
	last := map[string]Review{}
	var order []string
	for _, r := range reviews {
		switch r.State {
		case "APPROVED", "CHANGES_REQUESTED", "DISMISSED":
		default:
			continue
		}
		key := strings.ToLower(r.By.Login)
		if _, seen := last[key]; !seen {
			order = append(order, key)
		}
		last[key] = r
	}
	var out []string
	for _, key := range order {
		r := last[key]
		writes := slices.Contains([]string{"write", "maintain", "admin"}, r.Permission)
		if r.State == "APPROVED" && r.Commit == head && writes && MayApprove(change, r.By) {
			out = append(out, r.By.Login)
		}
	}
	return out
}

// MayApprove reports whether the account is a person who neither opened the pull request nor wrote, committed or
// co-authored any of its commits. A list of commits that was cut may hide a co-author, so then nobody is.
func MayApprove(change Change, who Account) bool {
	return who.Login != "" && who.Type == "User" && !change.CommitsCut && !tookPart(change, who)
}

// tookPart reports whether the account had a hand in the change.
func tookPart(change Change, who Account) bool {
	if strings.EqualFold(change.Author.Login, who.Login) {
		return true
	}
	for _, c := range change.Commits {
		if strings.EqualFold(c.AuthorLogin, who.Login) || strings.EqualFold(c.CommitterLogin, who.Login) {
			return true
		}
		emails := []string{c.AuthorEmail, c.CommitterEmail}
		for _, t := range c.trailers() {
			emails = append(emails, t.Email())
		}
		// Older accounts have an address without the id. Anybody can write it, which here only takes away a say.
		older := who.Login + "@users.noreply.github.com"
		if slices.ContainsFunc(emails, func(e string) bool {
			return strings.EqualFold(noreplyLogin(e), who.Login) || strings.EqualFold(e, older)
		}) {
			return true
		}
	}
	return false
}

// Makers lists everything by which those who had a hand in the change are known: logins, bots also without their
// suffix, addresses, and the names of the agents whose marks it carries. known is false where one may be missing.
func Makers(change Change) (names []string, known bool) {
	add := func(list ...string) {
		for _, n := range list {
			if n != "" && !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
	}
	login := func(l string) { add(l, strings.TrimSuffix(l, "[bot]")) }
	login(change.Author.Login)
	for _, c := range change.Commits {
		login(c.AuthorLogin)
		login(c.CommitterLogin)
		emails := []string{c.AuthorEmail, c.CommitterEmail}
		for _, t := range c.trailers() {
			emails = append(emails, t.Email())
		}
		for _, e := range emails {
			add(e)
			login(noreplyLogin(e))
		}
	}
	for _, m := range AgentMarks(change) {
		add(m.Agent)
	}
	return names, !change.CommitsCut && (change.Author.Login != "" || len(change.Commits) > 0)
}

// TrustedBase reports whether a contract of that base branch may judge: the default branch, or one that the
// default branch's contract lists. An unknown default branch means that the caller vouches for the base.
func TrustedBase(c *contract.Contract, base, defaultBranch string) bool {
	if defaultBranch == "" || base == defaultBranch {
		return true
	}
	return base != "" && slices.ContainsFunc(c.BaseBranches, func(glob string) bool { return match(glob, base) })
}

// Touches reports whether the change touches the path, under a new or an old name. A cut list of files counts
// as touching everything.
func Touches(change Change, path string) bool {
	return change.FilesCut || slices.ContainsFunc(change.Files, func(f File) bool {
		return strings.EqualFold(f.Path, path) || strings.EqualFold(f.Previous, path)
	})
}
