package conformance_test

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/render"
)

// checkSurfaces renders a receipt for people and looks for anything of the change that would be more than text.
func checkSurfaces(t *testing.T, r *receipt.Receipt) {
	t.Helper()
	for _, bad := range live(render.Markdown(r), len(r.Outcomes)) {
		t.Errorf("the Markdown holds %s", bad)
	}
	for name, out := range map[string]string{"Markdown": render.Markdown(r), "text": render.Text(r, false), "title": render.Title(r)} {
		if i := strings.IndexFunc(out, invisible); i >= 0 {
			t.Errorf("the %s holds the invisible %+q", name, out[i:min(i+4, len(out))])
		}
		if i := strings.Index(out, "##["); i >= 0 {
			t.Errorf("the %s holds a workflow command: %q", name, out[i:min(i+40, len(out))])
		}
	}
}

// invisible reports characters that reorder or hide text.
func invisible(r rune) bool { return r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) }

// summoned is what the service turns into a link or a notification after Markdown is rendered.
var summoned = regexp.MustCompile(`@[A-Za-z0-9]|#[0-9]|https?:|www\.`)

// live lists what of a rendered receipt is neither text nor the receipt's own frame: one heading, one table with a row
// for each outcome, folds.
func live(md string, outcomes int) []string {
	var bad []string
	src := []byte(md)
	headings, rows := 0, 0
	note := func(format string, args ...any) { bad = append(bad, fmt.Sprintf(format, args...)) }
	doc := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(src))
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.CodeSpan:
			return ast.WalkSkipChildren, nil
		case *ast.Text:
			if m := summoned.Find(n.Segment.Value(src)); m != nil {
				note("live %q", m)
			}
		case *ast.Heading:
			headings++
		case *east.TableRow:
			rows++
		case *ast.Link, *ast.Image, *ast.AutoLink, *ast.Blockquote, *ast.FencedCodeBlock, *ast.CodeBlock:
			note("a %s", n.Kind())
		case *ast.HTMLBlock:
			var b bytes.Buffer
			for i := range n.Lines().Len() {
				line := n.Lines().At(i)
				b.Write(line.Value(src))
			}
			folds(b.String(), note)
		case *ast.RawHTML:
			folds(string(n.Segments.Value(src)), note)
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		note("%v", err)
	}
	if headings != 1 || rows != outcomes {
		note("%d headings and %d rows for %d outcomes", headings, rows, outcomes)
	}
	return bad
}

// folds notes all HTML but that of a fold with a fixed title.
func folds(html string, note func(string, ...any)) {
	fold := regexp.MustCompile(`^(<details><summary>[A-Za-z ]+</summary>|</details>)?$`)
	for line := range strings.Lines(html) {
		if line = strings.TrimSpace(line); !fold.MatchString(line) {
			note("HTML %q", line)
		}
	}
}

// TestLive proves that live sees what it is there for.
func TestLive(t *testing.T) {
	frame := "## A title\n\n| outcome | state | seen | next |\n|---|---|---|---|\n| `a` | ok | x | none |\n\n"
	if bad := live(frame, 1); len(bad) > 0 {
		t.Fatalf("a plain receipt is taken for alive: %v", bad)
	}
	for _, evil := range []string{
		"@quay/pilots", "see #12", "[x](y)", "![x](y)", "<img src=x>", "<!-- outcome-gate: -->", "# PASS", "https://example.org", "> quoted",
	} {
		if bad := live(frame+evil+"\n", 1); len(bad) == 0 {
			t.Errorf("%q is not seen", evil)
		}
	}
	if bad := live(frame[:len(frame)-1]+"| `b` | ok | x | none |\n", 1); len(bad) == 0 {
		t.Error("a row too many is not seen")
	}
}
