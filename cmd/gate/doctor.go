package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/outcome-gate/outcome-gate/internal/doctor"
	"github.com/outcome-gate/outcome-gate/internal/render"
)

// ownAction is how workflows name the gate, unless --action says otherwise.
const ownAction = "outcome-gate/outcome-gate"

// doctorFlags are the flags of gate doctor.
type doctorFlags struct {
	workspace, action, format     string
	repository, tokenFile, apiURL string
	ignore                        []string
}

// doctorAnswer is the answer of gate doctor.
type doctorAnswer struct {
	Findings    []doctor.Finding `json:"findings"`
	Ignored     int              `json:"ignored"`       // findings that --ignore left out
	Workflows   int              `json:"workflows"`     // files that were looked at
	NotLookedAt []string         `json:"not_looked_at"` // what would need a token, or more of one
}

func doctorCommand(m *outside) *cobra.Command {
	var f doctorFlags
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Find what lets a change around the gate",
		Long: `doctor reads the workflow files, the contract and the CODEOWNERS file of a checkout, and finds what lets a change
around the gate or keeps the gate from working: each with its place and what to do. It changes nothing.

With a token and the repository's name it also asks GitHub what is required on the default branch and what the
settings are. The token is that of GITHUB_TOKEN or --token-file; to read rules, any token that reads the repository
will do, and for settings it has to be an administrator's.

Exit codes: 0 nothing found; 1 findings; 2 usage; 3 could not look.`,
		Example: `  gate doctor
  gate doctor --repository acme/shop --token-file token.txt
  gate doctor --ignore observe-mode,no-receipt-upload --format json`,
		Args: takes(0, 0, ""),
		RunE: func(c *cobra.Command, _ []string) error { return m.doctor(c.Context(), &f) },
	}
	fl := c.Flags()
	fl.StringVar(&f.workspace, "workspace", "", "`DIR` with the checkout, the root of the repository (default the top folder of the repository that this folder lies in, else this folder)")
	fl.StringVar(&f.action, "action", ownAction, "the action by which workflows use the gate, `OWNER/NAME`")
	fl.StringVar(&f.repository, "repository", "", "ask GitHub about this repository, `OWNER/NAME` (default $GITHUB_REPOSITORY)")
	fl.StringVar(&f.tokenFile, "token-file", "", "`FILE` with the token to ask with (default $GITHUB_TOKEN)")
	fl.StringVar(&f.apiURL, "api-url", "", "`URL` of the API (default $GITHUB_API_URL, else that of github.com)")
	fl.StringSliceVar(&f.ignore, "ignore", nil, "leave out findings of these codes, `CODE,...`")
	formatFlag(c, &f.format, "text", "json")
	return c
}

// doctor is gate doctor. What files show is told even where GitHub could not be asked.
func (m *outside) doctor(ctx context.Context, f *doctorFlags) error {
	ignored, err := ignoredCodes(f.ignore)
	if err != nil {
		return err
	}
	facts, err := doctorFacts(m.workspace(f.workspace), cmp.Or(f.workspace, "."))
	if err != nil {
		return err
	}
	facts.Action = f.action
	client, err := m.doctorClient(f)
	if err != nil {
		return err
	}
	out := doctorAnswer{Findings: []doctor.Finding{}, Workflows: len(facts.Workflows), NotLookedAt: []string{}}
	var asked error
	if client == nil {
		out.NotLookedAt = append(out.NotLookedAt, "rules and settings: no token or no repository was given")
	} else {
		done := m.progress("asking GitHub")
		facts.Service, out.NotLookedAt, asked = askService(ctx, client)
		done()
	}
	for _, found := range doctor.Check(*facts) {
		if slices.Contains(ignored, found.Code) {
			out.Ignored++
			continue
		}
		out.Findings = append(out.Findings, found)
	}
	if f.format == "json" {
		err = m.writeJSON(out)
	} else {
		err = m.showDoctor(&out)
	}
	switch {
	case err != nil:
		return err
	case asked != nil:
		return asked
	case len(out.Findings) > 0:
		return answer(exitFound)
	}
	return nil
}

// ignoredCodes are the codes to leave out, in full. One that is no code would hide nothing, and say nothing.
func ignoredCodes(given []string) ([]string, error) {
	var known, out []string
	for _, c := range doctor.Codes() {
		known = append(known, strings.TrimPrefix(c.Code, "doctor/"))
	}
	for _, g := range given {
		name := strings.TrimPrefix(g, "doctor/")
		if !slices.Contains(known, name) {
			hint := "the codes are listed in docs/doctor.md"
			if near := nearest(name, known); near != "" {
				hint = "did you mean: --ignore " + near
			}
			return nil, usageError(hint, "gate doctor: there is no code %q", g)
		}
		out = append(out, "doctor/"+name)
	}
	return out, nil
}

// showDoctor writes the findings as a table, and behind it once for each code what to do.
func (m *outside) showDoctor(a *doctorAnswer) error {
	var b strings.Builder
	if len(a.Findings) > 0 {
		rows := [][]string{{"SEVERITY", "PLACE", "CODE", "WHAT IS THERE"}}
		count := map[doctor.Severity]int{}
		for _, f := range a.Findings {
			count[f.Severity]++
			rows = append(rows, []string{string(f.Severity), f.Place(), f.Code, f.Message})
		}
		b.WriteString(render.Table(rows))
		m.showFixes(&b, a.Findings)
		fmt.Fprintf(&b, "\n%s, %s, %d advice", render.Many(count[doctor.Mistake], "error"), render.Many(count[doctor.Warning], "warning"), count[doctor.Advice])
	} else {
		fmt.Fprintf(&b, "Nothing found in %s", render.Many(a.Workflows, "workflow file"))
	}
	if a.Ignored > 0 {
		fmt.Fprintf(&b, ", %d ignored", a.Ignored)
	}
	b.WriteString(".\n")
	for _, what := range a.NotLookedAt {
		b.WriteString("Not looked at: " + render.Line(what) + ".\n")
	}
	return m.write([]byte(b.String()))
}

// showFixes writes for each code that was found what it means and what to do.
func (m *outside) showFixes(b *strings.Builder, found []doctor.Finding) {
	for _, c := range doctor.Codes() {
		if !slices.ContainsFunc(found, func(f doctor.Finding) bool { return f.Code == c.Code }) {
			continue
		}
		fmt.Fprintf(b, "\n%s: %s\n    %s\n", c.Code, c.Meaning, c.Fix)
		if c.Snippet != "" {
			b.WriteString("\n        " + strings.ReplaceAll(c.Snippet, "\n", "\n        ") + "\n")
		}
	}
}
