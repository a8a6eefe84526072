package collect

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/evidence"
)

// ParseSteps reads toJSON(steps) of a workflow. Outputs are dropped here: they are text of the job. A member
// that occurs twice, or in another case than the runner writes it, is an error: it would be read in two ways.
func ParseSteps(data []byte) (map[string]evidence.Step, error) {
	out := map[string]evidence.Step{}
	err := contextEntries(data, "step", func(id string, m map[string]json.RawMessage) error {
		var s evidence.Step
		for name, dst := range map[string]*string{"outcome": &s.Outcome, "conclusion": &s.Conclusion} {
			if raw, ok := m[name]; ok && string(raw) != "null" {
				if err := json.Unmarshal(raw, dst); err != nil {
					return fmt.Errorf("%s of step %q is not a string", name, id)
				}
			}
		}
		out[id] = s
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// ParseNeeds reads toJSON(needs) of a workflow, without outputs.
func ParseNeeds(data []byte) (map[string]evidence.Job, error) {
	out := map[string]evidence.Job{}
	err := contextEntries(data, "job", func(id string, m map[string]json.RawMessage) error {
		j := evidence.Job{Source: "needs"}
		raw, ok := m["result"]
		if !ok || string(raw) == "null" {
			return fmt.Errorf("job %q has no result", id)
		}
		if err := json.Unmarshal(raw, &j.Result); err != nil {
			return fmt.Errorf("result of job %q is not a string", id)
		}
		out[id] = j
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// contextEntries walks an object of objects as the runner writes its contexts.
func contextEntries(data []byte, what string, entry func(id string, members map[string]json.RawMessage) error) error {
	d := json.NewDecoder(bytes.NewReader(data))
	ids, values, err := objectMembers(d)
	if err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows its JSON value")
	}
	for i, id := range ids {
		names, raws, err := objectMembers(json.NewDecoder(bytes.NewReader(values[i])))
		if err != nil {
			return fmt.Errorf("%s %q: %w", what, id, err)
		}
		members := map[string]json.RawMessage{}
		for k, name := range names {
			if lower := strings.ToLower(name); lower != name && (lower == "outcome" || lower == "conclusion" || lower == "result") {
				return fmt.Errorf("%s %q: member %q is not as the runner writes it", what, id, name)
			}
			members[name] = raws[k]
		}
		if err := entry(id, members); err != nil {
			return err
		}
	}
	return nil
}

// objectMembers reads one JSON object in order, and refuses members that occur twice.
func objectMembers(d *json.Decoder) (names []string, values []json.RawMessage, err error) {
	t, err := d.Token()
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, nil, errors.New("it ends before its JSON value does")
	case err != nil:
		return nil, nil, fmt.Errorf("it is not JSON: %w", err)
	case t != json.Delim('{'):
		return nil, nil, errors.New("it is not a JSON object")
	}
	seen := map[string]bool{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, nil, fmt.Errorf("it is not JSON: %w", err)
		}
		name, _ := t.(string) // the decoder hands out strings only, where a name belongs
		if seen[name] {
			return nil, nil, fmt.Errorf("member %q occurs twice", name)
		}
		seen[name] = true
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return nil, nil, fmt.Errorf("it is not JSON: %w", err)
		}
		names, values = append(names, name), append(values, raw)
	}
	if _, err := d.Token(); err != nil {
		return nil, nil, errors.New("it ends before its JSON value does")
	}
	return names, values, nil
}
