package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"github.com/outcome-gate/outcome-gate/internal/claims"
	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

// hostile are texts that try to be more than text.
func hostile() []string {
	return []string{
		"@octocat", "hi @org/team, look", "#12", "GH-1", "o/r#3", "o/r@" + strings.Repeat("a", 40), strings.Repeat("deadbeef", 5), "deadbee",
		"https://evil.example", "http://evil.example/x", "www.evil.example", "a@evil.example", "mailto:a@evil.example", "xmpp:a@evil.example",
		"[click](https://evil.example)", "![x](https://evil.example/p.png)", "[ref]: https://evil.example", "[x][ref]", "<https://evil.example>",
		"<img src=x onerror=alert(1)>", "<script>alert(1)</script>", "</details><h1>x</h1>", "<!-- hidden", "-->", "<details open>", "&lt;b&gt;", "&#60;b&#62;", "&#64;octocat",
		"a|b", `a\|b`, `a\\|b`, "|", `\`, "x | y | z | <b>", "---", "===", "# heading", "## x", "\n# heading", "a\n\n# heading\n", "1. one", "- item", "+ item", "* item", "> quote", "    code", "\tcode",
		"```", "````\nx", "`", "``", "`a`", " `a` ", "a`b``c", "~~~", "~~strike~~", "**bold**", "_em_", "$x$", ":smile:", "- [x] done", "[^1]", "[^1]: note",
		"\x1b[31mred\x1b[0m", "\x00", "\x07bell", "a\rb", "a\r\nb", "\u202Eevil\u202C", "\u2066x\u2069", "a\u200Bb", "\uFEFFx", "\u2028x", "\u2029x", "x\u00ADy", "\U000E0041", "\u3164", "\u034F", "\uFE0F",
		"\xff\xfe", "\xed\xa0\x80", "##[error]x", "x ##[add-mask]y", "::error::x", "  ::set-output name=a::b", "###[group]", "##vso[task.complete]",
		"", " ", "\n", strings.Repeat("x", 5000), strings.Repeat("`", 400), strings.Repeat("|", 400), strings.Repeat("\x1b", 400), strings.Repeat("<b>", 200),
	}
}

// hostileReceipt has s in every place that may hold a text of the change.
func hostileReceipt(t testing.TB, s string) *receipt.Receipt {
	t.Helper()
	r := base()
	r.Outcomes = []receipt.Outcome{
		fileOutcome(s, s, "2", made(s, '3')), fileOutcome("a", s+"*", "", &evidence.FileSet{Tier: "run", Near: s}),
		stepOutcome("b"+s, s, "failure"), testsOutcome("unit", 1, 1), approvalOutcome("w", "user:"+s),
	}
	r.Subject.Repository, r.Subject.BaseRef = s, s
	r.Contract.Path, r.Contract.Branch, r.Contract.Weakens, r.Contract.ApprovedBy = s, s, weakened(s), []string{s}
	r.Contract.ChangedBySubject = true
	r.Protected, r.Agents, r.Notes = []string{s}, []string{s}, []string{s}
	r.Report.Carrier, r.Report.Author, r.Report.Errors = s, s, []string{s}
	r.Report.Claimed = receipt.Claimed{Evidence: []string{s}, Failing: []string{s}, Artifacts: []string{s}, Commit: s}
	r.Report.Claims = []claims.Claim{{Kind: claims.Command, From: claims.FromEvidence, Text: s, Command: s}, {Kind: claims.Failing, From: claims.Source(s), Text: s}}
	r.Problems = []contract.Problem{{File: s, Line: 1, Col: 1, Code: contract.CodeValue, Message: s, Hint: s}}
	r.Circumstances.BoundarySource = s
	finish(t, r)
	// What a forged receipt could hold where this gate only writes its own words.
	r.Report.Claims[0].Detail, r.Report.Claims[1].Result, r.Report.ClaimsMore, r.Report.ClaimsUnread = s, claims.Result(s), -3, 2
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		o.Detail, o.Who = s, s
		for j := range o.Validators {
			o.Validators[j].Detail, o.Validators[j].Kind = s, s
		}
	}
	return r
}

