package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

const good = `{"outcome":"succeeded","evidence":["go test ./...: ok"]}`

func fenceOf(info, content string) string { return "```" + info + "\n" + content + "\n```\n" }

func say(outcome string) string { return `{"outcome":"` + outcome + `","evidence":["ran it"]}` }

// TestBlocks: which block of one text is the report.
func TestBlocks(t *testing.T) {
	const absent = "-" // no report
	deep := strings.Repeat("[", 64) + strings.Repeat("]", 64)
	tests := []struct {
		name, text string
		outcome    string // absent, or the outcome of the one report
		problem    Problem
	}{
		{"fence outcome", "Done.\n\n" + fenceOf("outcome", good), "succeeded", ""},
		{"fence json", fenceOf("json", good), "succeeded", ""},
		{"fence json outcome", fenceOf("json outcome", good), "succeeded", ""},
		{"fence without label", fenceOf("", good), "succeeded", ""},
		{"label in capitals", fenceOf(" Outcome ", good), "succeeded", ""},
		{"label of another language", fenceOf("go", good), absent, NoBlock},
		{"label with more words", fenceOf("json title=x", good), absent, NoBlock},
		{"jsonc", fenceOf("jsonc", good), absent, NoBlock},
		{"tildes", "~~~outcome\n" + good + "\n~~~\n", "succeeded", ""},
		{"tildes with backticks inside", "~~~outcome\n" + `{"outcome":"failed","evidence":["` + "```" + `"]}` + "\n~~~\n", "failed", ""},
		{"longer fence", "`````outcome\n" + good + "\n```````\n", "succeeded", ""},
		{"shorter fence does not close", "````outcome\n" + good + "\n```\n````\n", absent, Broken},
		{"three spaces", "   ```outcome\n   " + good + "\n   ```\n", "succeeded", ""},
		{"four spaces are code", "x\n\n    ```outcome\n    " + good + "\n    ```\n", "succeeded", ""}, // a bare object in it
		{"unclosed fence", "```outcome\n" + good + "\n", "succeeded", ""},
		{"unclosed fence with prose", "```outcome\n" + good + "\n\nThat is all.\n", absent, Broken},
		{"empty fence outcome", "```outcome\n```\n", absent, Broken},
		{"fence outcome with an array", fenceOf("outcome", "["+good+"]"), absent, Broken},
		{"fence json with an array", fenceOf("json", "["+good+"]"), absent, NoBlock},
		{"in a list item", "1. did it\n\n   ```outcome\n   " + good + "\n   ```\n", "succeeded", ""},
		{"in a nested list item", "- a\n  - b\n    ```json\n    " + good + "\n    ```\n", "succeeded", ""},
		{"begins a list item", "- ```json\n  " + good + "\n  ```\n", "succeeded", ""},
		{"list item ends the fence", "- ```outcome\n  " + good + "\nplain\n", "succeeded", ""},
		{"details with CRLF", "x\r\n\r\n<details>\r\n<summary>Report</summary>\r\n\r\n```json\r\n{\r\n \"outcome\": \"succeeded\",\r\n \"evidence\": [\"ok\"]\r\n}\r\n```\r\n\r\n</details>\r\n", "succeeded", ""},
		{"details without blank lines", "<details>\n<summary>Report</summary>\n" + fenceOf("json", good) + "</details>\n", "succeeded", ""},
		{"carriage returns only", "x\r\r```json\r" + good + "\r```\r", "succeeded", ""},
		{"byte order mark", "\ufeff" + fenceOf("outcome", good), "succeeded", ""},
		{"byte order mark and whole text", "\ufeff" + good, "succeeded", ""},

		{"whole text", " \n" + good + "\n", "succeeded", ""},
		{"whole text without outcome", `{"status":"ok"}`, "", NoOutcome},
		{"whole text, an array", "[" + good + "]", absent, NoBlock},
		{"an array in prose", "Runs: [" + good + "] and [[" + good + "]]", absent, NoBlock},
		{"brackets in prose", "[WIP] [ ] [[ -f x ]] [x][y] " + good, "succeeded", ""},
		{"whole text, a string", `"succeeded"`, absent, NoBlock},
		{"whole text with markup", `{"outcome":"succeeded","evidence":["<all> passed"]}`, "succeeded", ""},
		{"bare in prose", "My report: " + good + " Thanks.\n", "succeeded", ""},
		{"bare over lines and blank lines", "Report:\n{\n  \"outcome\": \"failed\",\n\n  \"evidence\": [\"x\"]\n}\nEnd.\n", "failed", ""},
		{"bare in a code span", "Report: `" + good + "`\n", "succeeded", ""},
		{"bare in a table", "| a | b |\n|---|---|\n| " + good + " | x |\n", "succeeded", ""},
		{"bare in a heading", "# " + good + "\n", "succeeded", ""},
		{"text after the object", good + "\n\nMore text.\n", "succeeded", ""},
		{"other JSON in prose", `The config {"a": {"outcome": "failed"}} changed.`, absent, NoBlock},
		{"other JSON in a fence", fenceOf("json", `{"steps": {"outcome": "failed"}}`), absent, NoBlock},
		{"broken JSON with an inner outcome", fenceOf("json", `{"steps": {"outcome": "failed"}, ...}`), absent, NoBlock},
		{"braces in prose", "func() { return } and {{ x }} and {\"\n\n" + fenceOf("json", good), "succeeded", ""},
		{"inside a broken object", `{ broken ` + good, "succeeded", ""},
		{"a part of a truncated object", `{"x": ` + good, absent, NoBlock},
		{"in a link's title", "[x](/u '" + `{"outcome":"succeeded","evidence":["x"]}` + "')\n", absent, NoBlock},
		{"in a definition", "[x]: /u '" + `{"outcome":"succeeded","evidence":["x"]}` + "'\n", absent, NoText},
		{"an image's text", "![" + good + "](i.png)\n", absent, NoBlock},
		{"an attribute", "x <a title='" + good + "'>y</a>\n", absent, NoBlock},
		{"a footnote", "[^1]: " + good + "\n\n    " + good + "\n", absent, NoBlock},

		{"html comment", "<!--\n" + fenceOf("outcome", good) + "-->\n", absent, NoText},
		{"html comment and text", "Hi\n<!-- Example:\n\n" + fenceOf("outcome", good) + "\n-->\n", absent, NoBlock},
		{"html comment that never ends", "Hi\n\n<!-- x\n\n" + fenceOf("outcome", good), absent, NoBlock},
		{"html comment opened in a div", "<div><!--\n\n" + fenceOf("outcome", good) + "\n-->\n", absent, NoBlock},
		{"attribute that never ends", "<div title='\n\n" + fenceOf("outcome", good) + "\n'>\n", absent, NoBlock},
		{"template element", "<template>\n\n" + fenceOf("outcome", good) + "\n</template>\n", absent, NoBlock},
		{"template element in prose", "x <template>\n\n" + fenceOf("outcome", good), absent, NoBlock},
		{"inline comment", "a <!-- " + good + " --> b\n", absent, NoBlock},
		{"part of the object in a comment", `{"outcome":"failed", <!-- "x": 1, --> "evidence":["y"]}`, "failed", ""},
		{"comment in a fence is text", fenceOf("", "<!--") + fenceOf("outcome", good) + "-->\n", "succeeded", ""},
		{"comment in a code span is text", "Strip `<!--` first.\n\n" + fenceOf("outcome", good), "succeeded", ""},
		{"escaped comment is text", "\\<!-- " + good + " -->\n", "succeeded", ""},
		{"comment in an evidence string", fenceOf("json", `{"outcome":"failed","evidence":["<!-- x"]}`), "failed", ""},
		{"example in a comment and a report", "<!--\n" + fenceOf("json", say("failed")) + "-->\n\n" + fenceOf("json", good), "succeeded", ""},
		{"quote", "> " + strings.ReplaceAll(fenceOf("outcome", good), "\n", "\n> ") + "\n", absent, NoBlock},
		{"quote continued lazily", "> I said\n" + good + "\n", absent, NoBlock},
		{"fence after a quote", "> I said\n" + fenceOf("json", good), "succeeded", ""},
		{"quoted reply and a report", "> " + say("failed") + "\n\n" + fenceOf("outcome", good), "succeeded", ""},
		{"quote element", "<blockquote>\n\n" + fenceOf("json", say("failed")) + "\n</blockquote>\n\n" + fenceOf("json", good), "succeeded", ""},
		{"quote that hides what follows", "> <div title='\n\n" + fenceOf("outcome", good), absent, NoBlock},

		{"outcome wins over json", fenceOf("json", say("failed")) + fenceOf("outcome", good), "succeeded", ""},
		{"outcome wins over bare", say("failed") + "\n\n" + fenceOf("outcome", good), "succeeded", ""},
		{"broken outcome wins too", fenceOf("outcome", "{") + fenceOf("json", good), absent, Broken},
		{"equal blocks", fenceOf("json", good) + fenceOf("json", `{"evidence": ["go test ./...: ok"], "outcome": "succeede\u0064"}`), "succeeded", ""},
		{"equal numbers", fenceOf("json", `{"outcome":"failed","evidence":["x"],"n":100}`) + fenceOf("json", `{"outcome":"failed","evidence":["x"],"n":1.0e2}`), "failed", ""},
		{"different blocks", fenceOf("json", good) + fenceOf("json", say("failed")), absent, Ambiguous},
		{"different by a number", fenceOf("json", `{"outcome":"failed","evidence":["x"],"n":1}`) + fenceOf("json", `{"outcome":"failed","evidence":["x"],"n":1.5}`), absent, Ambiguous},
		{"one decodes and one does not", fenceOf("json", good) + fenceOf("json", `{"outcome":"failed",}`), absent, Ambiguous},
		{"template unfilled", "Please fill in:\n\n" + Template(), absent, NoBlock},
		{"template whole text", `{"outcome":"…"}`, absent, NoBlock},
		{"template and a report", Template() + fenceOf("json", good), "succeeded", ""},
		{"template without evidence", strings.Replace(Template(), "…", "succeeded", 1), "succeeded", NoEvidence},

		{"duplicate member", fenceOf("json", `{"outcome":"failed","outcome":"succeeded","evidence":["x"]}`), absent, Broken},
		{"duplicate member, escaped", fenceOf("json", `{"outcome":"failed","\u006futcome":"succeeded","evidence":["x"]}`), absent, Broken},
		{"duplicate member deep inside", fenceOf("json", `{"outcome":"failed","evidence":["x"],"y":[{"a":1,"a":2}]}`), absent, Broken},
		{"duplicate member before the outcome", fenceOf("json", `{"evidence":[],"evidence":["x"],"outcome":"succeeded"}`), absent, Broken},
		{"case variant", fenceOf("json", `{"outcome":"failed","Outcome":"succeeded","evidence":["x"]}`), absent, Broken},
		{"case variant alone", fenceOf("json", `{"Outcome":"succeeded","evidence":["x"]}`), absent, Broken},
		{"case variant by folding", fenceOf("json", `{"outcome":"succeeded","evidence":["x"],"ta`+"ſ"+`k_id":"1"}`), absent, Broken},
		{"case variant of no report", fenceOf("json", `{"Commit":"abc"}`), absent, NoBlock},
		{"NaN", fenceOf("json", `{"outcome":"succeeded","evidence":["x"],"n":NaN}`), absent, Broken},
		{"Infinity", fenceOf("json", `{"n":-Infinity,"outcome":"succeeded","evidence":["x"]}`), absent, Broken},
		{"trailing data", fenceOf("json", good+" {}"), absent, Broken},
		{"trailing comma", fenceOf("json", `{"outcome":"succeeded","evidence":["x",]}`), absent, Broken},
		{"comment in JSON", fenceOf("json", "{ // mine\n\"outcome\":\"succeeded\"}"), absent, Broken},
		{"single quotes", fenceOf("json", `{'outcome': 'succeeded'}`), absent, Broken},
		{"no quotes", fenceOf("json", `{outcome: "succeeded"}`), absent, Broken},
		{"truncated", fenceOf("json", `{"outcome":"succeeded","evidence":["x"`), absent, Broken},
		{"truncated in prose", `{"outcome":"succeeded","evidence":["x"`, absent, Broken},
		{"invalid UTF-8", fenceOf("json", `{"outcome":"succeeded","evidence":["`+"\xff"+`"]}`), absent, Broken},
		{"invalid UTF-8 before an escape", fenceOf("json", `{"outcome":"succeeded","evidence":["`+"\xff"+`\n"]}`), absent, Broken},
		{"half a surrogate pair", fenceOf("json", `{"outcome":"succeeded","evidence":["\ud83d x"]}`), absent, Broken},
		{"surrogate pair", fenceOf("json", `{"outcome":"failed","evidence":["\ud83d\ude00"]}`), "failed", ""},
		{"depth 64", fenceOf("json", `{"outcome":"failed","evidence":["x"],"d":`+deep[1:127]+`}`), "failed", ""},
		{"depth 65", fenceOf("json", `{"outcome":"failed","evidence":["x"],"d":`+deep+`}`), absent, Broken},
		{"a huge exponent", fenceOf("json", `{"outcome":"failed","evidence":["x"],"d":1e999999999}`), absent, Broken},
		{"too many items", fenceOf("json", `{"outcome":"failed","evidence":[`+strings.Repeat(`"x",`, 5000)+`"x"]}`), absent, Broken},
		{"over 256 KiB", fenceOf("json", `{"outcome":"failed","evidence":["`+strings.Repeat("x", 256<<10)+`"]}`), absent, Broken},
		{"over 256 KiB in parts", fenceOf("json", `{"outcome":"failed","evidence":[`+strings.Repeat(`"`+strings.Repeat("x", 1000)+`",`, 300)+`"x"]}`), absent, Broken},
		{"too many blocks", strings.Repeat(`{"a":1} `, 257), absent, Broken},
		{"as many blocks as allowed", strings.Repeat(`{"a":1} `, 255) + good, "succeeded", ""},

		{"unknown word", fenceOf("json", `{"outcome":"done","evidence":["x"]}`), "done", NoOutcome},
		{"word in capitals", fenceOf("json", `{"outcome":"Succeeded","evidence":["x"]}`), "Succeeded", NoOutcome},
		{"outcome is no string", fenceOf("json", `{"outcome":true,"evidence":["x"]}`), "true", NoOutcome},
		{"outcome is null", fenceOf("json", `{"outcome":null,"evidence":["x"]}`), "", NoOutcome},
		{"outcome absent in a fence of its own", fenceOf("outcome", `{"evidence":["x"]}`), "", NoOutcome},
		{"no outcome goes before no evidence", fenceOf("json", `{"outcome":"x"}`), "x", NoOutcome},
		{"no evidence", fenceOf("json", `{"outcome":"succeeded"}`), "succeeded", NoEvidence},
		{"empty evidence", fenceOf("json", `{"outcome":"succeeded","evidence":[]}`), "succeeded", NoEvidence},
		{"blank evidence", fenceOf("json", `{"outcome":"succeeded","evidence":[""," \t\n"]}`), "succeeded", NoEvidence},
		{"invisible evidence", fenceOf("json", `{"outcome":"succeeded","evidence":["\u200b\u2060\ufeff\u00ad","\u3164\u2800\u180e\ufe0f\u00a0\u0000"]}`), "succeeded", NoEvidence},
		{"numbers as evidence", fenceOf("json", `{"outcome":"succeeded","evidence":[12]}`), "succeeded", NoEvidence},
		{"no evidence goes before other errors", fenceOf("json", `{"outcome":"succeeded","evidence":[],"failing":1}`), "succeeded", NoEvidence},
		{"evidence is a string", fenceOf("json", `{"outcome":"succeeded","evidence":"12 passed"}`), "succeeded", Broken},
		{"other schema error", fenceOf("json", `{"outcome":"succeeded","evidence":["x"],"failing":"none"}`), "succeeded", Broken},
		{"failed without evidence", fenceOf("json", `{"outcome":"failed"}`), "failed", Broken},
		{"one item is no string", fenceOf("json", `{"outcome":"succeeded","evidence":["x",{}]}`), "succeeded", Broken},
		{"unknown members are fine", fenceOf("json", `{"outcome":"blocked","evidence":[],"mood":{"x":[1,2.5e3,null,true,false]}}`), "blocked", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := Read([]Text{{Carrier: "body", Author: "a/User", Body: tt.text}}, Options{})
			if r.Problem != tt.problem {
				t.Errorf("problem %q, want %q (%q)", r.Problem, tt.problem, r.Errors)
			}
			got := absent
			if r.Report != nil {
				got = r.Report.Outcome
			}
			if got != tt.outcome {
				t.Errorf("outcome %q, want %q", got, tt.outcome)
			}
			if found := r.Problem != NoText && r.Problem != NoBlock; r.Found != found {
				t.Errorf("found %v with problem %q", r.Found, r.Problem)
			}
			if (len(r.Errors) > 0) != (r.Found && r.Problem != "") {
				t.Errorf("problem %q with errors %q", r.Problem, r.Errors)
			}
			if r.Found && (r.Carrier != "body" || r.Author != "a/User") {
				t.Errorf("found in %q by %q", r.Carrier, r.Author)
			}
		})
	}
}

