package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/outcome-gate/outcome-gate/internal/scope"
)

// agentAnswer is one known agent with its marks.
type agentAnswer struct {
	Name         string   `json:"name"`
	Title        string   `json:"title"`
	Authors      []string `json:"authors"` // login/type, set by the hosting service
	CommitLogins []string `json:"commit_logins"`
	Emails       []string `json:"emails"`
	TrailerKeys  []string `json:"trailer_keys"`
	HeadBranches []string `json:"head_branches"`
	Labels       []string `json:"labels"`
	Footers      []string `json:"footers"`
}

func agentsCommand(m *outside) *cobra.Command {
	var format string
	c := &cobra.Command{
		Use:   "agents",
		Short: "List the known coding agents and their marks",
		Long: `agents lists the coding agents that applies_to.agents knows, and the marks by which pull requests of each are
known. Only the author is set by the hosting service; every other mark can be left out by the author of a change.`,
		Example: `  gate agents
  gate agents --format json`,
		Args: takes(0, 0, ""),
		RunE: func(*cobra.Command, []string) error { return m.agents(format) },
	}
	formatFlag(c, &format, "text", "json")
	return c
}

func (m *outside) agents(format string) error {
	var all []agentAnswer
	for _, a := range scope.Agents() {
		out := agentAnswer{
			Name: a.Name, Title: a.Title, Authors: []string{}, CommitLogins: append([]string{}, a.CommitLogins...),
			Emails: append([]string{}, a.Emails...), TrailerKeys: append([]string{}, a.TrailerKeys...),
			HeadBranches: append([]string{}, a.HeadBranches...), Labels: append([]string{}, a.Labels...),
			Footers: append([]string{}, a.Footers...),
		}
		for _, l := range a.Logins {
			out.Authors = append(out.Authors, l.Login+"/"+l.Type)
		}
		all = append(all, out)
	}
	if format == "json" {
		return m.writeJSON(all)
	}
	rows := [][]string{{"AGENT", "MARK", "VALUES"}}
	for _, a := range all {
		name := a.Name
		for _, k := range []struct {
			mark   string
			values []string
		}{
			{"author", a.Authors}, {"commit login", a.CommitLogins}, {"commit e-mail", a.Emails}, {"commit trailer", a.TrailerKeys},
			{"head branch", a.HeadBranches}, {"label", a.Labels}, {"body", a.Footers},
		} {
			if len(k.values) > 0 {
				rows = append(rows, []string{name, k.mark, strings.Join(k.values, ", ")})
				name = ""
			}
		}
	}
	return m.table(rows)
}