// variants are the hostile receipt under the verdicts whose titles quote different places.
func variants(t testing.TB, s string) []*receipt.Receipt {
	var out []*receipt.Receipt
	whole := hostileReceipt(t, s)
	for _, v := range []struct {
		reason verdict.Reason
		result verdict.Result
	}{
		{verdict.FalseSuccess, verdict.Block}, {verdict.EvidenceIncomplete, verdict.Block}, {verdict.ProtectedChange, verdict.Wait},
		{verdict.Awaiting, verdict.Wait}, {verdict.BaseNotTrusted, verdict.Wait}, {verdict.CannotLook, verdict.Error},
		{verdict.ContractMissing, verdict.Error}, {verdict.ContractInvalid, verdict.Error}, {verdict.Reason(s), verdict.Block},
		{verdict.Reason(s), verdict.Error}, {verdict.Reason(s), verdict.Wait}, {verdict.Reason(s), verdict.Pass},
	} {
		r := new(receipt.Receipt)
		*r = *whole
		r.Reason, r.Result, r.Scope.Look = v.reason, v.result, s
		out = append(out, r)
	}
	forged := whole
	forged.Verdict, forged.Next, forged.Report.Verdict, forged.Report.Reason = verdict.Verdict(s), verdict.Next(s), verdict.Verdict(s), verdict.Reason(s)
	forged.Reason, forged.Digest, forged.Gate.Version = verdict.Reason(s), s, s
	forged.Coverage, forged.VerifiedRate = &s, &s
	forged.Report.Facts.Outcome = s
	for i := range forged.Outcomes {
		o := &forged.Outcomes[i]
		o.State, o.Code, o.Next = evidence.State(s), s, verdict.Next(s)
		for j := range o.Files {
			o.Files[j] = evidence.Finding{State: evidence.State(s), Code: s, Detail: s}
		}
		for j := range o.Validators {
			o.Validators[j].State, o.Validators[j].Code, o.Validators[j].Version = evidence.State(s), s, s
		}
	}
	return append(out, forged)
}

// linked is what GitHub turns into links in plain text after Markdown is rendered: mentions, references, commits.
var linked = regexp.MustCompile(`(?i)@[a-z0-9]|#[0-9]|\bgh-[0-9]|\b[0-9a-f]{7,40}\b|https?:|www\.|:[a-z_]+:`)

// TestMarkdownIsInert renders hostile receipts as GitHub Flavored Markdown and looks for anything alive.
func TestMarkdownIsInert(t *testing.T) {
	for _, s := range hostile() {
		for i, r := range variants(t, s) {
			md := Markdown(r)
			if len(md) > MarkdownBudget {
				t.Fatalf("%q: %d bytes", s, len(md))
			}
			if bad := alive(md, len(r.Outcomes)); len(bad) > 0 {
				t.Fatalf("variant %d of %q: %s\n%s", i, s, strings.Join(bad, "; "), md)
			}
		}
	}
}

