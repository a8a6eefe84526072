package conformance

import (
	"context"
	"fmt"

	"github.com/outcome-gate/outcome-gate/internal/collect"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
)

// look is what an address answers, without a network: as internal/fetch would say it.
func (w *world) look(_ context.Context, a collect.Address) collect.Answer {
	switch served, ok := w.s.Run.Addresses[a.URL]; {
	case !ok:
		return collect.Answer{Code: evidence.CodeAddressUnreachable, Detail: "its host has no address"}
	case served.Status != a.Status:
		return collect.Answer{Code: evidence.CodeAddressStatus, Detail: fmt.Sprintf("it answers with status %d, expected %d", served.Status, a.Status)}
	default:
		return collect.Answer{Body: []byte(served.Body)}
	}
}
