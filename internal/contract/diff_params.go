package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
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
		d.params(o.Kind, o.Params, n.Params)
	})
	for i, o := range old {
		if !paired[i] {
			d.weaker("validators."+o.Kind, "the validator %s is dropped", clip(o.Kind+" "+string(o.Params)))
		}
	}
}

// meaning is what a parameter does to what is asked for.
type meaning int

const (
	anything  meaning = iota // any change of it asks for something else
	least                    // a bound from below, or
	most                     // from above
	lenient                  // a truth value that lets more through
	strict                   // a truth value that asks for more
	demands                  // a list, each of whose entries is asked for
	lets                     // a list, each of whose entries lets more through
	anyOf                    // a list of which one is enough; without it everything is
	condition                // one condition more, where it is written
	pinned                   // who has to have made it: without it less is asked for, with it something else
	further                  // further files, and the tier that they are accepted at
)

// parameter is what a parameter means, and its bound where it is not written, nil for none.
type parameter struct {
	means  meaning
	absent *int64
}

func implied(n int64) *int64 { return &n }

// parameters says what each parameter of each kind means. One that is not among them is anything, but for those whose
// name says it in every kind: min..., max... and allow_....
func parameters() map[string]parameter {
	return map[string]parameter{
		"check.app":          {means: pinned},
		"content.equals":     {means: anyOf},
		"coverage.min_lines": {means: least, absent: implied(1)}, "coverage.ignore_files": {means: lets}, "coverage.format": {means: condition},
		"exit_code.command_contains": {means: condition}, "exit_code.same_artifact": {means: strict},
		"fail_to_pass.before": {means: further}, "fail_to_pass.min": {means: least, absent: implied(1)}, "fail_to_pass.tests": {means: demands},
		"fail_to_pass.count_errors": {means: lenient}, "fail_to_pass.format": {means: condition},
		"json_schema.version": {means: condition},
		"judgement.version":   {means: condition}, "judgement.judges": {means: anyOf}, "judgement.judge_not": {means: condition},
		"sarif.max_errors": {means: most, absent: implied(0)}, "sarif.max_notifications": {means: most, absent: implied(0)}, "sarif.new_only": {means: lenient},
		"tests.min_executed": {means: least, absent: implied(1)}, "tests.max_failed": {means: most, absent: implied(0)}, "tests.must_pass": {means: demands},
		"tests.format": {means: condition}, "tests.baseline": {means: further}, "tests.keep_tests": {means: strict}, "tests.ignore": {means: lets},
		"tests.new_failures_only": {means: lenient},
	}
}

func parameterOf(kind, key string) parameter {
	if p, known := parameters()[kind+"."+key]; known {
		return p
	}
	switch {
	case strings.HasPrefix(key, "min"):
		return parameter{means: least}
	case strings.HasPrefix(key, "max"):
		return parameter{means: most}
	case strings.HasPrefix(key, "allow_"):
		return parameter{means: lenient}
	}
	return parameter{}
}

// params compares the parameters of one kind.
func (d *differ) params(kind string, oldJSON, nextJSON json.RawMessage) {
	var old, next map[string]json.RawMessage
	if json.Unmarshal(oldJSON, &old) != nil || json.Unmarshal(nextJSON, &next) != nil {
		d.changed("validators."+kind, "validators.%s is judged in another way", kind)
		return
	}
	// What a score means goes with its scale; left out it is 1.
	rescaled := orOne(old["scale"]) != orOne(next["scale"])
	keys := slices.Concat(slices.Collect(maps.Keys(old)), slices.Collect(maps.Keys(next)))
	slices.Sort(keys)
	another := func(key string) bool { return (old[key] == nil) != (next[key] == nil) }
	if kind == "content" && slices.ContainsFunc([]string{"pointer", "text", "regexp"}, another) { // each stands in another's place
		d.instead("validators.content", oldJSON, nextJSON)
		return
	}
	for _, key := range slices.Compact(keys) {
		path, o, n := "validators."+kind+"."+key, old[key], next[key]
		switch {
		case bytes.Equal(o, n), key == "scale" && !rescaled:
		case key == "scale":
			d.changed(path, "%s is %s instead of %s", path, orOne(n), orOne(o))
		case rescaled && key == "min_score":
			d.changed(path, "%s is %s instead of %s, on another scale", path, clip(string(n)), clip(string(o)))
		default:
			d.param(path, parameterOf(kind, key), o, n)
		}
	}
}

