package gate

import (
	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
)

// ContractKinds is what the contract language needs to know of the validator kinds.
func ContractKinds() []contract.Kind {
	kinds := evidence.Kinds()
	out := make([]contract.Kind, len(kinds))
	for i, k := range kinds {
		out[i] = contract.Kind{
			Name: k.Name, Short: k.Short, Schema: k.Schema, Later: k.Later,
			NeedsArtifact: k.NeedsArtifact, Deterministic: k.Deterministic,
		}
	}
	return out
}
