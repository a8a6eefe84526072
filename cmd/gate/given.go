package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// givenFlags refuses a flag that is given without a value, or with a list that has an empty place: most often a variable
// that is not set. Taken for a flag that is not given, it would quietly ask for less.
func givenFlags(c *cobra.Command, _ []string) error {
	empty := ""
	c.Flags().Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		switch list := f.Value.(type) {
		case pflag.SliceValue:
			if values = list.GetSlice(); len(values) == 0 {
				values = []string{""}
			}
		default:
			if f.Value.Type() != "string" {
				return
			}
		}
		for _, v := range values {
			if empty == "" && strings.TrimSpace(v) == "" {
				empty = f.Name
			}
		}
	})
	if empty == "" {
		return nil
	}
	return usageError("leave the flag out, or give it a value", "%s: --%s is given and has no value", c.CommandPath(), empty)
}
