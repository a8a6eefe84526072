package contract_test

import (
	"testing"

	"github.com/outcome-gate/outcome-gate/internal/contract"
)

// TestPartOfTheSchemaAnswersAsTheWhole holds that what Parse leaves out of the schema for speed changes no answer.
func TestPartOfTheSchemaAnswersAsTheWhole(t *testing.T) {
	answers, refusals := 0, 0
	for _, pattern := range []string{"testdata/ok/*.yml", "testdata/err/keys.yml", "testdata/err/kinds.yml", "testdata/err/forms.yml"} {
		found, err := globFiles(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for name, data := range found {
			if len(data) > 3<<10 {
				continue // the longer ones repeat themselves
			}
			err := contract.Answers(data, kinds(), func(place, whole, part string) {
				answers++
				if whole != "<nil>" {
					refusals++
				}
				if whole != part {
					t.Errorf("%v at %q:\nby the whole schema: %s\nby the part: %s", name, place, whole, part)
				}
			})
			if err != nil {
				t.Errorf("%v: %v", name, err)
			}
		}
	}
	if answers < 300 || refusals < 200 {
		t.Errorf("only %d answers, %d of them refusals", answers, refusals)
	}
}
