package scope

import (
	"slices"
	"strings"
)

// Agent is a known coding agent and the marks that it leaves on pull requests.
type Agent struct {
	Name         string    // as applies_to.agents writes it
	Title        string    // as people write it
	Logins       []Account // authors of pull requests: login and type, both must fit
	CommitLogins []string  // further logins of commit authors and committers
	Emails       []string  // addresses of commit authors, committers and co-authors
	TrailerKeys  []string  // keys of commit trailers that only this agent writes
	HeadBranches []string  // globs
	Labels       []string
	Footers      []string // text that the body of its pull requests holds
}

// Agents lists the known agents in the order of contract.Agents. Tools that only raise versions of dependencies are
// none. Where an agent works under a person's account, only the marks that a person can remove are left.
func Agents() []Agent {
	bot := func(logins ...string) (out []Account) {
		for _, l := range logins {
			out = append(out, Account{Login: l, Type: "Bot"})
		}
		return out
	}
	return []Agent{
		{
			Name: "claude", Title: "Claude Code",
			Logins:       bot("claude[bot]", "claude-code[bot]"),
			Emails:       []string{"noreply@anthropic.com"},
			HeadBranches: []string{"claude/**"},
			Footers:      []string{"Generated with [Claude Code]("},
		},
		{
			Name: "codex", Title: "Codex",
			HeadBranches: []string{"codex/**"},
			Labels:       []string{"codex"},
			Footers:      []string{"https://chatgpt.com/codex/tasks/task_"},
		},
		{
			Name: "copilot", Title: "Copilot coding agent",
			// The same account shows under its display name and under its app's.
			Logins:       bot("Copilot", "copilot-swe-agent[bot]"),
			Emails:       []string{"198982749+Copilot@users.noreply.github.com"},
			TrailerKeys:  []string{"Agent-Logs-Url"},
			HeadBranches: []string{"copilot/**"},
		},
		{
			Name: "cursor", Title: "Cursor",
			Logins:       bot("cursor[bot]"),
			CommitLogins: []string{"cursoragent"},
			Emails:       []string{"cursoragent@cursor.com"},
			HeadBranches: []string{"cursor/**"},
			Footers:      []string{"https://cursor.com/agents/bc-", "https://cursor.com/background-agent?bcId="},
		},
		{
			Name: "devin", Title: "Devin",
			Logins:       bot("devin-ai-integration[bot]"),
			HeadBranches: []string{"devin/**"},
			Footers:      []string{"https://app.devin.ai/sessions/"},
		},
		{
			Name: "jules", Title: "Jules",
			Logins:  bot("google-labs-jules[bot]"),
			Emails:  []string{"161369871+google-labs-jules[bot]@users.noreply.github.com"},
			Footers: []string{"https://jules.google.com/task/"},
		},
	}
}

// Strength says who could have set or removed a mark.
type Strength string

// Strong marks are set by the hosting service; medium ones are part of the commits and weak ones of the pull
// request, and the author controls both.
const (
	Strong Strength = "strong"
	Medium Strength = "medium"
	Weak   Strength = "weak"
)

// Mark is one sign that an agent made the change, or a part of it. That there is none proves nothing.
type Mark struct {
	Agent    string
	By       string // author, commit login, commit e-mail, commit trailer, head branch, label, body
	Value    string // the known mark that was found, never text of the change
	Strength Strength
}

// maxBody bounds, in bytes, how much of a body is searched for footers.
const maxBody = 256 << 10

// AgentMarks lists the known agents' marks on the change, in the order of Agents, each once.
func AgentMarks(change Change) []Mark {
	if len(change.Body) > maxBody {
		change.Body = change.Body[len(change.Body)-maxBody:]
	}
	trailers := make([][]Trailer, len(change.Commits))
	for i, c := range change.Commits {
		trailers[i] = c.trailers()
	}
	var out []Mark
	for _, a := range Agents() {
		found := func(by, value string, s Strength) {
			m := Mark{Agent: a.Name, By: by, Value: value, Strength: s}
			if !slices.Contains(out, m) {
				out = append(out, m)
			}
		}
		for _, l := range a.Logins {
			if l.Type == change.Author.Type && sameLogin(l.Login, change.Author) {
				found("author", l.Login, Strong)
			}
		}
		for i, c := range change.Commits {
			a.commitMarks(c, trailers[i], found)
		}
		a.weakMarks(change, found)
	}
	return out
}

// commitMarks finds the agent in one commit.
func (a Agent) commitMarks(c Commit, trailers []Trailer, found func(by, value string, s Strength)) {
	emails := []string{c.AuthorEmail, c.CommitterEmail}
	for _, t := range trailers {
		for _, key := range a.TrailerKeys {
			if strings.EqualFold(key, t.Key) {
				found("commit trailer", key, Medium)
			}
		}
		if strings.EqualFold(t.Key, "Co-authored-by") {
			emails = append(emails, t.Email())
		}
	}
	// Only an app's login is its own: other tools of the same maker commit under the same display name.
	var apps []string
	for _, l := range a.Logins {
		if strings.HasSuffix(l.Login, "[bot]") {
			apps = append(apps, l.Login)
		}
	}
	for _, login := range append(slices.Clone(a.CommitLogins), apps...) {
		if strings.EqualFold(login, c.AuthorLogin) || strings.EqualFold(login, c.CommitterLogin) {
			found("commit login", login, Medium)
		}
	}
	for _, address := range emails {
		for _, known := range a.Emails {
			if sameAddress(known, address) {
				found("commit e-mail", known, Medium)
			}
		}
		for _, login := range apps {
			if noreplyLogin(address) == strings.ToLower(login) {
				found("commit e-mail", login+"@users.noreply.github.com", Medium)
			}
		}
	}
}

// weakMarks finds the agent in what the author of a pull request may write at will.
func (a Agent) weakMarks(change Change, found func(by, value string, s Strength)) {
	for _, glob := range a.HeadBranches {
		if match(glob, change.HeadBranch) {
			found("head branch", glob, Weak)
		}
	}
	for _, label := range a.Labels {
		if slices.ContainsFunc(change.Labels, func(l string) bool { return strings.EqualFold(l, label) }) {
			found("label", label, Weak)
		}
	}
	for _, footer := range a.Footers {
		if strings.Contains(change.Body, footer) {
			found("body", footer, Weak)
		}
	}
}
