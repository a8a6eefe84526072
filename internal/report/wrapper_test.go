package report

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// live says whether a reading is one that classifies as LIVE, where no exit status and no commit is known.
func live(r Reading) bool {
	return r.Problem == "" && r.Runtime == "" && r.Report != nil && r.Report.Outcome == "succeeded" && len(r.Report.Failing) == 0
}

func input(text string) []Text { return []Text{{Carrier: "input", Body: text}} }

// quote is a text as a JSON string.
func quote(t testing.TB, s string) string {
	t.Helper()
	out, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// forms are what each runtime writes after a run that ended well, around an answer: @Q@ is the answer as a JSON string,
// @T@ as it is.
func forms() map[string]string {
	return map[string]string{
		"hermes": `{"task_index":0,"status":"completed","summary":@Q@,"exit_reason":"completed","truncated":false,"tool_trace":[{"tool":"x","status":"error"}]}`,
		"claude": `[{"type":"system","subtype":"init"},{"type":"user","message":{"content":"{\"outcome\":\"failed\"}"}},{"type":"result","subtype":"success","is_error":false,"result":@Q@}]`,
		"codex":  `{"type":"thread.started"}` + "\n" + `{"type":"turn.started"}` + "\n" + `{"type":"item.completed","item":{"type":"agent_message","text":@Q@}}` + "\n" + `{"type":"turn.completed"}` + "\n",
		"orca":   `{"type":"worker_done","from_handle":"a","to_handle":"b","body":@Q@,"payload":"{\"taskId\":\"t\",\"dispatchId\":\"d\",\"outcome\":\"succeeded\"}"}`,
		"cron":   "# Cron Job: x\n\n**Job ID:** 1\n\n## Prompt\n\nDo it.\n\n" + good + "\n\n## Response\n\n@T@\n",
	}
}

// fill puts an answer into a form.
func fill(t testing.TB, form, answer string) string {
	t.Helper()
	if strings.Contains(form, "@Q@") {
		return strings.Replace(form, "@Q@", quote(t, answer), 1)
	}
	return strings.Replace(form, "@T@", answer, 1)
}

// spoil are changes of a healthy form after which no answer in it counts as a success.
func spoil() map[string][][2]string {
	return map[string][][2]string{
		"hermes": {
			{`"completed"`, `"failed"`}, {`"completed"`, `"timeout"`}, {`"completed"`, `"running"`}, {`"completed"`, `"dispatched"`},
			{`"truncated":false`, `"truncated":true`}, {`"truncated":false`, `"schema_valid":false`}, {`"task_index":0`, `"task_index":0,"status":"failed"`},
		},
		"claude": {{`"is_error":false`, `"is_error":true`}, {`"success"`, `"error_max_turns"`}, {`,"is_error":false`, ``}, {`}]`, `}`}},
		"codex":  {{`"turn.completed"`, `"turn.failed"`}, {`{"type":"turn.completed"}`, ``}, {`"turn.completed"`, `"error"`}},
		"orca":   {{`worker_done`, `question`}, {`worker_done`, `heartbeat`}, {`worker_done`, `handoff`}, {`\"t\"`, `\"\"`}, {`succeeded\"}"}`, `failed\"}"}`}},
		"cron":   {{"# Cron Job: x\n", "# Cron Job: x (FAILED)\n"}, {"## Response\n", "## Error\n"}, {"**Job ID:** 1", "**Status:** BLOCKED (configuration)"}, {"Do it.", "## Response"}},
	}
}

// checkWrapped holds the laws of wrappers for a text: a form that is known by its members means the same if it is given;
// no form makes a success out of an answer that is none by itself; and none is left of an answer whose run went wrong.
func checkWrapped(t *testing.T, text string) {
	t.Helper()
	plain := Read(input(text), Options{Wrapper: Unwrapped})
	auto := Read(input(text), Options{})
	if auto.Wrapper == "" && !reflect.DeepEqual(auto, plain) {
		t.Errorf("in no form: %+v\nplain: %+v\n%q", auto, plain, text)
	}
	for _, w := range Wrappers() {
		forced := Read(input(text), Options{Wrapper: w.Name})
		d := newDocument([]byte(strings.TrimPrefix(text, "\ufeff")))
		if _, is := w.open(d); is && auto.Wrapper == w.Name && !reflect.DeepEqual(forced, auto) && !severalForms(text) {
			t.Errorf("%s given: %+v\nknown: %+v\n%q", w.Name, forced, auto, text)
		}
	}
	if !json.Valid([]byte(quote(t, text))) || len(text) > 4<<10 || strings.ToValidUTF8(text, "") != text {
		return
	}
	for name, form := range forms() {
		r := Read(input(fill(t, form, text)), Options{})
		if name == "orca" && !live(Read([]Text{{Carrier: "body", Body: text}}, Options{})) || name != "orca" && !live(plain) {
			if live(r) {
				t.Errorf("%s makes a success of %q: %+v", name, text, r)
			}
			continue
		}
		for _, change := range spoil()[name] {
			bad := strings.Replace(form, change[0], change[1], 1)
			if bad == form {
				t.Fatalf("%s: %q is not in %q", name, change[0], form)
			}
			bad = fill(t, bad, text)
			for _, opts := range []Options{{}, {Wrapper: name}} {
				if r := Read(input(bad), opts); live(r) {
					t.Errorf("%s with %q is a success: %+v\n%s", name, change[1], r, bad)
				}
			}
		}
	}
}

// severalForms says whether a text has more forms than one, which only a guess notices.
func severalForms(text string) bool {
	n := 0
	for _, w := range Wrappers() {
		if _, is := w.open(newDocument([]byte(strings.TrimPrefix(text, "\ufeff")))); is {
			n++
		}
	}
	return n > 1
}

// fixtures are the shapes with their bytes.
func fixtures(t testing.TB) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "wrapped", "*.*"))
	if err != nil || len(files) < 100 {
		t.Fatalf("%d fixtures, %v", len(files), err)
	}
	out := map[string]string{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(file)] = string(data)
	}
	return out
}

