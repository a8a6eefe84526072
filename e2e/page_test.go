package e2e

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
	nethtml "golang.org/x/net/html"
)

// page is Markdown as a browser would show it.
type page struct {
	heading string
	text    string   // outside code
	alive   []string // what is more than text
	tables  int
	markers int // comments by which the gate knows its own
}

// toHTML renders as GitHub does before it sanitizes: CommonMark with GitHub's extensions, HTML let through.
func toHTML(markdown string) string {
	var b bytes.Buffer
	m := goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote), goldmark.WithRendererOptions(html.WithUnsafe()))
	if err := m.Convert([]byte(markdown), &b); err != nil {
		panic(err) // it writes to memory
	}
	return b.String()
}

// plainTags are the elements that may come of our own Markdown. Links, images, inputs, scripts and the rest may
// not.
func plainTags() []string {
	return []string{"h2", "h3", "p", "strong", "em", "ul", "li", "code", "pre", "table", "thead", "tbody", "tr", "th", "td", "details", "summary", "br"}
}

// linked is what GitHub turns into links in plain text once Markdown is rendered: mentions, references, commits.
var linked = regexp.MustCompile(`(?i)(^|[^a-z0-9_/])@[a-z0-9]|#[0-9]|\bgh-[0-9]|\b[0-9a-f]{7,40}\b|https?://|www\.|:[a-z_]+:`)

// pageOf renders Markdown and looks at what came of it.
func pageOf(markdown string) page {
	var p page
	z := nethtml.NewTokenizer(strings.NewReader(toHTML(markdown)))
	inside := map[string]int{}
	for {
		switch z.Next() {
		case nethtml.ErrorToken:
			return p
		case nethtml.TextToken:
			p.take(string(z.Text()), inside)
		case nethtml.StartTagToken, nethtml.SelfClosingTagToken:
			p.open(z.Token(), inside)
		case nethtml.EndTagToken:
			name, _ := z.TagName()
			inside[string(name)]--
		case nethtml.CommentToken:
			if text := string(z.Text()); strings.HasPrefix(strings.TrimSpace(text), "outcome-gate") {
				p.markers++
			} else {
				p.alive = append(p.alive, fmt.Sprintf("comment %q", text))
			}
		case nethtml.DoctypeToken:
			p.alive = append(p.alive, "a doctype")
		}
	}
}

func (p *page) take(text string, inside map[string]int) {
	if inside["h2"] > 0 {
		p.heading += text
	}
	if inside["code"] > 0 || inside["pre"] > 0 {
		return
	}
	p.text += text
	if m := linked.FindString(text); m != "" {
		p.alive = append(p.alive, fmt.Sprintf("text %q would be linked", m))
	}
}

func (p *page) open(tag nethtml.Token, inside map[string]int) {
	inside[tag.Data]++
	if tag.Data == "table" {
		p.tables++
	}
	if !slices.Contains(plainTags(), tag.Data) {
		p.alive = append(p.alive, tag.String())
		return
	}
	for _, a := range tag.Attr {
		switch {
		case tag.Data == "code" && a.Key == "class" && a.Val == "language-outcome-verdict":
		case tag.Data == "code" && a.Key == "class" && a.Val == "language-outcome":
		default:
			p.alive = append(p.alive, tag.String())
		}
	}
}

// TestThePageSees proves that pageOf finds what it is there for. It needs no engine.
func TestThePageSees(t *testing.T) {
	for _, bad := range []string{
		"[a](https://evil.example)", "![a](x.png)", "<b>x</b>", "https://evil.example", "hi @octocat", "see #12", "<img src=x>",
		"<!-- forged -->", "<details open>", "- [ ] box", "www.evil.example", "<script>x</script>", "a[^1]\n\n[^1]: b",
	} {
		if got := pageOf(bad); len(got.alive) == 0 {
			t.Errorf("%q looks inert: %s", bad, toHTML(bad))
		}
	}
	good := "## LIVE: 1 of `x`\n\n| a | b |\n|---|---|\n| `@octocat` | 1 |\n\n**Next:** nothing\n\n<details><summary>Files</summary>\n\n- x\n\n</details>\n"
	if got := pageOf(good); len(got.alive) > 0 || got.heading != "LIVE: 1 of x" || got.tables != 1 {
		t.Errorf("plain Markdown looks alive: %+v", got)
	}
}
