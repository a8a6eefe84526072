package receipt

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sort"
	"strconv"
)

// Difference is the first place where a recorded receipt and its replay differ.
type Difference struct {
	At       string `json:"at"` // path of the member, like outcomes[0].state
	Recorded string `json:"recorded"`
	Replayed string `json:"replayed"`
}

// Replay draws every conclusion anew from the facts of r and compares. It returns nil when record and replay
// are equal, digest included. r is not changed.
func Replay(r *Receipt) (*Difference, error) {
	want, err := r.Bytes()
	if err != nil {
		return nil, fmt.Errorf("replay: %w", err)
	}
	var again Receipt
	if err := json.Unmarshal(want, &again); err != nil {
		return nil, fmt.Errorf("replay: %w", err)
	}
	if err := again.Complete(); err != nil {
		return nil, fmt.Errorf("replay: %w", err)
	}
	got, err := again.Bytes()
	if err != nil {
		return nil, fmt.Errorf("replay: %w", err)
	}
	if bytes.Equal(want, got) {
		return nil, nil //nolint:nilnil // no difference and no error is the answer "equal"
	}
	at := firstDifference(want, got)
	return &Difference{At: at, Recorded: valueAt(want, at), Replayed: valueAt(got, at)}, nil
}

// firstDifference names the first member that differs between two JSON values: causes before conclusions, then
// in the order of names. It is "" when they are equal.
func firstDifference(a, b []byte) string {
	return differ("", decode(a), decode(b))
}

func decode(data []byte) any {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil
	}
	return v
}

func differ(at string, a, b any) string {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok {
			return orRoot(at)
		}
		return differMembers(at, x, y)
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return orRoot(at)
		}
		for i := range x {
			if d := differ(at+"["+strconv.Itoa(i)+"]", x[i], y[i]); d != "" {
				return d
			}
		}
		return ""
	}
	switch b.(type) {
	case map[string]any, []any:
		return orRoot(at)
	}
	if a != b {
		return orRoot(at)
	}
	return ""
}

func differMembers(at string, x, y map[string]any) string {
	names := make([]string, 0, len(x)+len(y))
	for n := range x {
		names = append(names, n)
	}
	for n := range y {
		if _, ok := x[n]; !ok {
			names = append(names, n)
		}
	}
	sort.Slice(names, func(i, j int) bool {
		if a, b := order(names[i], x, y), order(names[j], x, y); a != b {
			return a < b
		}
		return names[i] < names[j]
	})
	for _, n := range names {
		p := n
		if at != "" {
			p = at + "." + n
		}
		xv, inX := x[n]
		yv, inY := y[n]
		if inX != inY {
			return p
		}
		if d := differ(p, xv, yv); d != "" {
			return d
		}
	}
	return ""
}

// order puts what causes before what follows from it: members with members of their own first, the digest last.
func order(name string, x, y map[string]any) int {
	if name == "digest" {
		return 2
	}
	for _, v := range []any{x[name], y[name]} {
		switch v.(type) {
		case map[string]any, []any:
			return 0
		}
	}
	return 1
}

func orRoot(at string) string {
	if at == "" {
		return "the whole"
	}
	return at
}

// shownValue bounds how much of a differing value is shown.
const shownValue = 200

// valueAt prints the value at a path that differ named, bounded; "absent" where there is none.
func valueAt(data []byte, at string) string {
	v, ok := step(decode(data), at)
	if !ok {
		return "absent"
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return "unprintable"
	}
	if len(raw) > shownValue {
		return string(raw[:shownValue]) + "..."
	}
	return string(raw)
}

// step follows a path like outcomes[0].state.
func step(v any, at string) (any, bool) {
	for at != "" {
		if at[0] == '.' {
			at = at[1:]
		}
		if at[0] == '[' {
			end := bytes.IndexByte([]byte(at), ']')
			i, err := strconv.Atoi(at[1:end])
			list, ok := v.([]any)
			if err != nil || !ok || i >= len(list) {
				return nil, false
			}
			v, at = list[i], at[end+1:]
			continue
		}
		end := bytes.IndexAny([]byte(at), ".[")
		if end < 0 {
			end = len(at)
		}
		m, ok := v.(map[string]any)
		if !ok {
			return nil, false
		}
		if v, ok = m[at[:end]]; !ok {
			return nil, false
		}
		at = at[end:]
	}
	return v, true
}
