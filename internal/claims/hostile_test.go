package claims

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/report"
)

// hostile are texts of n bytes that are written to be slow, or to be read as many claims.
func hostile(n int) map[string]string {
	fill := func(s string) string { return strings.Repeat(s, n/len(s)+1)[:n] }
	var distinct strings.Builder
	for i := 0; distinct.Len() < n; i++ {
		fmt.Fprintf(&distinct, "%d passed. ", i)
	}
	return map[string]string{
		"braces": fill("{"), "backticks": fill("`"), "backtick runs": fill("` `` ``` "), "brackets": fill("["), "angles": fill(">"), "quotes": fill("> "), "digits": fill("7"),
		"passed": fill("passed "), "counts": fill("1 passed "), "lists": fill("1 passed, 2 failed, "), "open quotes": fill(`"a `), "single quotes": fill("'a "),
		"comments": fill("<!--"), "tags": fill("<del>"), "closed tags": fill("<s></s>"), "tildes": fill("~~"), "adjectives": fill("12 a b c d e "), "tests": fill("tests are now "),
		"all tests": fill("all tests pass and "), "not": fill("not "), "boxes": fill("- [x] a\n"), "rows": fill("| 1 passed "), "parens": fill("(1 passed "), "numbers": fill("1 "),
		"commas": fill("1,234,567 "), "ratios": fill("1/1 "), "commands": fill("`go test`: ok "), "labels": fill("passed: 1 "), "colons": fill("a:b:"), "of": fill("1 of 1 tests in a "),
		"distinct": distinct.String()[:n], "japanese": fill("テスト1件成功"), "kana": fill("テ"), "headings": fill("# plan\n"), "indents": fill("    1 passed\n"), "points": fill("."),
		"apostrophes": fill("n't"), "comment in code": fill("<pre><!-- "), "underscores": fill("_"), "dashes": fill("-"), "slashes": fill("/"), "lines": fill("a\n"), "blank": fill("\n"),
	}
}

// TestStepsAreLinear states the law: whatever the text, what is looked at grows no faster than the text.
func TestStepsAreLinear(t *testing.T) {
	const most = 48 // looks at each byte: the Markdown scanner's own, and a few of ours
	for name, small := range hostile(64 << 10) {
		start := time.Now()
		found := Find(&report.Reading{}, []string{small})
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%s: %v", name, took)
		}
		if found.steps > most*len(small) {
			t.Errorf("%s: %d steps for %d bytes", name, found.steps, len(small))
		}
		large := Find(&report.Reading{}, []string{hostile(256 << 10)[name]})
		if large.steps > 5*max(found.steps, len(small)) {
			t.Errorf("%s: %d steps, and %d for four times the text", name, found.steps, large.steps)
		}
		for _, c := range found.Claims {
			if len(c.Text) > 2*maxItem+8 || len(c.Command) > maxItem+8 {
				t.Errorf("%s: a claim of %d bytes", name, len(c.Text))
			}
		}
		if len(found.Claims) > MaxFound {
			t.Errorf("%s: %d claims", name, len(found.Claims))
		}
	}
}

// TestManyClaims holds the bound on claims: what is over it is counted.
func TestManyClaims(t *testing.T) {
	var b strings.Builder
	for i := range MaxFound + 7 {
		fmt.Fprintf(&b, "%d passed.\n\n", i)
	}
	found := Find(&report.Reading{}, []string{b.String()})
	if len(found.Claims) != MaxFound || found.Unread != 7 {
		t.Errorf("%d claims, %d unread", len(found.Claims), found.Unread)
	}
	if again := Find(&report.Reading{}, []string{b.String(), b.String()}); len(again.Claims) != MaxFound || again.Unread != 14 {
		t.Errorf("%d claims, %d unread", len(again.Claims), again.Unread)
	}
	long := "a " + strings.Repeat("b ", maxBlock)
	if found := Find(&report.Reading{}, []string{"12 passed.\n\n" + long + "\n\n13 passed."}); len(found.Claims) != 2 || found.Unread != 1 {
		t.Errorf("%d claims, %d unread", len(found.Claims), found.Unread)
	}
	if found := Find(&report.Reading{}, []string{strings.Repeat("a\n", 9<<20)}); found.Unread != 1 {
		t.Errorf("a text over all limits: %+v", found.Unread)
	}
	if over := strings.Repeat("a ", maxSentence) + "12 passed"; foundClaims(over) != 0 {
		t.Error("a listing claims something")
	}
}

