package prompt

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/gate"
	"github.com/outcome-gate/outcome-gate/internal/report"
)

func parsed(t testing.TB, text string) *contract.Contract {
	t.Helper()
	c, problems := contract.Parse("c.yml", []byte(text), gate.ContractKinds())
	if c == nil || len(problems.Mistakes()) > 0 {
		t.Fatalf("%v in %d bytes", problems, len(text))
	}
	return c
}

const whole = `version: 1
report: { carriers: [comment], bind: commit }
protected_paths: [deploy/**]
outcomes:
  - id: unit
    about: "Unit tests pass: ` + "`make test`" + `."
    artifact: { files: [out/a.xml, out/b.xml], fresh: { max_age: 90m }, count: { min: 2 } }
    validators: [ tests: {} ]
  - id: page
    artifact: { url: "https://shop.example/health" }
  - id: pack
    artifact: { upload: pack, files: "*.tgz", made_by: build }
  - id: same
    artifact: { of: unit }
    validators: [ content: { text: x } ]
    when: { paths: ["src/**"] }
  - id: notes
    artifact: { files: NOTES.md, committed: changed, sha256: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" }
    waive: { until: 2030-01-01, reason: not yet }
  - id: kept
    artifact: { files: KEPT.md, committed: yes, fresh: none }
  - id: live
    waits_for: { environment: production }
`

// TestText: each part of a contract is said once, in each target's words.
func TestText(t *testing.T) {
	c := parsed(t, whole)
	for _, target := range Targets() {
		text := Text(Options{Target: Target(target), Path: "c.yml", Contract: c})
		for _, want := range []string{
			"- `unit`: Unit tests pass: `make test`.\n", "  Evidence: `out/a.xml`, `out/b.xml`, at most 1h30m0s old, at least 2 files.\n", "  Check: `tests` `{}`.\n",
			"  Evidence: the address `https://shop.example/health` answers with 200.\n", "  Evidence: `*.tgz` in the upload `pack`, made by the step or job `build`",
			"  Evidence: that of `unit`.\n", "  Expected where the change touches `src/**`.\n", "committed and changed by the pull request, SHA-256 `aaaa", "  Waived until `2030-01-01`: not yet.\n",
			"may be committed", "  It waits for the environment `production`, which is not yours to give.\n", "`deploy/**`", `"$id": "https://outcome-gate.dev/report/v1"`,
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is missing in\n%s", target, want, text)
			}
		}
		if marks := strings.Count(text, Begin) + strings.Count(text, End); (marks == 2) == (target == string(Delegate)) {
			t.Errorf("%s: %d marks", target, marks)
		}
		if (target == string(Delegate)) == strings.Contains(text, "Write a comment on the pull request") {
			t.Errorf("%s: where the report goes:\n%s", target, text)
		}
		if again := Text(Options{Target: Target(target), Path: "c.yml", Contract: c}); again != text {
			t.Errorf("%s: another text the second time", target)
		}
	}
	for carriers, want := range map[string]string{
		"[body, comment]": "End the pull request's description", "[comment, body]": "End the pull request's description",
		"[file]": "to `.agent/outcome.json`", "[input]": "End your last message",
	} {
		c := parsed(t, "version: 1\nreport: { carriers: "+carriers+" }\noutcomes: [ { id: a, artifact: { files: a } } ]\n")
		if text := Text(Options{Target: Agents, Path: "c.yml", Contract: c}); !strings.Contains(text, want) {
			t.Errorf("%s: %q is missing in\n%s", carriers, want, text)
		}
	}
	for file, want := range map[string]Target{"AGENTS.md": Agents, "a/CLAUDE.md": Claude, "CLAUDE.local.md": Claude, ".github/copilot-instructions.md": Copilot, "x/README.md": Agents} {
		if got := TargetOf(file); got != want {
			t.Errorf("%s is for %s", file, got)
		}
	}
}