// FuzzWrapped: the laws of checkWrapped, for any text.
func FuzzWrapped(f *testing.F) {
	for _, text := range fixtures(f) {
		if text == "" {
			f.Fatal("empty seed")
		}
		f.Add(text)
	}
	for _, s := range seeds() {
		f.Add(s)
	}
	f.Fuzz(checkWrapped)
}

// TestWrappedOnce holds that a healthy form changes nothing of what the answer in it says.
func TestWrappedOnce(t *testing.T) {
	for _, inner := range []string{good, "Done.\n\n" + fenceOf("outcome", good), say("blocked"), "prose", "", fenceOf("json", `{"outcome":"x"}`)} {
		plain := Read(input(inner), Options{Wrapper: Unwrapped})
		for name, form := range forms() {
			if name == "orca" { // its outcome is the payload's
				continue
			}
			r := Read(input(fill(t, form, inner)), Options{})
			if r.Wrapper != name || r.Problem != plain.Problem || r.AnyBad != plain.AnyBad || r.Runtime != "" || !reflect.DeepEqual(r.Report, plain.Report) {
				t.Errorf("%s of %q: %+v\nplain %+v", name, inner, r, plain)
			}
		}
	}
}

func TestWrapperList(t *testing.T) {
	var names []string
	for _, w := range Wrappers() {
		if names = append(names, w.Name); w.Doc == "" || w.open == nil || w.Name == Unwrapped {
			t.Errorf("%s is not whole", w.Name)
		}
		if _, twice := carrierOf(w.Name); twice {
			t.Errorf("%s is a place and a form", w.Name)
		}
	}
	if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("names %q", names)
	}
}

// TestWrappedInBody: in descriptions and comments only the forms that the contract names are looked for.
func TestWrappedInBody(t *testing.T) {
	failed := `{"task_index":0,"status":"failed","summary":null,"error":"it broke"}`
	notice := "⚠️ Subagent failed: it broke"
	body := func(text string) []Text { return []Text{{Carrier: "body", Author: "a/User", Body: text}} }
	for _, c := range []struct {
		name, text string
		wrappers   []string
		want       Runtime
	}{
		{"not named", failed, nil, ""},
		{"another is named", failed, []string{"claude", "body"}, ""},
		{"named", failed, []string{"body", "hermes"}, RuntimeFailed},
		{"named, in a fence", "It gave:\n" + fenceOf("json", failed), []string{"hermes"}, RuntimeFailed},
		{"named, in a comment that nobody sees", "<!--\n" + failed + "\n-->\nx", []string{"hermes"}, ""},
		{"named, in a quote", "> " + failed, []string{"hermes"}, ""},
		{"a notice", notice, []string{"hermes"}, RuntimeFailed},
		{"a notice, not named", notice, nil, ""},
		{"a notice later in the text", "x\n\n" + notice, []string{"hermes"}, ""},
		{"a problem in a fence", fenceOf("json", `{"type":"about:blank","title":"x"}`), []string{"problem"}, ""},
	} {
		if r := Read(body(c.text), Options{Wrappers: c.wrappers}); r.Runtime != c.want || (r.Wrapper == "hermes") != (c.want != "") {
			t.Errorf("%s: %+v, want %q", c.name, r, c.want)
		}
	}
	// Bad news in one place stands beside a success in another.
	r := Read(append(body(fenceOf("outcome", good)), input(failed)...), Options{})
	if r.Runtime != RuntimeFailed || r.Report == nil || r.Carrier != "body" || len(r.Errors) == 0 {
		t.Errorf("beside a success: %+v", r)
	}
	// The newest comment counts, be it a runtime's word.
	comments := []Text{{Carrier: "comment", Author: "a/User", Body: fenceOf("outcome", good)}, {Carrier: "comment", Author: "a/User", Body: notice}}
	if r := Read(comments, Options{Authors: []string{"a/User"}, Wrappers: []string{"hermes"}}); r.Runtime != RuntimeFailed || r.Report != nil {
		t.Errorf("newest comment: %+v", r)
	}
}

