package conformance_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/outcome-gate/outcome-gate/internal/conformance"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
)

// unreachable are the reasons that no scenario can lead to yet, with what they wait for.
func unreachable() map[string]string {
	return map[string]string{}
}

// threatRows are the rows of the table of threats that a gate without the service, which posts nothing, can meet.
func threatRows() []int {
	return []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 18, 20, 21, 23, 25, 26}
}

// seen gathers what the scenarios reached. It is safe for concurrent use.
type seen struct {
	mu      sync.Mutex
	states  map[string]bool
	reasons map[string]bool
	threats map[int]bool
}

func newSeen() *seen {
	return &seen{states: map[string]bool{}, reasons: map[string]bool{}, threats: map[int]bool{}}
}

func (s *seen) add(r *conformance.Result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, state := range r.Answer.States {
		s.states[state] = true
	}
	s.reasons[r.Answer.Reason], s.reasons[r.Answer.Report] = true, true
	for _, row := range r.Want.Threats {
		s.threats[row] = true
	}
}

// check holds what was reached against all that there is.
func (s *seen) check(t *testing.T) {
	t.Helper()
	for _, state := range evidence.States() {
		if !s.states[string(state)] {
			t.Errorf("no scenario leads to the state %s", state)
		}
	}
	if !s.states["not_expected"] {
		t.Error("no scenario leads to an outcome that is not expected")
	}
	for _, reason := range reasons(t) {
		why, excused := unreachable()[reason]
		switch {
		case !s.reasons[reason] && !excused:
			t.Errorf("no scenario leads to the reason %s", reason)
		case s.reasons[reason] && excused:
			t.Errorf("%s is reached: it waits no longer for %s", reason, why)
		}
	}
	for _, row := range threatRows() {
		if !s.threats[row] {
			t.Errorf("no scenario shows that threat %d is met", row)
		}
	}
}

// reasons reads the names of all reasons from the source that declares them.
func reasons(t *testing.T) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "verdict", "verdict.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if kind, ok := spec.Type.(*ast.Ident); !ok || kind.Name != "Reason" {
			return true
		}
		for _, v := range spec.Values {
			if lit, ok := v.(*ast.BasicLit); ok {
				if name, err := strconv.Unquote(lit.Value); err == nil {
					found[name] = true
				}
			}
		}
		return true
	})
	if len(found) < 20 {
		t.Fatalf("only %d reasons are declared where they were looked for", len(found))
	}
	return slices.Sorted(maps.Keys(found))
}