// TestAnyBad: a decoded block that says failed or blocked is never lost.
func TestAnyBad(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"succeeded", fenceOf("json", good), ""},
		{"failed", fenceOf("json", say("failed")), "failed"},
		{"blocked", fenceOf("json", say("blocked")), "blocked"},
		{"ambiguous", fenceOf("json", good) + fenceOf("json", say("blocked")), "blocked"},
		{"failed goes before blocked", fenceOf("json", say("blocked")) + fenceOf("json", say("failed")), "failed"},
		{"failed stays before blocked", fenceOf("json", say("failed")) + fenceOf("json", say("blocked")), "failed"},
		{"beside a broken one", fenceOf("json", `{"outcome":1,"outcome":2}`) + fenceOf("json", say("failed")), "failed"},
		{"breaks its schema", fenceOf("json", `{"outcome":"failed","evidence":7}`), "failed"},
		{"does not decode", fenceOf("json", `{"outcome":"failed",}`), ""},
		{"in a comment", "<!--\n" + fenceOf("json", say("failed")) + "-->\n", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if r := Read([]Text{{Carrier: "body", Body: tt.text}}, Options{}); r.AnyBad != tt.want {
				t.Errorf("got %q, want %q", r.AnyBad, tt.want)
			}
		})
	}
}

