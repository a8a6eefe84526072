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

// Shape names the members of a JSON object that are read, with the shapes of theirs; of a list it is the shape of
// each item. An empty one takes any value as it is.
type Shape map[string]Shape

// maxExactDepth bounds the nesting of shapes that Exact follows; the deepest one in use has four levels.
const maxExactDepth = 8

// Exact gives the members of data that the shape names, and nothing else. A member that occurs twice, or that differs
// from a named one only in case, is an error: two readers would understand it in two ways.
func Exact(data []byte, shape Shape) (json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	var whole json.RawMessage
	if err := d.Decode(&whole); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, errors.New("it ends before its JSON value does")
		}
		return nil, fmt.Errorf("it is not JSON: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows its JSON value")
	}
	return exact("", whole, shape, 0)
}

func exact(at string, raw json.RawMessage, shape Shape, depth int) (json.RawMessage, error) {
	if depth > maxExactDepth {
		return nil, fmt.Errorf("%s is nested too deeply", at)
	}
	if len(shape) == 0 {
		return raw, nil
	}
	switch raw[0] {
	case '[':
		var items []json.RawMessage
		if err := json.Unmarshal(raw, &items); err != nil {
			return nil, fmt.Errorf("it is not JSON: %w", err)
		}
		for i := range items {
			var err error
			if items[i], err = exact(fmt.Sprintf("%s[%d]", at, i), items[i], shape, depth+1); err != nil {
				return nil, err
			}
		}
		return json.Marshal(items)
	case '{':
		return exactObject(at, raw, shape, depth)
	}
	return raw, nil // of another type than the reader expects, who says so
}

func exactObject(at string, raw json.RawMessage, shape Shape, depth int) (json.RawMessage, error) {
	names, values, err := objectMembers(json.NewDecoder(bytes.NewReader(raw)))
	if err != nil {
		if at != "" {
			err = fmt.Errorf("%s: %w", at, err)
		}
		return nil, err
	}
	out := map[string]json.RawMessage{}
	for i, name := range names {
		below, known := shape[name]
		if !known {
			for want := range shape {
				if strings.EqualFold(want, name) {
					return nil, fmt.Errorf("member %q is written otherwise than %q", strings.TrimPrefix(at+"."+name, "."), want)
				}
			}
			continue
		}
		if out[name], err = exact(strings.TrimPrefix(at+"."+name, "."), values[i], below, depth+1); err != nil {
			return nil, err
		}
	}
	return json.Marshal(out)
}

// ParseChecks reads a list of check runs and commit statuses in the form of evidence.Check; members that it does not
// have are passed over.
func ParseChecks(data []byte) ([]evidence.Check, error) {
	members, err := Exact(data, Shape{
		"name": nil, "app": nil, "status": nil, "conclusion": nil, "head_sha": nil, "run_attempt": nil, "started_at": nil, "id": nil,
	})
	if err != nil {
		return nil, err
	}
	var out []evidence.Check
	if err := json.Unmarshal(members, &out); err != nil {
		return nil, fmt.Errorf("it is no list of checks: %w", err)
	}
	for i, c := range out {
		if c.Name == "" || !isSHA(c.HeadSHA) {
			return nil, fmt.Errorf("check %d has no name or no full head_sha", i)
		}
	}
	return out, nil
}
