package contract

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// AsJSON rewrites a document as compact JSON, nil if it has mistakes.
func AsJSON(data []byte) []byte {
	l := &loader{limits: limits{depth: maxDepth, nodes: maxNodes, entries: maxEntries}}
	root := l.load(data)
	if root == nil || len(l.mistakes) > 0 {
		return nil
	}
	return appendOrdered(nil, root)
}

// Answers validates a document, and it with each of its values replaced in turn, by the whole schema and by the part
// that Parse makes of it, and gives both answers to each.
func Answers(data []byte, kinds []Kind, visit func(place, whole, part string)) error {
	l := &loader{limits: limits{depth: maxDepth, nodes: maxNodes, entries: maxEntries}}
	root := l.load(data)
	s, err := assemble(kinds, nil)
	if root == nil || err != nil {
		return err
	}
	whole, err := s.compile()
	if err != nil {
		return err
	}
	parts := map[string]*jsonschema.Schema{} // by the keys that each was made for
	compare := func(place string) (err error) {
		named := root.keys()
		keys := strings.Join(slices.Sorted(maps.Keys(named)), " ")
		if parts[keys] == nil {
			if parts[keys], err = s.only(named).compile(); err != nil {
				return err
			}
		}
		visit(place, answer(whole.Validate(root.value())), answer(parts[keys].Validate(root.value())))
		return nil
	}
	failed := compare("")
	root.walk("", Pos{}, func(ptr string, _ Pos, n *node) {
		kept := *n
		*n = node{kind: kindInt, integer: -1}
		failed = errors.Join(failed, compare(ptr))
		*n = kept
	})
	return failed
}

// answer is all that a validator says, in an order of its own, without where in the schema it stood.
func answer(err error) string {
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return fmt.Sprint(err)
	}
	var lines []string
	for _, e := range invalid.BasicOutput().Errors {
		words := strings.FieldsFunc(e.Error, func(r rune) bool { return r == ' ' || r == ',' })
		slices.Sort(words) // names come in the order of a map
		lines = append(lines, e.InstanceLocation+" "+e.AbsoluteKeywordLocation+" "+strings.Join(words, " "))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