// param compares one parameter; nil is one that is not written.
func (d *differ) param(path string, p parameter, old, next json.RawMessage) {
	switch p.means {
	case least, most:
		d.bound(path, p, old, next)
	case lenient, strict:
		switch on := p.means == lenient; {
		case on && truth(next) && !truth(old):
			d.weaker(path, "%s is turned on", path)
		case !on && truth(old) && !truth(next):
			d.weaker(path, "%s is turned off", path)
		}
	case lets:
		d.gained(path, list(old), list(next))
	case condition, demands, anyOf, further:
		switch {
		case old == nil: // one more condition
		case next == nil:
			d.weaker(path, "%s is dropped; it was %s", path, clip(string(old)))
		case p.means == demands:
			d.lost(path, list(old), list(next))
		case p.means == anyOf:
			d.anyOf(path, old, next)
		case p.means == further:
			d.source(path, old, next)
		default:
			d.instead(path, old, next)
		}
	case pinned:
		if old != nil && next == nil {
			d.weaker(path, "%s is dropped; it was %s", path, clip(string(old)))
			return
		}
		d.instead(path, old, next)
	default:
		d.instead(path, old, next)
	}
}

// instead says that nobody can tell whether the new value asks for as much.
func (d *differ) instead(path string, old, next json.RawMessage) {
	switch {
	case old == nil:
		d.changed(path, "%s is now %s", path, clip(string(next)))
	case next == nil:
		d.changed(path, "%s is dropped; it was %s", path, clip(string(old)))
	default:
		d.changed(path, "%s is %s instead of %s", path, clip(string(next)), clip(string(old)))
	}
}

// anyOf compares lists of which one entry is enough: names, or literal texts under text.
func (d *differ) anyOf(path string, old, next json.RawMessage) {
	o, oText := literal(old)
	n, nText := literal(next)
	if oText != nText {
		d.instead(path, old, next)
		return
	}
	d.gained(path, list(o), list(n))
}

func literal(raw json.RawMessage) (entries json.RawMessage, text bool) {
	var object struct {
		Text json.RawMessage `json:"text"`
	}
	if json.Unmarshal(raw, &object) == nil && object.Text != nil {
		return object.Text, true
	}
	return raw, false
}

// source compares further files: their patterns, and whether what this job made itself is accepted.
func (d *differ) source(path string, old, next json.RawMessage) {
	o, oTrust := filesOf(old)
	n, nTrust := filesOf(next)
	d.ranked(path+".trust", oTrust, nTrust, string(Service), string(Attested), string(Run), string(Commit))
	if !bytes.Equal(o, n) && !slices.Equal(list(o), list(n)) {
		d.changed(path, "%s is %s instead of %s", path, clip(string(n)), clip(string(o)))
	}
}

// filesOf takes further files apart: what they are, as it is written, and the tier, which is service where none is.
func filesOf(raw json.RawMessage) (files json.RawMessage, trust string) {
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) != nil {
		return raw, string(Service)
	}
	if json.Unmarshal(object["trust"], &trust) != nil {
		trust = string(Service)
	}
	delete(object, "trust")
	if only := object["files"]; only != nil && len(object) == 1 {
		return only, trust
	}
	rest, err := json.Marshal(object)
	if err != nil {
		return raw, trust
	}
	return rest, trust
}

func (d *differ) bound(path string, p parameter, old, next json.RawMessage) {
	from, to := bounded(p, old), bounded(p, next)
	switch {
	case from == nil:
	case to == nil:
		d.weaker(path, "%s is dropped; it was %s", path, shown(from))
	case p.means == least && to.Cmp(from) < 0, p.means == most && to.Cmp(from) > 0:
		d.weaker(path, "%s goes from %s to %s", path, shown(from), shown(to))
	}
}

// bounded is a bound, written or implied, exactly; nil is none.
func bounded(p parameter, raw json.RawMessage) *big.Rat {
	// A number of the contract has passed its schema: its exponent is as small as its value.
	if n, ok := new(big.Rat).SetString(string(raw)); ok && raw != nil {
		return n
	}
	if p.absent == nil {
		return nil
	}
	return big.NewRat(*p.absent, 1)
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