// TestBounds: the largest contract gives a block that a runtime reads whole, and what is left out is counted.
func TestBounds(t *testing.T) {
	var b strings.Builder
	b.WriteString("version: 1\nprotected_paths:\n")
	for i := range 100 {
		fmt.Fprintf(&b, "  - %s%d/**\n", strings.Repeat("p", 200), i)
	}
	b.WriteString("outcomes:\n")
	for i := range 200 {
		fmt.Fprintf(&b, "  - { id: o%d, about: %q, artifact: { files: %s } }\n", i, strings.Repeat("`é\u202e", 40), strings.Repeat("f", 500))
	}
	c := parsed(t, b.String())
	fits := `{"description": "` + strings.Repeat("\u202e", maxSchema/6-4) + `"}` // each is six bytes once it is escaped
	for _, schema := range [][]byte{nil, []byte(fits), []byte(`{"description": "` + strings.Repeat("x", 2*maxSchema) + `"}`)} {
		text := Text(Options{Target: Agents, Path: strings.Repeat("d/", 500) + "c.yml", Contract: c, Schema: schema})
		if len(text) > MaxBlock {
			t.Errorf("%d bytes", len(text))
		}
		if !strings.Contains(text, "more outcomes of the contract\n") || !strings.Contains(text, "more paths") {
			t.Errorf("what was left out is not counted:\n%s", text)
		}
		if len(schema) > maxSchema && !strings.Contains(text, "too long to be shown") {
			t.Error("a schema that is too long is not named")
		}
	}
}

// TestSchemaStaysJSON: a schema with characters that do not print is shown as the same JSON without them.
func TestSchemaStaysJSON(t *testing.T) {
	schema := "{\r\n\t\"title\": \"a\u202eb\U000E0001```\",\r\n\t\"type\": \"object\"}"
	text := Text(Options{Target: Claude, Path: "c.yml", Contract: parsed(t, "version: 1\noutcomes: [ { id: a, artifact: { files: a } } ]\n"), Schema: []byte(schema)})
	_, rest, _ := strings.Cut(text, "```json\n")
	shown, _, _ := strings.Cut(rest, "\n```\n")
	var have, want any
	if err := errors.Join(json.Unmarshal([]byte(shown), &have), json.Unmarshal([]byte(schema), &want)); err != nil || fmt.Sprint(have) != fmt.Sprint(want) {
		t.Errorf("%v: %v, want %v", err, have, want)
	}
	if strings.ContainsAny(shown, "\u202e\U000E0001\r") {
		t.Errorf("%q", shown)
	}
	if len(report.Schema()) > maxSchema {
		t.Error("the published schema is too long to be shown")
	}
}

const block = Begin + "\nnew\nlines\n" + End + "\n"

// TestSplice: every other byte stays.
func TestSplice(t *testing.T) {
	dos := strings.ReplaceAll(block, "\n", "\r\n")
	for _, c := range []struct{ name, before, want string }{
		{"none", "", block},
		{"text", "# x\n", "# x\n\n" + block},
		{"no last break", "# x", "# x\n\n" + block},
		{"dos", "# x\r\n", "# x\r\n\r\n" + dos},
		{"dos without a last break", "a\r\nb", "a\r\nb\r\n\r\n" + dos},
		{"in the middle", "a\n" + Begin + "\nold\n" + End + "\nb\x1b\xff", "a\n" + block + "b\x1b\xff"},
		{"at the end", "a\n  " + Begin + "  \nold\n\t" + End, "a\n" + strings.TrimSuffix(block, "\n")},
		{"dos in the middle", "a\r\n" + Begin + "\r\nold\r\n" + End + "\r\nb", "a\r\n" + dos + "b"},
		{"byte order mark", "\ufeffa\n", "\ufeffa\n\n" + block},
		{"marks in a sentence", "see " + Begin + "\n", "see " + Begin + "\n\n" + block},
	} {
		got, err := Splice("f.md", []byte(c.before), block)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %q, %v; want %q", c.name, got, err, c.want)
			continue
		}
		if again, err := Splice("f.md", got, block); err != nil || !bytes.Equal(again, got) {
			t.Errorf("%s: it changes the second time: %q, %v", c.name, again, err)
		}
		if d, err := Compare("f.md", got, block); err != nil || !d.Equal() {
			t.Errorf("%s: it differs from itself: %+v, %v", c.name, d, err)
		}
	}
	for _, c := range []struct{ before, want string }{
		{"a\n" + Begin + "\n", "f.md:2: the block is not closed"},
		{End + "\n", "f.md:1: the block has no begin"},
		{End + "\n" + Begin + "\n", "f.md:1: the block ends before it begins"},
		{Begin + "\n" + Begin + "\n" + End, "f.md has 2 lines " + Begin + " and 1 lines " + End},
		{Begin + "\n" + End + "\n" + End, "f.md has 1 lines " + Begin + " and 2 lines " + End},
		{"a\x00b", "f.md holds a zero byte"},
	} {
		var r *Refusal
		if got, err := Splice("f.md", []byte(c.before), block); got != nil || !errors.As(err, &r) || !strings.HasPrefix(r.Reason, c.want) || r.Hint == "" {
			t.Errorf("%q: %q, %v; want %q", c.before, got, err, c.want)
		}
		if _, err := Compare("f.md", []byte(c.before), block); err == nil {
			t.Errorf("%q is compared", c.before)
		}
	}
}

