package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// validators pairs old validators with new ones: equal ones first, then those of one kind in order. What is
// left over is dropped.
func (d *differ) validators(old, next []Validator) {
	used := make([]bool, len(next))
	paired := make([]bool, len(old))
	find := func(same func(o, n Validator) bool, use func(o, n Validator)) {
		for i, o := range old {
			for j, n := range next {
				if !paired[i] && !used[j] && same(o, n) {
					paired[i], used[j] = true, true
					use(o, n)
				}
			}
		}
	}
	find(func(o, n Validator) bool { return o.Kind == n.Kind && bytes.Equal(o.Params, n.Params) }, func(_, _ Validator) {})
	find(func(o, n Validator) bool { return o.Kind == n.Kind }, func(o, n Validator) {
		d.params("validators."+o.Kind, o.Params, n.Params)
	})
	for i, o := range old {
		if !paired[i] {
			d.say("validators."+o.Kind, "the validator %s is dropped", clip(o.Kind+" "+string(o.Params)))
		}
	}
}

// fewer names, in every kind, the lists whose entries are all asked for; more of the lists whose entries are all let through.
func asksForEach(key string) bool  { return key == "must_pass" || key == "tests" }
func letsEachPass(key string) bool { return key == "ignore" }

// lenient reports whether a truth value of this name asks for less when it is true; strict is the opposite.
func lenient(key string) bool {
	return strings.HasPrefix(key, "allow_") || key == "count_errors" || key == "new_failures_only"
}
func strict(key string) bool { return key == "keep_tests" || key == "same_artifact" }

// absent is what a bound means where the contract does not write it.
func absent(key string) (n int64, bounded bool) {
	switch key {
	case "max_failed", "max_errors":
		return 0, true
	case "min", "min_executed":
		return 1, true
	}
	return 0, strings.HasPrefix(key, "min")
}

// params compares parameters by what their names mean in every kind. A change that has no such meaning is
// named too: nobody can tell that it asks for as much.
func (d *differ) params(prefix string, oldJSON, nextJSON json.RawMessage) {
	var old, next map[string]json.RawMessage
	if json.Unmarshal(oldJSON, &old) != nil || json.Unmarshal(nextJSON, &next) != nil {
		d.say(prefix, "%s is judged in another way", prefix)
		return
	}
	keys := make([]string, 0, len(old)+len(next))
	for key := range old {
		keys = append(keys, key)
	}
	for key := range next {
		if _, ok := old[key]; !ok {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	for _, key := range keys {
		if !bytes.Equal(old[key], next[key]) {
			d.param(prefix+"."+key, key, old[key], next[key])
		}
	}
}

// param compares one parameter; nil is one that is not written.
func (d *differ) param(path, key string, old, next json.RawMessage) {
	switch {
	case strings.HasPrefix(key, "min") || strings.HasPrefix(key, "max"):
		d.bound(path, key, old, next)
	case lenient(key):
		if truth(next) && !truth(old) {
			d.say(path, "%s is turned on", path)
		}
	case strict(key):
		if truth(old) && !truth(next) {
			d.say(path, "%s is turned off", path)
		}
	case key == "scale": // what a least score means goes with it; left out it is 1
		d.say(path, "%s is %s instead of %s", path, orOne(next), orOne(old))
	case asksForEach(key) && old != nil && next == nil:
		d.say(path, "%s is dropped; it was %s", path, clip(string(old)))
	case asksForEach(key):
		d.lost(path, list(old), list(next))
	case letsEachPass(key):
		d.gained(path, list(old), list(next))
	case old == nil: // one more condition
	case next == nil:
		d.say(path, "%s is dropped; it was %s", path, clip(string(old)))
	default:
		d.say(path, "%s is %s instead of %s", path, clip(string(next)), clip(string(old)))
	}
}

func (d *differ) bound(path, key string, old, next json.RawMessage) {
	from, to := bounded(key, old), bounded(key, next)
	switch {
	case from == nil:
	case to == nil:
		d.say(path, "%s is dropped; it was %s", path, shown(from))
	case strings.HasPrefix(key, "min") && to.Cmp(from) < 0, strings.HasPrefix(key, "max") && to.Cmp(from) > 0:
		d.say(path, "%s goes from %s to %s", path, shown(from), shown(to))
	}
}

// bounded is a bound, written or implied, exactly; nil is none.
func bounded(key string, raw json.RawMessage) *big.Rat {
	// A number of the contract has passed its schema: its exponent is as small as its value.
	if n, ok := new(big.Rat).SetString(string(raw)); ok && raw != nil {
		return n
	}
	n, known := absent(key)
	if !known {
		return nil
	}
	return big.NewRat(n, 1)
}

// shown is a bound as contracts write it.
func shown(n *big.Rat) string {
	if n.IsInt() {
		return n.RatString()
	}
	return strings.TrimRight(n.FloatString(maxShownPlaces), "0")
}

// maxShownPlaces is how many decimals of a bound are shown; the language has at most four.
const maxShownPlaces = 9

func orOne(raw json.RawMessage) string {
	if raw == nil {
		return "1"
	}
	return clip(string(raw))
}

func truth(raw json.RawMessage) bool {
	var b bool
	return json.Unmarshal(raw, &b) == nil && b
}

// list is a list of texts, or one text; other entries are shown as they are written.
func list(raw json.RawMessage) []string {
	var items []any
	if json.Unmarshal(raw, &items) != nil {
		var one string
		if json.Unmarshal(raw, &one) != nil {
			return nil
		}
		return []string{one}
	}
	out := make([]string, len(items))
	for i, item := range items {
		out[i] = fmt.Sprint(item)
	}
	return out
}
