package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/outcome-gate/outcome-gate/internal/claims"
	"github.com/outcome-gate/outcome-gate/internal/local"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/render"
	"github.com/outcome-gate/outcome-gate/internal/report"
)

// claimsAnswer is the answer of gate claims.
type claimsAnswer struct {
	Claims []claims.Claim `json:"claims"`
	// Unread is how many claims and paragraphs were over the limits.
	Unread     int    `json:"unread"`
	Receipt    string `json:"receipt,omitempty"` // digest of the receipt whose observations they were compared with
	Overstates bool   `json:"overstates"`
}

func claimsCommand(m *outside) *cobra.Command {
	var format, against string
	c := &cobra.Command{
		Use:   "claims [FILE|-]",
		Short: "Find what a text claims of tests, commands and files",
		Long: `claims finds what a report or any other text claims, as Markdown shows it: counts of tests, that all tests pass, how
commands ended, and what it admits was not run. Negations, plans, conditions, questions, quotations and code are no
claims.

With --receipt each claim is compared with what that receipt holds: confirmed, contradicted or not_observed. Without it
nothing was observed.

Exit codes: 0 done, 1 a claim says more than was observed, 2 usage or no receipt, 3 could not read.`,
		Example: `  gate claims report.md
  gate claims --format text - < report.md
  gate claims --receipt receipt.json report.md`,
		Args: takes(0, 1, ""),
		RunE: func(_ *cobra.Command, args []string) error {
			path := "-"
			if len(args) == 1 {
				path = args[0]
			}
			return m.claims(path, against, format)
		},
	}
	c.Flags().StringVar(&against, "receipt", "", "compare with what the receipt in `FILE` holds")
	formatFlag(c, &format, "json", "text")
	return c
}

func (m *outside) claims(path, against, format string) error {
	observed := &claims.Observed{}
	out := claimsAnswer{}
	if against != "" {
		r, err := m.soundReceipt(against)
		if err != nil {
			return err
		}
		observed, out.Receipt = r.Observed(), r.Digest
	}
	text, err := m.readReport(path)
	if err != nil {
		return err
	}
	reading := report.Read([]report.Text{{Carrier: "input", Body: string(text)}}, report.Options{})
	var prose []string
	if reading.Wrapper == "" {
		prose = append(prose, string(text))
	}
	found := claims.Find(&reading, prose)
	out.Claims, out.Unread = append([]claims.Claim{}, found.Claims...), found.Unread
	out.Overstates = claims.Judge(out.Claims, observed)
	if format == "json" {
		err = m.writeJSON(out)
	} else {
		err = m.write([]byte(claimsText(&out)))
	}
	if err == nil && out.Overstates {
		return answer(exitFound)
	}
	return err
}

// soundReceipt reads a receipt whose conclusions follow from its facts.
func (m *outside) soundReceipt(path string) (*receipt.Receipt, error) {
	data, err := local.ReadFile("receipt", m.path(path), local.MaxReceipt)
	if err != nil {
		return nil, err
	}
	r, err := receipt.Parse(data)
	if err != nil {
		return nil, usageError("a receipt is what gate check --receipt FILE writes", "%s: %w", path, err)
	}
	diff, err := receipt.Replay(r)
	if err != nil {
		return nil, err
	}
	if diff != nil {
		return nil, usageError("gate replay says how it differs", "%s: the receipt does not follow from its facts: %s", path, diff.At)
	}
	return r, nil
}

func claimsText(a *claimsAnswer) string {
	if len(a.Claims) == 0 && a.Unread == 0 {
		return "nothing is claimed\n"
	}
	rows := [][]string{{"RESULT", "KIND", "FROM", "CLAIM", "OBSERVED"}}
	for i := range a.Claims {
		c := &a.Claims[i]
		result := string(c.Result)
		if c.Overstates {
			result += ", claims more"
		}
		rows = append(rows, []string{result, string(c.Kind), string(c.From), c.Text, c.Detail})
	}
	text := render.Table(rows)
	if a.Unread > 0 {
		text += fmt.Sprintf("  and %s over the limits, not looked at\n", render.Many(a.Unread, "claim or long paragraph"))
	}
	return text
}
