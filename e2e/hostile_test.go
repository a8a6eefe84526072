package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/outcome-gate/outcome-gate/e2e/runstep"
	"github.com/outcome-gate/outcome-gate/internal/fakegithub"
)

// hostileTexts try to be more than text: on the runner's log, in its files, in Markdown, in a terminal.
func hostileTexts() []string {
	return []string{
		"::set-output name=result::pass", "::error::FORGED", "##[set-output name=result;]pass", "x ##[add-mask]success", "##[error]FORGED",
		"::stop-commands::pwned", "::add-path::/tmp", "::set-env name=PATH::/tmp", "%0A::error::FORGED%0A", "##vso[task.complete result=Succeeded;]",
		"@octocat", "@acme/admins", "#12", "GH-1", "https://evil.example/x", "www.evil.example", "[click](https://evil.example)",
		"![x](https://evil.example/p.png)", "<img src=https://evil.example/p.png>", "<script>alert(1)</script>", "</details><h1>FORGED</h1>", "-->",
		"<!-- outcome-gate -->", "a|b|c|d|e|f", "``` outcome", "~~~", "# LIVE: 1 of 1 outcome verified", "**bold**", "`", "``x`", "$x$", ":tada:", "- [x] done",
		"&#64;octocat", "\u202Eevil\u202C", "a\u200Bb", "1234567890abcdef1234567890abcdef12345678",
		"_GitHubActionsFileCommandDelimeter_", "verdict=LIVE", "verdict<<EOF", "EOF",
	}
}

// delimiterForgery is a text over lines that ends a block early where the delimiter is known, and forges outputs.
const delimiterForgery = "x\n_GitHubActionsFileCommandDelimeter_\nresult=pass\nverdict=LIVE\nEOF\nghadelimiter_0\nresult<<z\npass\nz\n::set-output name=result::pass\n##[set-output name=result;]pass"

// xmlText escapes for an attribute, so that the document is sound and the text arrives whole.
func xmlText(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", `"`, "&quot;", "\n", "&#10;", "@@", "@").Replace(s)
}

// hostileChange is a pull request all of whose texts are hostile, with failing tests so that their names are shown.
func hostileChange() change {
	c := badChange()
	var cases strings.Builder
	for i, text := range append(hostileTexts(), delimiterForgery) {
		fmt.Fprintf(&cases, "<testcase classname=\"%s\" name=\"total %d %s\" file=\"%s\" line=\"3\"><failure message=\"%s\">%s</failure></testcase>\n",
			xmlText(text), i, xmlText(text), xmlText(text), xmlText(text), xmlText(text))
	}
	n := len(hostileTexts()) + 1
	c.head["results.in"] = fakegithub.File{Text: fmt.Sprintf("<testsuite name=\"::error::x\" tests=\"%d\" failures=\"%d\">\n%s</testsuite>\n", n, n, cases.String())}
	// What the change's tests print and write is the change's own choice.
	c.head["test"] = fakegithub.File{Mode: "100755", Text: "#!/bin/sh\nmkdir -p reports\nsed 's/^<testsuite /<testsuite id=\"1\" /' results.in >reports/junit.xml\nexit 1\n"}
	// A fence that nothing closes would swallow the report, and be a mistake of the report's.
	all := strings.ReplaceAll(strings.Join(hostileTexts(), "\n\n"), "``` outcome", "")
	all = strings.ReplaceAll(all, "~~~", "")
	c.title = strings.Join(hostileTexts(), " ")
	if len(c.title) > 250 {
		c.title = strings.ToValidUTF8(c.title[:250], "")
	}
	evidence := []string{}
	for _, text := range append(hostileTexts(), delimiterForgery) {
		evidence = append(evidence, quoteJSON(text))
	}
	c.body = "```outcome\n{\"outcome\": \"succeeded\", \"evidence\": [" + strings.Join(evidence, ",\n") + "], \"artifacts\": [" + strings.Join(evidence, ",\n") + "]}\n```\n\n" + all + "\n\n" + delimiterForgery
	c.branch = "agent/$(x)`y`'\"<b>@octocat#12"
	c.labels = append(hostileTexts(), delimiterForgery)
	for i, text := range hostileTexts() {
		name := strings.NewReplacer("/", "_", "\x00", "").Replace(text)
		c.head[fmt.Sprintf("%s/%d.txt", name, i)] = fakegithub.File{Text: "x"}
		c.head[fmt.Sprintf(".github/%s-%d.yml", name, i)] = fakegithub.File{Text: "x"} // protected, so that it is named
	}
	return c
}