// TestCarriers: what counts when several texts hold reports.
func TestCarriers(t *testing.T) {
	const (
		mira = "mira/User"
		bot  = "gate[bot]/Bot"
		mark = "<!-- gate: main -->"
	)
	opts := Options{Authors: []string{mira, bot}, Gate: bot, Marker: mark}
	body := func(text string) Text {
		return Text{Carrier: "body", Author: mira, At: "2026-01-01T10:00:00Z", Body: text}
	}
	comment := func(author, at, text string) Text {
		return Text{Carrier: "comment", Author: author, At: at, Ref: at, Body: text}
	}
	failed, blocked := fenceOf("json", say("failed")), fenceOf("json", say("blocked"))
	tests := []struct {
		name    string
		texts   []Text
		want    string // carrier and outcome
		problem Problem
		anyBad  string
	}{
		{"nothing", nil, "", NoText, ""},
		{"blank", []Text{body(" \n"), {Carrier: "input", Body: "\u200b"}}, "", NoText, ""},
		{"placeholders", []Text{body("(empty)"), {Carrier: "input", Body: " [SILENT]\n"}, {Carrier: "file", Body: "(No response generated)"}}, "", NoText, ""},
		{"prose", []Text{body(""), {Carrier: "input", Body: "done"}}, "", NoBlock, ""},
		{"an image alone is something", []Text{body("<img src=x>")}, "", NoBlock, ""},
		{"a quote alone is something", []Text{body("> hi")}, "", NoBlock, ""},
		{"equal in two carriers", []Text{body(fenceOf("json", good)), {Carrier: "file", Body: good}}, "body succeeded", "", ""},
		{"different in two carriers", []Text{body(fenceOf("json", good)), {Carrier: "file", Body: say("failed")}}, "", Ambiguous, "failed"},
		{"broken in another carrier", []Text{body(fenceOf("json", good)), {Carrier: "file", Body: `{"outcome":`}}, "", Ambiguous, ""},
		{"two texts of one carrier", []Text{{Carrier: "file", Ref: "a", Body: good}, {Carrier: "file", Ref: "b", Body: say("failed")}}, "", Ambiguous, "failed"},
		{"newer comment by the same author", []Text{body(failed), comment(mira, "2026-01-01T11:00:00Z", good)}, "comment succeeded", "", ""},
		{"newer body by the same author", []Text{body(failed), comment(mira, "2026-01-01T09:00:00Z", good)}, "body failed", "", "failed"},
		{"times in different zones", []Text{body(failed), comment(mira, "2026-01-01T11:30:00+02:00", good)}, "body failed", "", "failed"},
		{"same time", []Text{body(failed), comment(mira, "2026-01-01T10:00:00Z", good)}, "", Ambiguous, "failed"},
		{"unknown time", []Text{body(failed), comment(mira, "", good)}, "", Ambiguous, "failed"},
		{"newer comment by somebody else", []Text{body(failed), comment(bot, "2026-01-01T11:00:00Z", good)}, "", Ambiguous, "failed"},
		{"newer and broken", []Text{body(fenceOf("json", good)), comment(mira, "2026-01-01T11:00:00Z", fenceOf("outcome", "{"))}, "", Broken, ""},
		{"nobody's texts", []Text{{Carrier: "file", At: "2026-01-01T10:00:00Z", Body: say("failed")}, {Carrier: "input", At: "2026-01-01T11:00:00Z", Body: good}}, "", Ambiguous, "failed"},
		{"newest comment", []Text{comment(mira, "1", failed), comment(mira, "2", good)}, "comment succeeded", "", ""},
		{"newest comment with a report", []Text{comment(mira, "1", failed), comment(mira, "2", "thanks")}, "comment failed", "", "failed"},
		{"newest comment, broken", []Text{comment(mira, "1", good), comment(mira, "2", fenceOf("outcome", "{"))}, "", Broken, ""},
		{"newest comment, two blocks", []Text{comment(mira, "1", good), comment(mira, "2", failed+blocked)}, "", Ambiguous, "failed"},
		{"stranger's comment", []Text{comment("eve/User", "1", good)}, "", NoText, ""},
		{"same login, other type", []Text{comment("mira/Bot", "1", good)}, "", NoText, ""},
		{"author unknown", []Text{comment("", "1", good)}, "", NoText, ""},
		{"the gate's own comment", []Text{comment(bot, "1", mark+"\n"+fenceOf("json", good))}, "", NoText, ""},
		{"the gate's account, another comment", []Text{comment(bot, "1", fenceOf("json", good))}, "comment succeeded", "", ""},
		{"the marker in somebody else's comment", []Text{comment(mira, "1", mark+"\n"+fenceOf("json", good))}, "comment succeeded", "", ""},
		{"file without the member", []Text{{Carrier: "file", Body: `{"status":"ok"}`}}, "file ", NoOutcome, ""},
		{"input without the member, in prose", []Text{{Carrier: "input", Body: `Done. {"status":"ok"} {"a":1}`}}, "input ", NoOutcome, ""},
		{"input, the member wins", []Text{{Carrier: "input", Body: `Done. {"status":"ok"} ` + good}}, "input succeeded", "", ""},
		{"body without the member", []Text{body(`Done. {"status":"ok"}`)}, "", NoBlock, ""},
		{"file, broken", []Text{{Carrier: "file", Body: `{"status":`}}, "", Broken, ""},
		{"file, broken in meaning", []Text{{Carrier: "file", Body: `{"a":1,"a":2}`}}, "", Broken, ""},
		{"body, broken in meaning, no report", []Text{body(`{"a":1,"a":2}`)}, "", NoBlock, ""},
		{"file with prose after it", []Text{{Carrier: "file", Body: good + "\nDone."}}, "file succeeded", "", ""},
		{"file in Markdown", []Text{{Carrier: "file", Body: "# Report\n\n" + fenceOf("outcome", good)}}, "file succeeded", "", ""},
		{"unknown carrier", []Text{body(fenceOf("json", good)), {Carrier: "dream", Body: good}}, "", Ambiguous, ""},
		{"only an unknown carrier", []Text{{Carrier: "", Body: good}}, "", Broken, ""},
		{"too long", []Text{{Carrier: "input", Body: good + strings.Repeat(" ", maxText)}}, "", Broken, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := slices.Clone(tt.texts)
			r := Read(tt.texts, opts)
			got := ""
			if r.Report != nil {
				got = r.Carrier + " " + r.Report.Outcome
			}
			if got != tt.want || r.Problem != tt.problem || r.AnyBad != tt.anyBad {
				t.Errorf("got %q, %q, %q; want %q, %q, %q (%q)", got, r.Problem, r.AnyBad, tt.want, tt.problem, tt.anyBad, r.Errors)
			}
			if !slices.Equal(before, tt.texts) {
				t.Error("the caller's texts were changed")
			}
		})
	}
}

