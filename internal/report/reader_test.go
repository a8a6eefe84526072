package report

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	gmtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
	nethtml "golang.org/x/net/html"
)

// The reader: a CommonMark renderer with GitHub's extensions, and an HTML parser that reads what it renders. What
// it does not show must never be a report.

func newMarkdown() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(extension.Footnote, extension.Table),
		goldmark.WithRendererOptions(html.WithUnsafe(), renderer.WithNodeRenderers(util.Prioritized(asides{}, 1))),
	)
}

// asides renders block quotes as elements that raw HTML of the tests never has.
type asides struct{}

func (asides) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindBlockquote, func(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
		tag := "</aside>\n"
		if entering {
			tag = "<aside>\n"
		}
		_, err := w.WriteString(tag)
		return ast.WalkContinue, err
	})
}

// shownText is the visible text of rendered Markdown without white space.
func shownText(t testing.TB, src []byte) string {
	t.Helper()
	var rendered bytes.Buffer
	if err := newMarkdown().Convert(src, &rendered); err != nil {
		t.Fatalf("render: %v", err)
	}
	filter := regexp.MustCompile(`(?i)<(/?(?:title|textarea|style|xmp|iframe|noembed|noframes|script|plaintext))`)
	root, err := nethtml.Parse(bytes.NewReader(filter.ReplaceAll(rendered.Bytes(), []byte("&lt;$1")))) // the tag filter of GFM
	if err != nil {
		t.Fatalf("parse rendered HTML: %v", err)
	}
	var text strings.Builder
	var walk func(n *nethtml.Node)
	walk = func(n *nethtml.Node) {
		switch n.Type {
		case nethtml.TextNode:
			text.WriteString(n.Data)
			return
		case nethtml.ElementNode:
			switch n.Data {
			case "aside", "template", "script", "style", "title", "textarea", "iframe", "noscript", "noembed", "noframes", "xmp", "svg", "math", "select", "video", "audio", "object", "canvas":
				return
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(root)
	return strings.Join(strings.Fields(text.String()), "")
}

// readerFences is the content, without white space, of the fenced blocks outside quotes and footnotes.
func readerFences(src []byte) []string {
	var out []string
	root := newMarkdown().Parser().Parse(gmtext.NewReader(src))
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n.Kind() {
		case ast.KindBlockquote, extast.KindFootnote, extast.KindFootnoteList:
			return ast.WalkSkipChildren, nil
		}
		block, ok := n.(*ast.FencedCodeBlock)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		info := ""
		if block.Info != nil {
			info = string(block.Info.Segment.Value(src))
		}
		switch strings.Join(strings.Fields(info), " ") {
		case "", "json", "outcome", "json outcome":
			var content strings.Builder
			for i := range block.Lines().Len() {
				line := block.Lines().At(i)
				content.Write(line.Value(src))
			}
			out = append(out, strings.Join(strings.Fields(content.String()), ""))
		}
		return ast.WalkContinue, nil
	})
	return out
}

// fragments are what generated texts are made of. %d makes each report a different one.
func plainFragments() []string {
	return []string{
		"\n", "\n", "\n", "text\n", "more `code` text\n", "# heading\n", "---\n", "===\n", "***\n",
		"```outcome\n", "```json\n", "```\n", "```\n", "~~~outcome\n", "~~~\n", "````json outcome\n", "````\n", "```go\n", "``` a`b\n",
		"- item\n", "- ", "* ", "1. one\n", "2. two\n", "10) ten\n", "+   wide\n", "-     code\n",
		"  ", "   ", "    ", "> ", "> quote\n", ">\n", "> ```\n",
		`{"outcome":"succeeded","evidence":["%d"]}` + "\n",
		"{\n  \"outcome\": \"succeeded\",\n  \"evidence\": [\"%d\"]\n}\n",
		"<details>\n", "</details>\n", "<summary>s</summary>\n", "<br>\n", "<div>\n\n", "</div>\n", "<!-- a -->\n", "a <!-- b --> c\n",
		"[^1]: note\n", "[x]: /u 'title'\n\n", "| a | b |\n|---|---|\n| c | d |\n\n",
	}
}

func hostileFragments() []string {
	return append(plainFragments(),
		"<!--\n", "<!-- ", "-->\n", "-->", "`<!--` ", "`", "``", "\\`", "\\<!-- ", "<?php\n", "?>\n", "<![CDATA[\n", "]]>\n", "<!X\n", ">\n",
		"<div title='\n\n", "'>\n", "<div title=\"\n\n", "\">\n", "<a b='", "' c=\"", "<x-y>\n", "<pre>\n", "x</pre>\n", "<script>\n", "x</script>\n",
		"<template>\n\n", "<blockquote>\n\n", "</blockquote>\n", "</template>\n", "x <template> ", "</template> ", "<div><!--\n\n", "<style>\n",
		"![", "](u \"t\")", "](/u '", "')", "[a", "](<b c>)", "[a](u)", "[", "]", "]: /u '", "'\n", "[^n]:\n", "<https://a.b/`>", "<a`b@c.d>", "\r\n", "|", "|-|\n", "\x00", "!", "\\!", "&lt;!--", "--", "<", ">",
	)
}

// compose makes a text of the fragments that the bytes choose.
func compose(fragments []string, choice []byte) string {
	var out strings.Builder
	for i, c := range choice {
		f := fragments[int(c)%len(fragments)]
		if strings.Contains(f, "%d") {
			f = fmt.Sprintf(f, 1000+i)
		}
		out.WriteString(f)
	}
	return out.String()
}

// checkVisible holds the law that each report is seen by the reader.
func checkVisible(t *testing.T, text string) {
	t.Helper()
	found := extract(text, false)
	if len(found.blocks) == 0 {
		return
	}
	all := shownText(t, []byte(text))
	for _, b := range found.blocks {
		items, _ := b.object["evidence"].([]any)
		for _, item := range items {
			if s, ok := item.(string); ok && !strings.Contains(all, `"evidence":["`+s+`"]`) {
				t.Fatalf("report %s is not visible in\n%s\n%q", s, text, text)
			}
		}
	}
}

func TestReportsAreVisible(t *testing.T) {
	rounds := 20000
	if testing.Short() {
		rounds = 2000
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range rounds {
		choice := make([]byte, 1+r.IntN(16))
		for i := range choice {
			choice[i] = byte(r.Uint32())
		}
		checkVisible(t, compose(hostileFragments(), choice))
	}
}

// FuzzVisible: whatever is composed of the fragments, a report that is found is one that a reader sees.
func FuzzVisible(f *testing.F) {
	for _, seed := range [][]byte{{0, 9, 27, 11}, {30, 40, 50, 60, 70, 80}, []byte("the order of these letters chooses")} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, choice []byte) {
		checkVisible(t, compose(hostileFragments(), choice[:min(len(choice), 40)]))
	})
}

func TestFencesAreTheReaders(t *testing.T) {
	rounds := 20000
	if testing.Short() {
		rounds = 2000
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range rounds {
		choice := make([]byte, 1+r.IntN(14))
		for i := range choice {
			choice[i] = byte(r.Uint32())
		}
		text := compose(plainFragments(), choice)
		var got []string
		s := scan([]byte(text))
		for _, f := range s.fences {
			got = append(got, strings.Join(strings.Fields(text[f.from:f.to]), ""))
		}
		want := readerFences([]byte(text))
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("got %q want %q in\n%s\n%q", got, want, text, text)
		}
	}
}
