package contract

import (
	"slices"
	"strings"
)

// DefaultPaths are the places of a contract, the usual one first.
func DefaultPaths() []string {
	return []string{".github/outcome-contract.yml", ".github/outcome-contract.yaml", ".github/outcome-contract.json"}
}

// Choose picks the contract among the paths that exist on the trusted branch. Paths that are not in
// DefaultPaths are passed over. The path is "" if there is none; more than one is a mistake, never a choice.
func Choose(found []string) (path string, problems Problems) {
	var present []string
	for _, p := range DefaultPaths() {
		if slices.Contains(found, p) {
			present = append(present, p)
		}
	}
	if len(present) == 0 {
		return "", nil
	}
	if len(present) == 1 {
		return present[0], nil
	}
	return "", Problems{{
		File: present[0], Line: 1, Col: 1, Code: CodeAmbiguous,
		Message: "there are several contracts: " + strings.Join(present, " and "),
		Hint:    "Keep one, or name one in the `contract` input.",
	}}
}
