package testresult

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestProperties bounds what is kept of properties and flags conflicts.
func TestProperties(t *testing.T) {
	var b strings.Builder
	b.WriteString(`<testsuite><testcase name="a"><properties><property name="commit" value="one"/></properties></testcase><properties>`)
	b.WriteString(`<property name="commit" value="two"/><property name="same" value="x"/><property name="same">x</property><property value="nameless"/>`)
	fmt.Fprintf(&b, `<property name="long" value="%s"/><property name="%s" value="x"/>`, strings.Repeat("v", maxPropertyText+1), strings.Repeat("n", maxPropertyKey+1))
	fmt.Fprintf(&b, `<property name="longtext">%s</property>`, strings.Repeat("v", maxPropertyText+1))
	for i := range maxProperties {
		fmt.Fprintf(&b, `<property name="p%d" value="x"/>`, i)
	}
	b.WriteString(`</properties></testsuite>`)
	res := readString(b.String())
	if res.Conclusion != Pass || res.Properties["commit"] != "one" || !res.Conflicts["commit"] || res.Conflicts["same"] || res.Properties["same"] != "x" {
		t.Errorf("%s %v %v", res.Conclusion, res.Properties["commit"], res.Conflicts)
	}
	if _, ok := res.Properties["long"]; ok || len(res.Properties) != maxProperties {
		t.Errorf("%d properties kept, the long one: %v", len(res.Properties), ok)
	}
	if _, ok := res.Properties["longtext"]; ok || !slices.ContainsFunc(res.Notes, func(n Note) bool { return n.Code == NotePropertiesCut }) {
		t.Errorf("cut properties go unnoted: %v", res.Notes)
	}
}

// TestNotesAreBounded keeps the reason of a refusal however many notes came before it.
func TestNotesAreBounded(t *testing.T) {
	tl := newTally("junit", Limits{}, nil)
	for i := range 100 {
		tl.note(fmt.Sprintf("tests/noise-%d", i%40), strings.Repeat("é", 300), i)
	}
	tl.refuse(NoteMalformed, "why", 7)
	if n := len(tl.res.Notes); n != maxNotes || tl.res.Notes[n-1].Code != NoteMalformed || tl.res.Conclusion != Invalid {
		t.Errorf("%d notes, the last %v, %s", n, tl.res.Notes[n-1], tl.res.Conclusion)
	}
	if d := tl.res.Notes[0].Detail; len(d) > maxDetail || !utf8.ValidString(d) {
		t.Errorf("detail of %d bytes, valid %v", len(d), utf8.ValidString(d))
	}
	tl.note("tests/late", "", 0)
	if len(tl.res.Notes) != maxNotes {
		t.Errorf("%d notes after the bound", len(tl.res.Notes))
	}
}

// TestLongSuitePath keeps keys distinct and short where the path is long.
func TestLongSuitePath(t *testing.T) {
	long := strings.Repeat("p", maxPath)
	doc := func(tail string) string {
		return fmt.Sprintf(`<testsuite name=%q><testsuite name=%q><testcase name="a"/><testcase name="b"/></testsuite><testsuite name="z"><testcase name="a"/></testsuite></testsuite>`, long, tail)
	}
	keys := map[string]int{}
	for _, tail := range []string{"x", "y"} {
		Read(strings.NewReader(doc(tail)), "", Limits{}, func(c *Case) {
			keys[c.Key]++
			if len(c.Key) > maxPath {
				t.Errorf("a key of %d bytes", len(c.Key))
			}
		})
	}
	if len(keys) != 5 { // a and b under x and under y, and the one that both share
		t.Errorf("%d keys, want 5: %v", len(keys), keys)
	}
}

// TestMessages bounds the first line of a failure, whatever it is cut in.
func TestMessages(t *testing.T) {
	for _, c := range []struct{ output, want string }{
		{`    x_test.go:3: boom\n`, "x_test.go:3: boom"},
		{`=== NAME  TestA\n`, ""},
		{`    --- FAIL: TestA (0.00s)\n`, ""},
		{`\n`, ""},
		{strings.Repeat("é", 600), strings.Repeat("é", maxMessage/2)},
		{strings.Repeat(`\u00e9`, 600), strings.Repeat("é", maxMessage/2)},
		{`xx` + strings.Repeat(`\u00e9`, 600), "xx" + strings.Repeat("é", (maxMessage-2)/2)},
		{`\ud83c\udf89 \ud83c`, "🎉 \uFFFD"},
	} {
		stream := `{"Action":"run","Package":"p","Test":"TestA"}` + "\n" + `{"Action":"output","Package":"p","Test":"TestA","Output":"` + c.output +
			`"}` + "\n" + `{"Action":"fail","Package":"p","Test":"TestA"}` + "\n" + `{"Action":"fail","Package":"p"}`
		got := ""
		Read(strings.NewReader(stream), "", Limits{}, func(c *Case) { got = c.Message })
		if len(c.want) > maxMessage {
			t.Fatalf("the wanted text is %d bytes", len(c.want))
		}
		if !strings.HasPrefix(c.want, got) || len(c.want)-len(got) > 90 || c.want != got && len(c.output) < 600 {
			t.Errorf("%.40s…: message %q, want %q", c.output, got, c.want)
		}
		if !utf8.ValidString(got) {
			t.Errorf("message %q is no text", got)
		}
	}
}