// TestCompare names what differs.
func TestCompare(t *testing.T) {
	at := func(lines ...string) []byte {
		return []byte("x\n" + Begin + "\n" + strings.Join(lines, "\n") + "\n" + End + "\n")
	}
	many := strings.Split(strings.Repeat("z ", maxDiffering+3), " ")[:maxDiffering+3]
	for _, c := range []struct {
		name string
		file []byte
		want Compared
	}{
		{"none", []byte("x\n"), Compared{Absent: true}},
		{"order", at("lines", "new"), Compared{Order: true}},
		{"missing", at("new"), Compared{Missing: []string{"lines"}}},
		{"left over", at("new", "lines", "lines"), Compared{Extra: []string{"lines"}}},
		{"both", at("new", "line"), Compared{Missing: []string{"lines"}, Extra: []string{"line"}}},
		{"many", at(append([]string{"new", "lines"}, many...)...), Compared{Extra: many[:maxDiffering], More: 3}},
	} {
		got, err := Compare("f.md", c.file, block)
		if err != nil || fmt.Sprint(got) != fmt.Sprint(c.want) || got.Equal() {
			t.Errorf("%s: %+v, %v; want %+v", c.name, got, err, c.want)
		}
	}
}

// FuzzSplice: whatever the contract's texts and the file say, the block stands in it once, can be found again, and every
// other byte is as before.
func FuzzSplice(f *testing.F) {
	for _, s := range []string{"", "a\r\n", Begin + "\nx\n" + End, Begin, "a\x00", "```\n" + End + "\n"} {
		f.Add([]byte(s), s, "about `"+s+"`")
	}
	f.Fuzz(func(t *testing.T, file []byte, path, about string) {
		c := &contract.Contract{Outcomes: []contract.Outcome{{ID: path, About: about, Artifact: &contract.Artifact{Files: []string{about, path}, MadeBy: about}}}}
		text := Text(Options{Target: Agents, Path: path, Contract: c})
		after, err := Splice("f.md", file, text)
		if err != nil {
			return
		}
		if d, err := Compare("f.md", after, text); err != nil || !d.Equal() {
			t.Fatalf("the block is not found again: %+v, %v\n%q", d, err, after)
		}
		at, _ := find("f.md", after)
		was, _ := find("f.md", file)
		switch {
		case was == nil && !bytes.HasPrefix(after, file):
			t.Fatalf("%q does not begin as %q", after, file)
		case was != nil && (!bytes.Equal(after[:at.from], file[:was.from]) || !bytes.Equal(after[at.to:], file[was.to:])):
			t.Fatalf("bytes outside of the block changed: %q, %q", file, after)
		}
	})
}