// TestWrappedErrors: the runtime's own words are kept as they are, each with its place, and exit statuses beside them.
func TestWrappedErrors(t *testing.T) {
	files := fixtures(t)
	for _, c := range []struct {
		file string
		want []string
	}{
		{"hermes-schema-1.json", []string{
			"input hermes: $: 'evidence' is a required property", "input hermes: $.outcome: 'done' is not one of ['succeeded', 'failed']",
			"input hermes: status completed", "$.outcome: value must be one of \"succeeded\", \"failed\", \"blocked\"", "$: missing properties: 'evidence'",
		}},
		{"hermes-list-one-failed.json", []string{"input hermes: results[1]: status failed", "input hermes: results[1]: it broke"}},
		{"hermes-list-one-prose.json", []string{`input results[0].summary:1:1: a report with the outcome "succeeded"`, "input results[1]:1:1: a broken report: the result holds no report"}},
		{"problem-type.json", []string{
			"input problem: title: The account has no credit.", "input problem: detail: The balance is 3, the run costs 5.",
			"input problem: type: https://example.com/problems/out-of-credit",
		}},
		{"codex-events-failed.jsonl", []string{"input codex: stream broke"}},
		{"codex-events-error-survived.jsonl", nil},
		{"two-forms.json", []string{"input:1:1: the text has the forms of hermes and orca"}},
	} {
		if r := Read(input(files[c.file]), Options{}); !slices.Equal(r.Errors, c.want) {
			t.Errorf("%s: %q\nwant %q", c.file, r.Errors, c.want)
		}
	}
	want := []Exit{{"bash -lc 'make test'", "1"}, {"bash -lc 'make test'", "0"}}
	if r := Read(input(files["codex-events-exit-1.jsonl"]), Options{}); !slices.Equal(r.Exits, want) || !live(r) {
		t.Errorf("codex: %+v", r.Exits)
	}
	if r := Read(input(files["hermes-exits.json"]), Options{}); !slices.Equal(r.Exits, []Exit{{"make e2e", "2"}}) || !live(r) {
		t.Errorf("hermes: %+v", r.Exits)
	}
}

// TestRealAnswers puts descriptions of real pull requests by agents into each form: none of them is a report, nor has a
// form of its own.
func TestRealAnswers(t *testing.T) {
	root := os.Getenv("GATE_CORPUS")
	if root == "" {
		t.Skip("GATE_CORPUS does not name the corpus")
	}
	files, err := filepath.Glob(filepath.Join(root, "pr-bodies", "[0-9]*.json"))
	if err != nil || len(files) == 0 {
		t.Skipf("no texts below %s", root)
	}
	var all []string
	for _, w := range Wrappers() {
		all = append(all, w.Name)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var entry struct {
			Body string `json:"body"`
		}
		if err := json.Unmarshal(data, &entry); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, carrier := range []string{"body", "input"} {
			if r := Read([]Text{{Carrier: carrier, Body: entry.Body}}, Options{Wrappers: all}); carrier == "body" && r.Found || r.Wrapper != "" || r.Runtime != "" {
				t.Errorf("%s as %s: %+v", file, carrier, r)
			}
		}
		for name, form := range forms() {
			if name == "orca" {
				continue
			}
			if r := Read(input(fill(t, form, entry.Body)), Options{}); r.Wrapper != name || live(r) || r.Runtime != "" {
				t.Errorf("%s in %s: %+v", file, name, r)
			}
			if r := Read(input(fill(t, form, entry.Body+"\n\n"+fenceOf("outcome", good))), Options{}); !live(r) {
				t.Errorf("%s in %s, with a report: %+v", file, name, r)
			}
		}
	}
	t.Logf("%d texts", len(files))
}