// TestErrors: reasons are verbatim and have their place.
func TestErrors(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"duplicate", "Hi\n\n```json\n{\n  \"outcome\": \"failed\",\n  \"outcome\": \"x\"\n}\n```\n", []string{`body:6:3: duplicate member "outcome"`}},
		{"columns are characters", "é: {\"outcome\":\"failed\", \"evidence\":[\"é\" 1]}", []string{`body:1:41: unexpected '1': expected a comma or ]`}},
		{"CRLF", "Hi\r\n\r\n```outcome\r\nno\r\n```\r\n", []string{"body:4:1: expected a JSON object"}},
		{"byte order mark", "\ufeff{\"outcome\":1,\"outcome\":2}", []string{`body:1:14: duplicate member "outcome"`}},
		{"ends early", "```outcome\n{\"outcome\"", []string{"body:2:11: the JSON ends early: expected a colon"}},
		{"schema", fenceOf("json", `{"outcome":"succeeded","evidence":["x",1],"failing":"y","artifacts":[{}],"commit":3}`), []string{
			"$.artifacts[0]: expected string, but got object",
			"$.commit: expected string, but got number",
			"$.evidence[1]: expected string, but got number",
			"$.failing: expected array, but got string",
		}},
		{"ambiguous", good + "\n\n" + say("failed") + "\n", []string{
			`body:1:1: a report with the outcome "succeeded"`,
			`body:3:1: a report with the outcome "failed"`,
		}},
		{"missing", fenceOf("json", `{"outcome":"succeeded"}`), []string{"$: missing properties: 'evidence'"}},
		{"blank", fenceOf("json", `{"outcome":"succeeded","evidence":[" "]}`), []string{"$.evidence: expected an item that is not blank"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if r := Read([]Text{{Carrier: "body", Body: tt.text}}, Options{}); !slices.Equal(r.Errors, tt.want) {
				t.Errorf("got %q\nwant %q", r.Errors, tt.want)
			}
		})
	}
	t.Run("at most ten, each short", func(t *testing.T) {
		var items []string
		for i := range 50 {
			items = append(items, fmt.Sprint(i))
		}
		text := fenceOf("json", `{"outcome":"failed","evidence":[`+strings.Join(items, ",")+`],"`+strings.Repeat("k", 2000)+`":1,"commit":1}`)
		var blocks strings.Builder
		for i := range 50 {
			fmt.Fprintf(&blocks, `{"outcome":"%d%s"} `, i, strings.Repeat("é", 1000))
		}
		for _, text := range []string{text, blocks.String()} {
			r := Read([]Text{{Carrier: "body", Body: text}}, Options{})
			if len(r.Errors) != maxErrors {
				t.Errorf("%d errors, want %d", len(r.Errors), maxErrors)
			}
			for _, e := range r.Errors {
				if len(e) > maxError+len("…") {
					t.Errorf("%d bytes: %s", len(e), e)
				}
			}
		}
	})
}

