package main

import (
	"github.com/spf13/cobra"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/gate"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/render"
	"github.com/outcome-gate/outcome-gate/internal/report"
)

func schemaCommand(m *outside) *cobra.Command {
	c := &cobra.Command{
		Use:     "schema",
		Short:   "Print a published JSON Schema (draft 2020-12)",
		Example: "  gate schema contract > contract.schema.json",
		Args:    cobra.ArbitraryArgs,
		RunE:    group,
	}
	for _, s := range []struct {
		name, short string
		schema      func() []byte
	}{
		{"contract", "Print the schema of outcome contracts", func() []byte { return contract.Schema(gate.ContractKinds()) }},
		{"problem", "Print the schema of answers as problem documents", render.ProblemSchema},
		{"receipt", "Print the schema of receipts", receipt.SchemaJSON},
		{"report", "Print the schema of an agent's report", report.Schema},
	} {
		c.AddCommand(&cobra.Command{
			Use: s.name, Short: s.short, Args: takes(0, 0, ""),
			Example: "  gate schema " + s.name + " > " + s.name + ".schema.json",
			RunE: func(*cobra.Command, []string) error {
				b := s.schema()
				if len(b) > 0 && b[len(b)-1] != '\n' {
					b = append(b, '\n')
				}
				return m.write(b)
			},
		})
	}
	return c
}