// hostileWrapped are texts of about n bytes in the forms of runtimes that are written to be slow or large.
func hostileWrapped(n int) map[string]string {
	long := func(s string) string { return strings.Repeat(s, n/len(s)+1)[:n] }
	many := func(head, item, tail string) string {
		return head + strings.Repeat(item+",", n/(len(item)+1)) + item + tail
	}
	lines := func(head, item string) string { return head + "\n" + strings.Repeat(item+"\n", n/(len(item)+1)) }
	entry := `{"task_index":0,"status":"completed","summary":"x"}`
	quoted := `"` + strings.ReplaceAll(strings.ReplaceAll(long(`{"outcome":`), `\`, `\\`), `"`, `\"`) + `"`
	return map[string]string{
		"prose":             long("It is done, and `all` {tests} pass. "),
		"entries":           many(`{"results":[`, entry, `]}`),
		"nested-lists":      strings.Repeat(`{"results":[`, n/24) + strings.Repeat(`]}`, n/24),
		"nested-trace":      `{"task_index":0,"status":"completed","tool_trace":` + strings.Repeat("[", n/2) + strings.Repeat("]", n/2) + `,"summary":"x"}`,
		"open-trace":        `{"task_index":0,"status":"completed","tool_trace":` + long("[") + "",
		"long-trace":        many(`{"task_index":0,"status":"completed","tool_trace":[`, `{"a":[1,{"b":"]}"}]}`, `],"summary":"x"}`),
		"members":           many(`{"task_index":0,"status":"completed",`, `"a":1`, `}`),
		"exits":             many(`{"task_index":0,"status":"completed","summary":"x","unread_completions":[`, `{"exit_code":1}`, `]}`),
		"schema-errors":     many(`{"task_index":0,"status":"completed","schema_valid":false,"schema_errors":[`, `"x"`, `]}`),
		"summary-braces":    `{"task_index":0,"status":"completed","summary":` + quoted + `}`,
		"summary-backticks": `{"task_index":0,"status":"completed","summary":"` + long("`") + `"}`,
		"claude-messages":   many(`[{"type":"system","subtype":"init"},`, `{"type":"user","message":{"content":[{}]}}`, `]`),
		"claude-results":    many(`[`, `{"type":"result","subtype":"success","is_error":false,"result":"x"}`, `]`),
		"claude-structured": many(`[`, `{"type":"result","subtype":"success","is_error":false,"structured_output":{"a":[1,2,3]}}`, `]`),
		"claude-array":      many(`{"type":"result","subtype":"success","is_error":false,"structured_output":[`, `0`, `]}`),
		"arrays":            long("[["),
		"codex-events":      lines(`{"type":"thread.started"}`, `{"type":"item.completed","item":{"type":"agent_message","text":"x"}}`),
		"codex-commands":    lines(`{"type":"thread.started"}`, `{"type":"item.completed","item":{"type":"command_execution","command":"x","exit_code":1}}`),
		"codex-no-lines":    `{"type":"thread.started"}` + long(`{"type":"x"}`),
		"notices":           long("⚠️ Subagent failed: x\n"),
		"notice-line":       "⚠️ Subagent failed — \"" + long(`": (after 1s)`),
		"cron-sections":     "# Cron Job: x\n" + long("## Response\n"),
		"cron-prompt":       "# Cron Job: x\n## Prompt\n" + long("{\"outcome\":"),
		"json-string":       `"` + long(`{\"taskId\":`) + `"`,
		"in-prose":          "x " + strings.Repeat(entry+"\n", n/len(entry)),
		"fenced":            strings.Repeat("```json\n"+entry+"\n```\n", n/len(entry)),
	}
}

// TestHostileWrapped holds that time grows with the text and with nothing else, and that so does what is allocated in
// all.
func TestHostileWrapped(t *testing.T) {
	const n = 256 << 10
	for name, text := range hostileWrapped(n) {
		_, steps := read(input(text), Options{})
		if steps > 2*maxSteps(len(text)) {
			t.Errorf("%s: %d steps for %d bytes", name, steps, len(text))
		}
		for _, w := range Wrappers() {
			if r := Read(input(text), Options{Wrapper: w.Name}); live(r) {
				t.Errorf("%s as %s is a success: %+v", name, w.Name, r)
			}
		}
	}
	if testing.Short() || raced {
		return
	}
	for name, text := range hostileWrapped(2 << 20) {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		start := time.Now()
		Read(input(text), Options{})
		took := time.Since(start)
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > 64*uint64(len(text)) {
			t.Errorf("%s: %d MiB allocated for %d", name, got>>20, len(text)>>20)
		}
		t.Logf("%-18s %8v  %4d MiB", name, took.Round(time.Millisecond), (after.TotalAlloc-before.TotalAlloc)>>20)
	}
}

// BenchmarkWrapped reads hostile texts of one, two and four times a size.
func BenchmarkWrapped(b *testing.B) {
	for _, size := range []int{64 << 10, 128 << 10, 256 << 10} {
		for name, text := range hostileWrapped(size) {
			b.Run(fmt.Sprintf("%s/%s", name, sizeName(size)), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					Read(input(text), Options{})
				}
			})
		}
	}
}
