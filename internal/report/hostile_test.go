package report

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// hostile are texts of about n bytes that are written to be slow.
func hostile(n int) map[string]string {
	fill := func(s string) string { return strings.Repeat(s, n/len(s)+1)[:n] }
	return map[string]string{
		"braces":              fill("{"),
		"braces-keys":         fill(`{"a":`),
		"objects":             fill(`{"a":1}`),
		"unclosed-objects":    fill(`{"outcome":"x" `),
		"open-strings":        fill(`{"`),
		"backticks":           fill("`"),
		"backtick-runs":       fill("` `` ``` ```` ` "),
		"escaped-backticks":   fill("\\```"),
		"rising-backticks":    risingBackticks(n),
		"brackets":            fill("["),
		"bracket-pairs":       fill("[]("),
		"arrays":              fill(`["`),
		"links":               fill("[a](b"),
		"nested-links":        fill("[a](") + fill(")"),
		"titles":              fill("[a](b \"") + "'",
		"parens":              fill("[a](((((((((b"),
		"images":              fill("![") + fill("]"),
		"nested-images":       fill("![![]"),
		"images-apart":        fill("![![") + fill("]![]]"),
		"definitions":         fill("[a]: /u 'x'\n"),
		"open-definitions":    fill("[a]: /u\n'x"),
		"labels":              fill("[a\n"),
		"quotes":              fill(">"),
		"quote-lines":         fill("> > > >\n"),
		"deep-quotes":         strings.Repeat(">", n/2) + fill("\n>")[:n/2],
		"deep-lists":          strings.Repeat("- ", n/4) + strings.Repeat("\n", n/2),
		"deep-lists-in-quote": "> " + strings.Repeat("- ", n/4) + strings.Repeat("\n>", n/4),
		"lists-and-text":      strings.Repeat("- ", n/4) + fill("x\n")[:n/2],
		"stairs":              stairs(n),
		"numbers":             fill("1. "),
		"rules":               fill("* ") + "x",
		"rules-mixed":         fill("* - _ "),
		"comments":            fill("<!--"),
		"comments-in-text":    fill("a <!-- "),
		"closed-comments":     fill("a <!-- --> "),
		"block-comments":      fill("<!-- -->\n"),
		"div-comments":        "<div>" + fill("<!-- -->"),
		"instructions":        fill("a <? "),
		"declarations":        fill("a <!A "),
		"cdata":               fill("a <![CDATA["),
		"tags":                fill("a <b "),
		"tag-chain":           "x " + fill("<a x=' y=\""),
		"attributes":          "x " + fill("<a b c d e f "),
		"autolinks":           fill("<aa:"),
		"angles":              fill("<"),
		"block-tags":          fill("<div>\n\n"),
		"block-tag-chain":     "<div>" + fill("<a x=' y=\""),
		"scripts":             fill("<script>"),
		"templates":           fill("x <template></template> "),
		"fences":              fill("```\n"),
		"fences-json":         fill("```json\n{\"outcome\"\n```\n"),
		"tildes":              fill("~"),
		"unclosed-fence":      "```outcome\n" + fill("x\n"),
		"fence-in-list":       fill("- ```\n"),
		"underlines":          fill("=\n"),
		"text-underlines":     fill("a\n=\n"),
		"tables":              fill("|-|\n"),
		"cells":               fill("|`a|"),
		"footnotes":           fill("[^a]:\n"),
		"nested-footnotes":    fill("[^a]: "),
		"spaces":              fill(" "),
		"tabs":                fill("\t"),
		"lines":               fill("\n"),
		"returns":             fill("\r"),
		"zeros":               fill("\x00"),
		"words":               fill("outcome "),
		"json-words":          "```json\n" + fill("{outcome ") + "\n```",
		"a-long-string":       `{"outcome":"` + fill("x"),
		"escapes":             `{"outcome":"` + fill(`\u00e9`),
		"a-long-number":       `{"outcome":` + fill("1"),
		"many-members":        `{"outcome":1,` + fill(`"x":1,`),
	}
}

// risingBackticks holds runs of one backtick, of two, of three and so on.
func risingBackticks(n int) string {
	var out strings.Builder
	for k := 1; out.Len() < n; k++ {
		out.WriteString(strings.Repeat("`", k) + " ")
	}
	return out.String()
}

// stairs is a list in a list in a list, a level on each line.
func stairs(n int) string {
	var out strings.Builder
	for k := 0; out.Len() < n; k++ {
		out.WriteString(strings.Repeat("  ", k) + "- x\n")
	}
	return out.String()
}

// maxSteps is the law: the bytes looked at grow with the text and with nothing else. The factor is that of
// failed attempts at tags and links; the constant is for texts of a few bytes.
func maxSteps(n int) int { return 3*(maxTries+4)*n + 4096 }

func TestHostileTextsTakeLinearTime(t *testing.T) {
	for name, text := range hostile(64 << 10) {
		_, steps := read([]Text{{Carrier: "body", Body: text}}, Options{})
		if steps > maxSteps(len(text)) {
			t.Errorf("%s: %d steps for %d bytes", name, steps, len(text))
		}
		if steps < len(text)/2 {
			t.Errorf("%s: only %d steps counted for %d bytes", name, steps, len(text))
		}
	}
}