// TestReport: every member arrives as it was written.
func TestReport(t *testing.T) {
	r := Read([]Text{{Carrier: "file", Ref: ".agent/outcome.json", At: "2026-01-01T10:00:00Z", Body: `{
		"outcome": "failed", "evidence": ["ran \"x\"\n", " "], "failing": ["a > b"], "artifacts": ["dist/a"],
		"commit": "abc1234", "task_id": "t", "dispatch_id": "d", "trace": "00-1", "more": [1.50, -0, 1e3, 12345678901234567890123]}`}}, Options{})
	if r.Problem != "" || r.Report == nil {
		t.Fatalf("problem %q (%q)", r.Problem, r.Errors)
	}
	p := r.Report
	got := fmt.Sprintf("%q", []any{p.Outcome, p.Evidence, p.Failing, p.Artifacts, p.Commit, p.TaskID, p.DispatchID, p.Trace, r.Carrier, r.Ref, r.At})
	want := `["failed" ["ran \"x\"\n" " "] ["a > b"] ["dist/a"] "abc1234" "t" "d" "00-1" "file" ".agent/outcome.json" "2026-01-01T10:00:00Z"]`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	const value = `{"artifacts":["dist/a"],"commit":"abc1234","dispatch_id":"d","evidence":["ran \"x\"\u000a"," "],"failing":["a > b"],"more":[15e-1,0,1000,12345678901234567890123e0],"outcome":"failed","task_id":"t","trace":"00-1"}`
	if string(p.Value) != value {
		t.Errorf("value %s", p.Value)
	}
}

