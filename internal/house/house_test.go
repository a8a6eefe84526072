package house

import (
	"cmp"
	"slices"
	"strings"
	"testing"
)

// rule is one house rule: a check over the whole tree.
type rule struct {
	name  string // stands in brackets behind each offence
	check func(*tree, *lists) []offence
}

// rules are all house rules, by name.
func rules() []rule {
	return []rule{
		{"context", checkContext},
		{"core", checkCore},
		{"docs", checkDocs},
		{"error-text", checkErrorTexts},
		{"import-form", checkImportForms},
		{"imports", checkImports},
		{"init", checkInit},
		{"interface", checkInterfaces},
		{"length", checkLength},
		{"machine", checkMachine},
		{"nolint", checkNolint},
		{"package-name", checkPackageNames},
		{"pins", checkPins},
		{"unfinished", checkUnfinished},
		{"var", checkVars},
		{"words", checkWords},
	}
}

// run gives a rule's offences, named and in order of place.
func (r rule) run(t *tree, l *lists) []offence {
	out := r.check(t, l)
	for i := range out {
		out[i].rule = r.name
	}
	slices.SortFunc(out, func(a, b offence) int {
		return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.line, b.line), cmp.Compare(a.what, b.what))
	})
	return out
}

// TestHouse holds this repository to every rule.
func TestHouse(t *testing.T) {
	tr, err := readTree(moduleRoot(t))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(tr.sources, func(s *source) bool { return s.path == "internal/house/doc.go" }) ||
		!slices.ContainsFunc(tr.texts, func(f text) bool { return f.path == "go.mod" }) {
		t.Fatal("the walk did not see this package or go.mod: it judges nothing")
	}
	l := house()
	for _, r := range rules() {
		t.Run(r.name, func(t *testing.T) {
			for _, o := range r.run(tr, l) {
				t.Error(o)
			}
		})
	}
}

// TestRulesAreNamedOnce keeps the list in name order, and each rule proven to bite.
func TestRulesAreNamedOnce(t *testing.T) {
	bites := map[string]bool{}
	for _, b := range biting() {
		bites[b.rule] = true
	}
	last := ""
	for _, r := range rules() {
		if r.name <= last {
			t.Errorf("rule %q does not come after %q", r.name, last)
		}
		last = r.name
		if !bites[r.name] {
			t.Errorf("no offending source proves that rule %q bites", r.name)
		}
	}
}

// TestRulesBite feeds each offending source to its rule, and expects exactly the named offences.
func TestRulesBite(t *testing.T) {
	for _, b := range biting() {
		t.Run(b.rule+"/"+b.name, func(t *testing.T) {
			i := slices.IndexFunc(rules(), func(r rule) bool { return r.name == b.rule })
			if i < 0 {
				t.Fatalf("there is no rule %q", b.rule)
			}
			tr, err := makeTree(b.files)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, o := range rules()[i].run(tr, b.lists()) {
				got = append(got, o.String())
			}
			if len(got) != len(b.want) {
				t.Fatalf("got %d offences, want %d:\n%s", len(got), len(b.want), strings.Join(got, "\n"))
			}
			for i, want := range b.want {
				place, words, ok := strings.Cut(want, " ")
				if !ok || !strings.HasPrefix(got[i], place+": ") || !strings.Contains(got[i], words) || !strings.HasSuffix(got[i], " [house/"+b.rule+"]") {
					t.Errorf("offence %d is %q, want place %q and words %q", i, got[i], place, words)
				}
			}
		})
	}
}

// TestGoodSourcesPass feeds sources that look like offences and are none; every rule must stay silent.
func TestGoodSourcesPass(t *testing.T) {
	tr, err := makeTree(goodFiles())
	if err != nil {
		t.Fatal(err)
	}
	l := &lists{
		packages: map[string]room{
			"internal/a": {core: true},
			"internal/b": {imports: []string{"internal/a"}, tests: []string{"internal/c"}},
			"internal/c": {},
			"cmd/x":      {imports: []string{"internal/b"}},
		},
		vars:       map[string]string{"internal/b.version": "the linker sets it"},
		interfaces: map[string]string{"internal/c.Sink": "file and memory"},
		long:       map[string]string{"internal/c.Table.Long": "one row each"},
	}
	for _, r := range rules() {
		for _, o := range r.run(tr, l) {
			t.Error(o)
		}
	}
}

// TestBrokenSourceIsAnError shows that a file that does not parse stops the run instead of passing it.
func TestBrokenSourceIsAnError(t *testing.T) {
	if _, err := makeTree(map[string]string{"internal/a/a.go": "package a\nfunc {"}); err == nil {
		t.Fatal("a source that does not parse was accepted")
	}
}