func foundClaims(s string) int { return len(Find(&report.Reading{}, []string{s}).Claims) }

// prose is about n bytes of paragraphs such as people write, with a claim now and then.
func prose(n int) string {
	const page = "The parser keeps `its state` between calls, and a *long* line is cut [here](https://example.org/a).\nNothing else changes (see the notes), " +
		"so no caller has to.\n\n- [x] pytest: 12 passed\n- [ ] all tests pass\n\n> quoted 99 passed\n\n"
	return strings.Repeat(page, n/len(page)+1)[:n]
}

// TestMemoryIsBounded reads a large text: what stays in use is bound to the text, not to its words.
func TestMemoryIsBounded(t *testing.T) {
	text := prose(10 << 20)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	found := Find(&report.Reading{}, []string{text})
	runtime.ReadMemStats(&after)
	if len(found.Claims) != 1 {
		t.Errorf("%d claims", len(found.Claims))
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 16*uint64(len(text)) {
		t.Errorf("%d bytes allocated for %d", used, len(text))
	}
}

func BenchmarkFind(b *testing.B) {
	for _, n := range []int{64 << 10, 2560 << 10, 5 << 20, 10 << 20} {
		text := prose(n)
		b.Run(fmt.Sprintf("%dKiB", n>>10), func(b *testing.B) {
			b.SetBytes(int64(n))
			b.ReportAllocs()
			for b.Loop() {
				Find(&report.Reading{}, []string{text})
			}
		})
	}
}

// FuzzFind states the laws: nothing panics; what is found is bounded; no claim is taken out of a fence, a quotation, a
// comment or an unchecked box, whatever stands in it; and judging gives every claim a result.
func FuzzFind(f *testing.F) {
	seeds := []string{"12 passed", "all tests pass", "`go test ./...`: ok", "- [x] 3 tests, 0 failures", "テスト: 12件成功", "I could not run the tests", "a\n\n    1 passed", "\"12 passed", "'12 passed'", "~~1 passed"}
	for _, s := range seeds {
		f.Add(s)
	}
	for _, s := range hostile(300) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		found := Find(&report.Reading{}, []string{s})
		if found.steps > 64*len(s)+4096 {
			t.Errorf("%d steps for %d bytes", found.steps, len(s))
		}
		Judge(found.Claims, &Observed{Suites: []Suite{{Distinct: Sum{Passed: 3}, Records: Sum{Passed: 3}, Whole: true}}})
		for _, c := range found.Claims {
			if len(c.Text) > 2*maxItem+8 || c.Result == "" || c.Detail == "" {
				t.Errorf("%+v", c)
			}
		}
		line := strings.NewReplacer("\n", " ", "\r", " ").Replace(s)
		fenced := strings.Repeat("`", 3+strings.Count(s, "`"))
		for _, hidden := range []string{
			fenced + "\n" + s + "\n" + fenced, "> " + line, "<!-- " + strings.NewReplacer("--", "", ">", "", "<", "").Replace(line) + " -->",
			"a \"" + strings.NewReplacer(`"`, "", "\\", "", "`", "", "<", "", "~", "", "“", "", "”", "", "[", "", "]", "", "'", "", "‘", "", "«", "", "「", "", "『", "", "„", "").Replace(line) + "\" b",
		} {
			for _, c := range Find(&report.Reading{}, []string{hidden}).Claims {
				t.Errorf("%q: out of what is not its own prose comes %s", hidden, short(c))
			}
		}
		for _, c := range Find(&report.Reading{}, []string{"- [ ] " + line}).Claims {
			if c.Kind != Admission {
				t.Errorf("%q: a box that is not checked claims %s", line, short(c))
			}
		}
	})
}