func TestExplain(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range []Problem{NoText, NoBlock, Broken, Ambiguous, NoOutcome, NoEvidence, "other"} {
		text := Explain(p)
		if text == "" || seen[text] {
			t.Errorf("%q is explained as %q", p, text)
		}
		seen[text] = true
	}
	if Explain("") != "" {
		t.Error("no problem needs no explanation")
	}
}

func TestCarrierList(t *testing.T) {
	var names []string
	for _, c := range Carriers() {
		if names = append(names, c.Name); c.Doc == "" {
			t.Errorf("%s has no doc", c.Name)
		}
	}
	if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("names %q", names)
	}
}

// TestUnreadableText holds that a text that is there and could not be read is a broken report, beside another one too.
func TestUnreadableText(t *testing.T) {
	torn := Text{Carrier: "file", Ref: "x", Unreadable: "it is a folder"}
	r := Read([]Text{torn}, Options{})
	if r.Problem != Broken || !r.Found || r.Carrier != "file" || len(r.Errors) != 1 || r.Errors[0] != "file:1:1: it is a folder" {
		t.Errorf("alone: %+v", r)
	}
	good := Text{Carrier: "body", Author: "kim/User", Body: "```json\n{\"outcome\":\"succeeded\",\"evidence\":[\"x\"]}\n```"}
	if r := Read([]Text{good, torn}, Options{}); r.Problem != Ambiguous {
		t.Errorf("beside a good one: %+v", r)
	}
}
