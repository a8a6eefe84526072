package render

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/report"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

// missing is a receipt whose report misses its form, with every text of it s.
func missing(t *testing.T, s string) *receipt.Receipt {
	t.Helper()
	r := hostileReceipt(t, s)
	r.Reason, r.Result, r.Next = verdict.ContractMiss, verdict.Block, verdict.FixReport
	r.Report.Verdict, r.Report.Reason, r.Report.Heard = verdict.Exited, verdict.ContractMiss, true
	r.Report.Facts = verdict.ReportFacts{Found: true, Problem: report.Broken}
	r.Report.Miss, r.Report.Mention = strings.Repeat("4", 64), s
	return r
}

// TestCorrectionIsInert holds that of all that a correction quotes only a whole handle is live, and once.
func TestCorrectionIsInert(t *testing.T) {
	for _, s := range hostile() {
		r := missing(t, s)
		shown := correctionText(r, asked)
		if !strings.HasSuffix(shown, report.Template()) {
			t.Fatalf("%q: no block to fill in:\n%s", s, shown)
		}
		rest := strings.TrimSuffix(shown, "The report to fill in:\n\n"+report.Template())
		rest, ok := strings.CutPrefix(rest, "\n**To correct, once:** ")
		live := 0
		if isHandle(s) {
			rest, live = strings.TrimPrefix(rest, s+" "), 1
		}
		if bad := alive(Markdown(r)+"\n"+rest, len(r.Outcomes)); !ok || len(bad) > 0 {
			t.Errorf("%q: %v\n%s", s, bad, shown)
		}
		if s == "@octocat" && live != 1 {
			t.Errorf("no account is named:\n%s", shown)
		}
	}
	many := missing(t, "x")
	many.Report.Errors = nil
	for range 1000 {
		many.Report.Errors = append(many.Report.Errors, strings.Repeat("\x1b", 5000))
	}
	if n := len(correctionText(many, asked)); n > CommentBudget/2+2000 {
		t.Errorf("a correction of %d bytes", n)
	}
}

// TestHandles holds what is written live: what the contract's language lets through, and nothing else.
func TestHandles(t *testing.T) {
	for s, want := range map[string]bool{
		"@copilot": true, "@a": true, "@a-b": true, "@org/team": true, "@org/team_1": true, "@" + strings.Repeat("a", 39): true,
		"": false, "@": false, "copilot": false, "@-a": false, "@a b": false, "@a\n": false, "@a/": false, "@/a": false, "@a/b/c": false, "@@a": false, "@a/-b": false,
		"@a_b": false, "@" + strings.Repeat("a", 40): false, "@a/" + strings.Repeat("a", 101): false, "@é": false, "@a,@b": false, "@a](x)": false, "@a/b.c": false,
	} {
		if isHandle(s) != want {
			t.Errorf("%q: %v", s, !want)
		}
	}
}

// TestCorrectionCounted holds when a correction is asked for, from what the receipt and the comment before say.
func TestCorrectionCounted(t *testing.T) {
	r := missing(t, "x")
	head, other, text := r.Subject.HeadSHA, strings.Repeat("9", 40), strings.Repeat("5", 64)
	full := map[string]string{}
	for i := range maxCorrections {
		full[fmt.Sprintf("%040x", i)] = text
	}
	for _, c := range []struct {
		name   string
		before map[string]string
		asked  int
		change func(*receipt.Receipt)
		want   string
	}{
		{name: "nothing before", want: asked},
		{name: "this very text before", before: map[string]string{head: r.Report.Miss}, want: asked},
		{name: "another text before", before: map[string]string{head: text}, asked: 1, want: used},
		{name: "another text before, which was not known when it was judged", before: map[string]string{head: text}, want: used},
		{name: "the receipt alone knows", asked: 1, want: used},
		{name: "another head before", before: map[string]string{other: text}, want: asked},
		{name: "too many before", before: full, want: ""},
		{name: "something else decides", change: func(r *receipt.Receipt) { r.Reason = verdict.ExitNonzero }, want: ""},
		{name: "not heard", change: func(r *receipt.Receipt) { r.Report.Heard = false }, want: ""},
		{name: "no digest", change: func(r *receipt.Receipt) { r.Report.Miss = "" }, want: ""},
	} {
		x := *r
		x.Report.Asked = c.asked
		if c.change != nil {
			c.change(&x)
		}
		before := Memory{Corrections: c.before}
		size := len(c.before)
		m := Remember(&x, "Gate", before)
		if got := correctionOf(&x, m); got != c.want || len(c.before) != size {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		// What a comment says is what the next run reads of it, and the same receipt gives the same comment again.
		back, ok := ParseComment(Comment(&x, m))
		if !ok || len(back.Corrections) != len(m.Corrections) || Comment(&x, Remember(&x, "Gate", back)) != Comment(&x, m) {
			t.Errorf("%s: read back %v, %+v", c.name, ok, back.Corrections)
		}
		if quiet := Comment(&x, m.Quiet(&x, before)); c.before[head] == "" && strings.Contains(quiet, "To correct, once") {
			t.Errorf("%s: the quiet comment asks", c.name)
		}
	}
	for name, bad := range map[string]map[string]string{
		"no commit": {"main": text}, "no digest": {head: "x"}, "more than there can be": {"0": text},
	} {
		if name == "more than there can be" {
			for k := range full {
				bad[k] = text
			}
			delete(bad, "0")
			bad[head] = text
		}
		if _, ok := ParseComment(Comment(r, Memory{Name: "Gate", HeadSHA: head, Corrections: bad})); ok {
			t.Errorf("%s: it is believed", name)
		}
	}
}

// TestBlockCountsAttempts holds that the block says of each outcome whether its one repair was offered already.
func TestBlockCountsAttempts(t *testing.T) {
	for _, c := range []struct {
		once, used, want bool
		next             verdict.Next
	}{{true, false, false, verdict.RepairOnce}, {true, true, true, verdict.NeedsHuman}, {false, false, false, verdict.NeedsHuman}, {false, true, false, verdict.NeedsHuman}} {
		r := base()
		o := testsOutcome("unit", 1, 1)
		o.Rule.RepairOnce, o.RepairUsed = c.once, c.used
		r.Outcomes = []receipt.Outcome{o}
		finish(t, r)
		_, text, _ := strings.Cut(Comment(r, Memory{Name: "Gate", HeadSHA: r.Subject.HeadSHA}), blockOpen)
		text, _, _ = strings.Cut(text, blockClose)
		var b block
		if err := json.Unmarshal([]byte(text), &b); err != nil || len(b.Outcomes) != 1 || b.Outcomes[0].Next != c.next || b.Outcomes[0].RepairUsed != c.want {
			t.Errorf("%+v: %v, %s", c, err, text)
		}
	}
}
