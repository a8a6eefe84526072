package evidence

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// maxJSONDepth bounds the nesting of parameters and facts; the deepest of ours has four levels.
const maxJSONDepth = 16

// maxJSONBytes bounds parameters and facts: a contract has at most 256 KiB, facts at most 64.
const maxJSONBytes = 256 << 10

// decodeStrict decodes one JSON value into v. Member names must be those of v's type exactly: unlike
// encoding/json it refuses other letter cases, duplicates, unknown names and anything after the value.
func decodeStrict(raw []byte, v any) error { return decode(raw, v, false) }

// decodeWhole is decodeStrict for what a program wrote: members that are always written must be there, so that
// leaving one out never says less than was observed.
func decodeWhole(raw []byte, v any) error { return decode(raw, v, true) }

func decode(raw []byte, v any, whole bool) error {
	if len(raw) > maxJSONBytes {
		return fmt.Errorf("over %d bytes", maxJSONBytes)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	w := memberWalk{dec: dec, whole: whole}
	if err := w.value(reflect.TypeOf(v), 0); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one value")
	}
	strict := json.NewDecoder(bytes.NewReader(raw))
	strict.DisallowUnknownFields()
	return strict.Decode(v)
}

// memberWalk holds every object's members against a type.
type memberWalk struct {
	dec   *json.Decoder
	whole bool // members without omitempty must be there
}

// value walks one value; a nil type only refuses duplicates.
func (w *memberWalk) value(t reflect.Type, depth int) error {
	if depth > maxJSONDepth {
		return errors.New("nested too deeply")
	}
	t = structural(t)
	tok, err := w.dec.Token()
	if err != nil {
		return err
	}
	switch tok {
	case json.Delim('{'):
		err = w.object(t, depth)
	case json.Delim('['):
		for w.dec.More() && err == nil {
			err = w.value(elemType(t), depth+1)
		}
	default:
		if w.whole && t != nil && t.Kind() == reflect.Struct {
			return errors.New("not an object")
		}
		return nil
	}
	if err != nil {
		return err
	}
	_, err = w.dec.Token()
	return err
}

func (w *memberWalk) object(t reflect.Type, depth int) error {
	seen := map[string]bool{}
	for w.dec.More() {
		tok, err := w.dec.Token()
		if err != nil {
			return err
		}
		name, ok := tok.(string)
		if !ok || seen[name] {
			return fmt.Errorf("member %q occurs twice", clip(name, 64))
		}
		seen[name] = true
		elem := elemType(t)
		if t != nil && t.Kind() == reflect.Struct {
			if elem, ok = member(t, name); !ok {
				return fmt.Errorf("unknown member %q", clip(name, 64))
			}
		}
		if err := w.value(elem, depth+1); err != nil {
			return err
		}
	}
	if w.whole && t != nil && t.Kind() == reflect.Struct {
		for i := range t.NumField() {
			name, options, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
			if options == "" && !seen[name] {
				return fmt.Errorf("member %q is not there", name)
			}
		}
	}
	return nil
}

// structural is the type whose members a JSON value must have; nil for a type that decodes itself.
func structural(t reflect.Type) reflect.Type {
	for t != nil && t.Kind() == reflect.Pointer {
		if t.Implements(reflect.TypeFor[json.Unmarshaler]()) {
			return nil
		}
		t = t.Elem()
	}
	if t == nil || reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return nil
	}
	return t
}

func elemType(t reflect.Type) reflect.Type {
	if t == nil {
		return nil
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array, reflect.Map:
		return t.Elem()
	}
	return nil
}

func member(t reflect.Type, name string) (reflect.Type, bool) {
	for i := range t.NumField() {
		f := t.Field(i)
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if tag == name && tag != "" && tag != "-" {
			return f.Type, true
		}
	}
	return nil, false
}

// textList is a list of texts that a contract may also write as one text.
type textList []string

// UnmarshalJSON takes a string or an array of strings.
func (l *textList) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil && len(b) > 0 && b[0] == '"' {
		*l = textList{one}
		return nil
	}
	var many []string
	if err := json.Unmarshal(b, &many); err != nil {
		return errors.New("neither a text nor a list of texts")
	}
	*l = many
	return nil
}

// fileSpec names further result files and the tier that the contract accepts for them.
type fileSpec struct {
	Files textList
	Trust string
}

// UnmarshalJSON takes a glob, a list of globs, or an object with files and trust.
func (s *fileSpec) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '{' {
		var long struct {
			Files textList `json:"files"`
			Trust string   `json:"trust"`
		}
		if err := decodeStrict(b, &long); err != nil {
			return err
		}
		s.Files, s.Trust = long.Files, long.Trust
	} else if err := s.Files.UnmarshalJSON(b); err != nil {
		return err
	}
	if s.Trust == "" {
		s.Trust = tierService
	}
	if s.Trust != tierService && s.Trust != tierRun {
		return fmt.Errorf("trust is %q, neither service nor run", clip(s.Trust, 32))
	}
	if len(s.Files) == 0 {
		return errors.New("no files")
	}
	return nil
}

// The two tiers that a base may have; the contract package names all five.
const (
	tierService = "service"
	tierRun     = "run"
)

// accepts says whether results of the given tier may stand for the base.
func (s *fileSpec) accepts(tier string) bool {
	return tier == tierService || (tier == tierRun && s.Trust == tierRun)
}