func seeds() []string {
	out := []string{
		"Done.\n\n" + fenceOf("outcome", good), fenceOf("json", good) + fenceOf("json", say("failed")), good, "{\"outcome\":\"failed\"",
		"- ~~~json outcome\r\n  " + good + "\r\n  ~~~\r\n", "<details>\n\n" + fenceOf("", good) + "\n</details>\n", "<!-- x\n" + good + "\n-->\n" + good,
		"> " + good + "\n" + good, "a `<!--` b --> ![c](d 'e') [f]: /g\n" + good, Template(), "| a |\n|---|\n| " + good + " |\n", "[^1]: x\n\n" + good,
	}
	for _, text := range hostile(60) {
		out = append(out, text)
	}
	return out
}

// FuzzRead: reading any text never panics, is linear, gives the same result twice, and finds nothing in what is
// inside an HTML comment or a block quote.
func FuzzRead(f *testing.F) {
	for _, s := range seeds() {
		if s == "" {
			f.Fatal("empty seed")
		}
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, carrier := range []string{"body", "file"} {
			texts := []Text{{Carrier: carrier, Body: text}}
			r, steps := read(texts, Options{})
			if steps > maxSteps(len(text)) {
				t.Errorf("%d steps for %d bytes", steps, len(text))
			}
			if again := Read(texts, Options{}); !reflect.DeepEqual(r, again) {
				t.Errorf("%+v and then %+v", r, again)
			}
			if r.Problem == "" && (r.Report == nil || !json.Valid(r.Report.Value)) {
				t.Errorf("no problem, and no report: %+v", r)
			}
			if len(r.Errors) > maxErrors || r.Found != (r.Problem != NoText && r.Problem != NoBlock) {
				t.Errorf("odd reading %+v", r)
			}
		}
		hidden := map[string]string{
			"comment": "<!--\n" + strings.ReplaceAll(text, "-->", "-- >") + "\n-->\n",
			"quote":   quoted(text),
		}
		for where, wrapped := range hidden {
			if r := Read([]Text{{Carrier: "file", Body: wrapped}}, Options{}); r.Found {
				t.Errorf("found in a %s: %+v\n%q", where, r, wrapped)
			}
		}
	})
}

func quoted(text string) string {
	var out strings.Builder
	for b := 0; b < len(text); {
		_, next := lineEnd([]byte(text), b)
		out.WriteString("> " + text[b:next])
		b = next
	}
	return out.String()
}

// TestCanonicalIsStable: decoding what canonical wrote gives the same bytes again.
func TestCanonicalIsStable(t *testing.T) {
	for _, text := range []string{good, `{"outcome":"\u0001\"\\é\ud83d\ude00","n":[-0.0,-1.50e-7,1E+2,0.001,100000000000000000000000],"t":{"b":true,"a":null}}`} {
		object, d := decodeObject([]byte(text), 0)
		if d.fault != nil {
			t.Fatalf("%s: %+v", text, d.fault)
		}
		first := canonical(object)
		object, d = decodeObject(first, 0)
		if d.fault != nil || string(canonical(object)) != string(first) {
			t.Errorf("%s became %s", first, canonical(object))
		}
	}
}

// TestRealBodies reads descriptions of real pull requests by agents: none holds a report, and one that is added
// at the end is found.
func TestRealBodies(t *testing.T) {
	root := os.Getenv("GATE_CORPUS")
	if root == "" {
		t.Skip("GATE_CORPUS does not name the corpus")
	}
	files, err := filepath.Glob(filepath.Join(root, "pr-bodies", "[0-9]*.json"))
	if err != nil || len(files) == 0 {
		t.Skipf("no texts below %s", root)
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
		if r := Read([]Text{{Carrier: "body", Body: entry.Body}}, Options{}); r.Found {
			t.Errorf("%s: found %+v", file, r)
		}
		for _, added := range []string{fenceOf("outcome", good), "\n" + fenceOf("json", good), "\n\nReport: " + good} {
			if r := Read([]Text{{Carrier: "body", Body: entry.Body + "\n" + added}}, Options{}); r.Problem != "" || r.Report.Outcome != "succeeded" {
				t.Errorf("%s: with a report added: %+v", file, r)
			}
		}
	}
	t.Logf("%d texts", len(files))
}

func BenchmarkHostile(b *testing.B) {
	for _, size := range []int{64 << 10, 128 << 10, 256 << 10} {
		for name, text := range hostile(size) {
			b.Run(name+"/"+sizeName(size), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					Read([]Text{{Carrier: "body", Body: text}}, Options{})
				}
			})
		}
	}
}

func sizeName(n int) string {
	return map[int]string{64 << 10: "64KiB", 128 << 10: "128KiB", 256 << 10: "256KiB"}[n]
}

// BenchmarkBody reads a description of 256 KiB of ordinary Markdown with its report at the end.
func BenchmarkBody(b *testing.B) {
	part := "## Change\n\nReworks `parse` and {\"a\": 1} in [the reader](https://example.com/x \"docs\"), see <b>below</b>.\n\n" +
		"- [x] tests pass\n- [ ] docs\n  1. first\n\n```go\nfunc f() { return }\n```\n\n> quoted before\n\n| a | b |\n|---|---|\n| c | d |\n\n" +
		"<details>\n<summary>Log</summary>\n\n```\nok  \t0.1s\n```\n\n</details>\n\n<!-- template: fill in -->\n\n"
	text := strings.Repeat(part, (256<<10)/len(part)) + fenceOf("outcome", good)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if r := Read([]Text{{Carrier: "body", Body: text}}, Options{}); r.Problem != "" {
			b.Fatal(r.Problem, r.Errors)
		}
	}
}