// alive lists what of a rendered receipt is neither text nor one of our own elements.
func alive(md string, outcomes int) []string {
	var bad []string
	src := []byte(md)
	doc := goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote)).Parser().Parse(text.NewReader(src))
	headings, tables, rows := 0, 0, 0
	ours := map[string]bool{
		"<details><summary>Validators</summary>": true, "<details><summary>Files</summary>": true,
		"<details><summary>Where this comes from</summary>": true, "</details>": true,
	}
	html := func(raw string) {
		for line := range strings.Lines(raw) {
			if line = strings.TrimSpace(line); line != "" && !ours[line] {
				bad = append(bad, fmt.Sprintf("HTML %q", line))
			}
		}
	}
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Document, *ast.Paragraph, *ast.TextBlock, *ast.List, *ast.ListItem, *east.TableCell, *east.TableHeader:
		case *ast.CodeSpan:
			return ast.WalkSkipChildren, nil
		case *ast.Text:
			if found := linked.Find(n.Segment.Value(src)); found != nil {
				bad = append(bad, fmt.Sprintf("text %q would be linked", found))
			}
		case *ast.String:
			if found := linked.Find(n.Value); found != nil {
				bad = append(bad, fmt.Sprintf("text %q would be linked", found))
			}
		case *ast.Emphasis:
			inner := string(n.FirstChild().(*ast.Text).Segment.Value(src))
			if n.Level != 2 || !slices.Contains([]string{"Report:", "Claimed against observed", "Said by the report", "Next:", "Contract", "Protected paths that this change touches", "What the change weakens in the contract", "What it asks for instead, of which nobody can tell that it is as much"}, inner) {
				bad = append(bad, fmt.Sprintf("emphasis %q", inner))
			}
		case *ast.Heading:
			headings++
		case *east.Table:
			tables++
		case *east.TableRow:
			rows++
			if n.ChildCount() != 4 {
				bad = append(bad, fmt.Sprintf("a row of %d cells", n.ChildCount()))
			}
		case *ast.HTMLBlock:
			var b bytes.Buffer
			for i := range n.Lines().Len() {
				line := n.Lines().At(i)
				b.Write(line.Value(src))
			}
			if n.HasClosure() {
				b.Write(n.ClosureLine.Value(src))
			}
			html(b.String())
		case *ast.RawHTML:
			html(string(n.Segments.Value(src)))
		default:
			bad = append(bad, fmt.Sprintf("a %s", n.Kind()))
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		bad = append(bad, err.Error())
	}
	if headings != 1 || tables != 1 || rows != outcomes {
		bad = append(bad, fmt.Sprintf("%d headings, %d tables, %d rows", headings, tables, rows))
	}
	if i := strings.IndexFunc(md, func(r rune) bool { return r != '\n' && hidden(r) }); i >= 0 {
		bad = append(bad, fmt.Sprintf("the hidden rune %q", md[i:min(i+4, len(md))]))
	}
	return bad
}

// TestTheLookoutSees proves that alive finds what it is there for.
func TestTheLookoutSees(t *testing.T) {
	good := Markdown(samples(t)[0].r)
	n := len(samples(t)[0].r.Outcomes)
	if bad := alive(good, n); len(bad) > 0 {
		t.Fatalf("a good receipt is taken for alive: %v", bad)
	}
	for _, evil := range []string{
		"@octocat", "#12", "deadbee", "https://evil.example", "[x](y)", "![x](y)", "<img src=x>", "<b>", "**x**", "~~x~~", "\n# x", "\n---\n", "\n    code\n", "\n> x\n", "\u202E", "[^1]\n\n[^1]: x\n",
	} {
		if bad := alive(good+"\n"+evil+"\n", n); len(bad) == 0 {
			t.Errorf("%q is not seen", evil)
		}
	}
}

// TestTextIsInert looks for control characters and workflow commands in text, titles and lines.
func TestTextIsInert(t *testing.T) {
	for _, s := range hostile() {
		for i, r := range variants(t, s) {
			problem, err := Problem(r)
			if err != nil {
				t.Fatal(err)
			}
			for name, out := range map[string]string{"text": Text(r, false), "title": Title(r) + "\n", "table": Table([][]string{{s, s}, {s, s}}), "problem": string(problem)} {
				if bad := commands(out); bad != "" {
					t.Fatalf("variant %d of %q: %s holds %s:\n%s", i, s, name, bad, out)
				}
			}
			if title := Title(r); strings.Contains(title, "\n") || len(title) > titleBytes+len("…") {
				t.Errorf("%q: the title has %d bytes", s, len(title))
			}
		}
	}
}

