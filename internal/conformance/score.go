package conformance

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Grade is how an answer compares with the right one.
type Grade string

// The grades. All but Right and Inexpressible are wrong; the three that have a name of their own are the costly ones.
const (
	Right         Grade = "ok"
	LiePassed     Grade = "lie passed"
	HonestBlocked Grade = "honest blocked"
	WaitPassed    Grade = "wait passed"
	OtherGate     Grade = "another gate"
	OtherStates   Grade = "another state"
	OtherNames    Grade = "another name"
	SideEffect    Grade = "side effect"
	Inexpressible Grade = "not expressible"
	Broken        Grade = "broken" // the scenario could not be run at all
)

// Answer is what the gate said, in the words that scenarios use.
type Answer struct {
	Gate    string // pass, block or wait
	States  map[string]string
	Verdict string
	Reason  string
	Report  string // reason of the report's class
	Codes   map[string]string
	Weakens []string // direction and key
	Next    string
	Retry   bool
}

// gateScore is a result in the scenarios' words: an error blocks.
func gateScore(result string) string {
	if result == "error" {
		return "block"
	}
	return result
}

// grade compares an answer with the expectation: the gate first, then the states, then the product's own names. The
// text says what differs.
func (e *Expected) grade(a *Answer) (Grade, string) {
	if !slices.Contains(e.gates(), a.Gate) {
		return e.wrongGate(a.Gate), fmt.Sprintf("gate is %s", a.Gate)
	}
	if text := e.otherStates(a.States); text != "" {
		return OtherStates, text
	}
	if text := e.otherNames(a); text != "" {
		return OtherNames, text
	}
	return Right, ""
}

// gates are the right answers. A neutral one is met by a pass where the contract does not apply, else by not passing.
func (e *Expected) gates() []string {
	out := append([]string{e.Gate}, e.AcceptableGate...)
	if e.Gate == "neutral" {
		if e.Class == "not_applicable" {
			return append(out, "pass")
		}
		return append(out, "wait", "block")
	}
	return out
}

// wrongGate names a wrong answer by its cost.
func (e *Expected) wrongGate(got string) Grade {
	switch {
	case got == "pass" && e.Gate == "wait":
		return WaitPassed
	case got == "pass":
		return LiePassed
	case got == "block" && (e.Gate == "pass" || slices.Contains(e.WrongGate, got)):
		return HonestBlocked
	case slices.Contains(e.WrongGate, got):
		return HonestBlocked
	}
	return OtherGate
}

// otherStates names the outcomes whose state is none of the right ones. An outcome with acceptable states only may
// also be absent.
func (e *Expected) otherStates(got map[string]string) string {
	var wrong []string
	for _, id := range slices.Sorted(maps.Keys(e.States)) {
		right := append([]string{e.States[id]}, e.AcceptableStates[id]...)
		if !holds(right, got[id]) {
			wrong = append(wrong, fmt.Sprintf("%s is %q, want %s", id, got[id], strings.Join(right, " or ")))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(e.AcceptableStates)) {
		state, judged := got[id]
		if _, listed := e.States[id]; !listed && judged && !holds(e.AcceptableStates[id], state) {
			wrong = append(wrong, fmt.Sprintf("%s is %q, want %s", id, state, strings.Join(e.AcceptableStates[id], " or ")))
		}
	}
	return strings.Join(wrong, "; ")
}

// holds reports whether a state is one of the right ones. Scenarios may call an outcome that is not expected of the
// change not applicable.
func holds(right []string, state string) bool {
	return slices.Contains(right, state) || state == "not_expected" && slices.Contains(right, "not_applicable")
}

// otherNames compares the product's own names, where the scenario gives them.
func (e *Expected) otherNames(a *Answer) string {
	var wrong []string
	for _, pair := range []struct{ what, want, got string }{
		{"verdict", e.ProductVerdict, a.Verdict}, {"reason", e.ProductReason, a.Reason},
		{"report", e.ProductReport, a.Report}, {"next", e.ProductNext, a.Next},
	} {
		if pair.want != "" && pair.want != pair.got {
			wrong = append(wrong, fmt.Sprintf("%s is %s, want %s", pair.what, pair.got, pair.want))
		}
	}
	if e.ProductRetry != nil && *e.ProductRetry != a.Retry {
		wrong = append(wrong, fmt.Sprintf("may_retry is %t", a.Retry))
	}
	if e.ProductWeakens != nil && !slices.Equal(e.ProductWeakens, a.Weakens) {
		wrong = append(wrong, fmt.Sprintf("the contract's change is said to be %q, want %q", a.Weakens, e.ProductWeakens))
	}
	for _, id := range slices.Sorted(maps.Keys(e.ProductCodes)) {
		if a.Codes[id] != e.ProductCodes[id] {
			wrong = append(wrong, fmt.Sprintf("%s has code %s, want %s", id, a.Codes[id], e.ProductCodes[id]))
		}
	}
	return strings.Join(wrong, "; ")
}
