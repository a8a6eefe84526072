package contract_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/outcome-gate/outcome-gate/internal/contract"
)

// FuzzParse holds, for any bytes: Parse ends and returns either a contract or mistakes; every mistake has a
// place inside the file and a known code; a contract survives JSON unchanged, means the same when its document
// is written as JSON and with a byte order mark, requires something, and is linted at places inside the file.
func FuzzParse(f *testing.F) {
	seeds := 0
	for _, pattern := range []string{"testdata/ok/*.yml", "testdata/ok/*.json", "testdata/err/*.yml", "testdata/err/*.json"} {
		found, err := globFiles(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, data := range found {
			if len(data) < 4<<10 { // the fuzzer spends its time shrinking longer ones
				f.Add(data)
				seeds++
			}
		}
	}
	if seeds < 30 {
		f.Fatalf("only %d seeds", seeds)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, problems := contract.Parse("c.yml", data, kinds())
		if (c == nil) != (len(problems.Mistakes()) > 0) {
			t.Fatalf("contract %v with problems %v", c != nil, problems)
		}
		if c == nil {
			lawful(t, data, problems)
			for _, p := range problems {
				if p.Code == contract.CodeInternal {
					t.Fatal(p)
				}
			}
			return
		}
		if len(c.Required()) == 0 {
			t.Fatal("nothing is required")
		}
		roundTrip(t, c)
		lawful(t, data, contract.Lint(c, contract.LintFacts{}))
		opts := cmp.Options{cmpopts.IgnoreTypes(contract.Pos{}), cmpopts.IgnoreFields(contract.Contract{}, "Places")}
		for name, other := range map[string][]byte{"JSON": contract.AsJSON(data), "BOM": append([]byte("\xef\xbb\xbf"), bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))...)} {
			again, problems := contract.Parse("c.yml", other, kinds())
			if len(other) > contract.MaxBytes {
				continue
			}
			if len(problems) > 0 {
				t.Fatalf("as %s: %v\n%s", name, problems, other)
			}
			if diff := cmp.Diff(c, again, opts); diff != "" {
				t.Fatalf("as %s: %s", name, diff)
			}
		}
		if weak := contract.Diff(c, c); len(weak) > 0 {
			t.Fatalf("against itself: %v", weak)
		}
	})
}

// FuzzValidatorJSON holds that what UnmarshalJSON accepts is written back as it was read.
func FuzzValidatorJSON(f *testing.F) {
	for _, seed := range []string{`{"kind":"step","params":{"id":"a"}}`, `{"kind":"x","params":{"b":[1,1.5,1e3,"\u003c\u2028\\"],"a":null}}`, `{"kind":"x"}`, `[]`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var v contract.Validator
		if json.Unmarshal([]byte(text), &v) != nil {
			return
		}
		out, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var back contract.Validator
		if err := json.Unmarshal(out, &back); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(v.Params, back.Params) || v.Kind != back.Kind && strings.ToValidUTF8(v.Kind, "") == v.Kind {
			t.Fatalf("%s became %s", v.Params, back.Params)
		}
	})
}