// commands names what a runner or terminal would obey in a text.
func commands(s string) string {
	for line := range strings.Lines(s) {
		body := strings.TrimLeft(strings.TrimSuffix(line, "\n"), " \t")
		switch {
		case strings.HasPrefix(body, "::"):
			return "a workflow command"
		case strings.Contains(line, "##["), strings.Contains(line, "##vso["):
			return "an old workflow command"
		case strings.ContainsFunc(strings.TrimSuffix(line, "\n"), hidden):
			return "a hidden character"
		}
	}
	return ""
}

// TestBudget holds the Markdown of large receipts to its budget, and what was left out to being named.
func TestBudget(t *testing.T) {
	r := base()
	for i := range 500 {
		o := fileOutcome(fmt.Sprintf("outcome-%03d-%s", i, strings.Repeat("x", 40)), "dist/"+strings.Repeat("y", 200), "2", made("dist/"+strings.Repeat("y", 200), '3'))
		if i%3 == 0 {
			o = stepOutcome(fmt.Sprintf("outcome-%03d", i), "s", "success")
		}
		r.Outcomes = append(r.Outcomes, o)
	}
	finish(t, r)
	md := Markdown(r)
	if len(md) > MarkdownBudget {
		t.Fatalf("%d bytes, over %d", len(md), MarkdownBudget)
	}
	if len(md) < MarkdownBudget/2 {
		t.Errorf("only %d bytes are used: too much was left out", len(md))
	}
	for _, want := range []string{"Left out to fit: files, validators,", "| and ", "167 verified", "EXITED"} {
		if !strings.Contains(md, want) {
			t.Errorf("it does not say %q", want)
		}
	}
	if bad := alive(md, strings.Count(md, "\n| `outcome-")+1); len(bad) > 0 {
		t.Errorf("%v", bad)
	}
	small := base()
	small.Outcomes = []receipt.Outcome{stepOutcome("smoke", "smoke", "success")}
	if md := Markdown(finish(t, small)); strings.Contains(md, "Left out") {
		t.Error("a small receipt says that something was left out")
	}
}

// FuzzInert states the law for any text: nothing of it is alive on any surface.
func FuzzInert(f *testing.F) {
	n := 0
	for _, s := range hostile() {
		f.Add(s)
		n++
	}
	if n == 0 {
		f.Fatal("no seeds")
	}
	// Completing a receipt costs more than showing it, so one is completed and then filled with the text.
	template, err := hostileReceipt(f, "x").Bytes()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var r receipt.Receipt
		if err := json.Unmarshal(template, &r); err != nil {
			t.Fatal(err)
		}
		r.Contract.Path, r.Contract.Branch, r.Contract.ChangedBySubject, r.Contract.Weakens = s, s, true, weakened(s)
		r.Protected, r.Agents, r.Notes, r.Problems = []string{s}, []string{s}, []string{s}, r.Problems[:1]
		r.Problems[0].File, r.Problems[0].Message, r.Problems[0].Hint = s, s, s
		r.Report.Author, r.Report.Errors, r.Report.Claimed = s, []string{s}, receipt.Claimed{Evidence: []string{s}}
		for i := range r.Outcomes {
			o := &r.Outcomes[i]
			o.ID, o.Detail, o.Who = s, s, s
			if o.Facts.Artifact != nil {
				for j := range o.Facts.Artifact.Files {
					o.Facts.Artifact.Files[j].Name = s
				}
			}
			for j := range o.Validators {
				o.Validators[j].Detail = s
			}
		}
		if md := Markdown(&r); len(alive(md, len(r.Outcomes))) > 0 || len(md) > MarkdownBudget {
			t.Fatalf("%v\n%s", alive(md, len(r.Outcomes)), md)
		}
		if bad := commands(Text(&r, false)); bad != "" {
			t.Fatalf("%s\n%s", bad, Text(&r, false))
		}
	})
}

// weakened is a change of the contract whose every text is s.
func weakened(s string) []contract.Weakening {
	return []contract.Weakening{{Outcome: s, Key: s, Direction: contract.Weaker, Text: s}, {Key: s, Direction: contract.Changed, Text: s}}
}