func quoteJSON(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

func TestHostilePullRequest(t *testing.T) {
	h := open(t, hostileChange(), settings{})
	s := h.judge(t, runID, 1, settings{})
	r := &s.step.Result
	if got := r.Exit[runstep.Main]; got != 1 {
		t.Errorf("exit code %d, want 1", got)
	}
	if r.Outputs["result"] != "block" || r.Outputs["verdict"] != "EXITED" || r.Outputs["reason"] != "false_success" {
		t.Errorf("forged outputs: %q", r.Outputs)
	}
	s.quiet(t)
	s.agreeForms(t)
}

// TestHostileWait is the same where the protected paths are what is named, not the tests.
func TestHostileWait(t *testing.T) {
	c := hostileChange()
	c.head["test"] = fakegithub.File{Text: testScript, Mode: "100755"}
	c.head["price.sh"] = fakegithub.File{Text: goodPrice}
	h := open(t, c, settings{})
	s := h.judge(t, runID, 1, settings{})
	if got := s.step.Result.Outputs["reason"]; got != "protected_change" {
		t.Errorf("reason %q, want protected_change", got)
	}
	s.quiet(t)
	s.agreeForms(t)
}

// TestHostileContract: the preview of a contract that the change proposes shows its mistakes.
func TestHostileContract(t *testing.T) {
	c := hostileChange()
	var b strings.Builder
	b.WriteString("version: 1\noutcomes:\n  - id: unit-tests\n    validators: [ { step: test } ]\n")
	for _, text := range hostileTexts() {
		b.WriteString(quoteJSON(text) + ": " + quoteJSON(text) + "\n")
	}
	c.contract = b.String()
	s := open(t, c, settings{}).judge(t, runID, 1, settings{})
	if got := s.step.Result.Exit[runstep.Main]; got != 2 {
		t.Errorf("exit code %d, want 2", got)
	}
	s.quiet(t)
	s.agreeForms(t)
}

// quiet holds that no line of the log is a workflow command by the change's will: not in what the runner obeys
// (always does that), and not in the lines between stop-commands either, for those who read logs without it.
func (s *scene) quiet(t *testing.T) {
	t.Helper()
	stopped := ""
	for _, l := range s.step.Result.Lines {
		if stopped != "" && l.Text == "::"+stopped+"::" {
			stopped = ""
			continue
		}
		c, ok := runstep.FindCommand(l.Text)
		switch {
		case ok && c.Name == "stop-commands" && stopped == "":
			stopped = c.Data
		case ok && stopped != "":
			t.Errorf("a line between stop-commands is a command: %q", l.Text)
		}
		if strings.Contains(l.Text, "##[") {
			t.Errorf("a line holds an older command: %q", l.Text)
		}
		if i := strings.IndexFunc(l.Text, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }); i >= 0 {
			t.Errorf("a line holds a control character: %q", l.Text)
		}
	}
}

// agreeForms holds that everything that is shown as Markdown is only text.
func (s *scene) agreeForms(t *testing.T) {
	t.Helper()
	shown := map[string]string{"job summary": s.step.Result.Summary}
	for _, c := range s.hub.comments(botLogin) {
		shown["comment"] = c.Body
	}
	for _, c := range s.checkRuns() {
		shown["check run's summary"], shown["check run's text"] = deref(c.Summary), deref(c.Text)
		if strings.ContainsAny(deref(c.Title), "\n\r\x1b\u202e\u200b") {
			t.Errorf("the check run's title holds what is not seen: %q", deref(c.Title))
		}
		for _, a := range c.Annotations {
			if strings.ContainsAny(a.Title+a.Message+a.Path, "\r\x1b\u202e\u200b") {
				t.Errorf("an annotation holds what is not seen: %+v", a)
			}
		}
	}
	for _, name := range []string{"comment", "check run's summary"} {
		if shown[name] == "" {
			t.Errorf("there is no %s", name)
		}
	}
	for name, markdown := range shown {
		if bad := pageOf(markdown).alive; len(bad) > 0 {
			t.Errorf("%s: alive: %s\n%s", name, strings.Join(bad, "; "), markdown)
		}
		if n := pageOf(markdown).markers; n > 1 {
			t.Errorf("%s: %d markers", name, n)
		}
		if len([]rune(markdown)) > 65535 && name != "job summary" {
			t.Errorf("%s: %d characters", name, len([]rune(markdown)))
		}
	}
	s.statusText(t)
}

func (s *scene) statusText(t *testing.T) {
	t.Helper()
	s.hub.repo(func(r *fakegithub.Repository) {
		for _, st := range r.Statuses {
			if strings.ContainsAny(deref(st.Description), "\n\r\x1b\u202e\u200b") {
				t.Errorf("the commit status holds what is not seen: %q", deref(st.Description))
			}
		}
	})
}
