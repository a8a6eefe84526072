package contract_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/outcome-gate/outcome-gate/internal/contract"
)

var update = flag.Bool("update", false, "write golden files")

// golden compares got with a file of testdata, or writes it.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

func files(t *testing.T, pattern string) []string {
	t.Helper()
	found, err := filepath.Glob(pattern)
	if err != nil || len(found) == 0 {
		t.Fatalf("no files match %s (%v)", pattern, err)
	}
	return found
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func must(t *testing.T, text string) *contract.Contract {
	t.Helper()
	c, problems := contract.Parse("c.yml", []byte(text), kinds())
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return c
}

// pretty is the problems with their hints, one each line.
func pretty(problems contract.Problems) string {
	var b strings.Builder
	for _, p := range problems {
		b.WriteString(p.String() + "\n")
		if p.Hint != "" {
			b.WriteString("    " + p.Hint + "\n")
		}
	}
	return b.String()
}

func TestOK(t *testing.T) {
	for _, path := range append(files(t, "testdata/ok/*.yml"), files(t, "testdata/ok/*.json")...) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			c, problems := contract.Parse(path, read(t, path), kinds())
			if len(problems) > 0 {
				t.Fatalf("problems:\n%s", problems)
			}
			out, err := json.MarshalIndent(c, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			golden(t, path+".out", string(out)+"\n")
			roundTrip(t, c)
		})
	}
}

// roundTrip holds that JSON keeps a contract, all but places.
func roundTrip(t *testing.T, c *contract.Contract) {
	t.Helper()
	data, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var back contract.Contract
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	opts := cmp.Options{cmpopts.IgnoreTypes(contract.Pos{}), cmpopts.IgnoreFields(contract.Contract{}, "File", "Places")}
	if diff := cmp.Diff(*c, back, opts); diff != "" {
		t.Errorf("after JSON (-before +after):\n%s", diff)
	}
}

func TestErr(t *testing.T) {
	seen := map[string]bool{}
	for _, path := range files(t, "testdata/err/*") {
		if strings.HasSuffix(path, ".out") {
			continue
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			data := read(t, path)
			c, problems := contract.Parse(filepath.Base(path), data, kinds())
			if c != nil || len(problems.Mistakes()) == 0 {
				t.Fatal("no mistake was found")
			}
			golden(t, strings.TrimSuffix(path, filepath.Ext(path))+".out", pretty(problems))
			for _, p := range problems {
				seen[p.Code] = true
			}
			lawful(t, data, problems)
		})
	}
	elsewhere := map[string]bool{ // tested in code, or reported by another package
		contract.CodeAmbiguous: true, contract.CodeInternal: true, contract.CodeTooLarge: true,
		contract.CodeSelfWait: true, contract.CodeSymlink: true,
	}
	for _, c := range contract.Codes() {
		if !c.Warning && !seen[c.Code] && !elsewhere[c.Code] {
			t.Errorf("no file of testdata/err shows %s", c.Code)
		}
	}
}

// lawful holds that every problem has a place inside the file and a code that the table explains.
func lawful(t *testing.T, data []byte, problems contract.Problems) {
	t.Helper()
	known := map[string]bool{}
	for _, c := range contract.Codes() {
		known[c.Code] = true
	}
	lines := strings.Split(string(data), "\n")
	for _, p := range problems {
		if p.Line < 1 || p.Line > len(lines) || p.Col < 1 || p.Col > len([]rune(lines[p.Line-1]))+1 {
			t.Errorf("%s lies outside the file of %d lines", p, len(lines))
		}
		if !known[p.Code] {
			t.Errorf("%s has an unknown code", p)
		}
		if p.Message == "" || strings.ContainsAny(p.Message, "\n\x00\x1b") {
			t.Errorf("the message %q is not one line of text", p.Message)
		}
	}
}
