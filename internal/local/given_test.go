package local

import (
	"strings"
	"testing"

	"github.com/outcome-gate/outcome-gate/internal/collect"
)

const goodEvent = `{"pull_request":{"number":7,"title":"T","body":null,"draft":false,"user":{"login":"octo","type":"User"},"labels":[{"name":"agent"}],
"head":{"ref":"work","sha":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},"base":{"ref":"main","sha":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"}},
"repository":{"full_name":"o/r","default_branch":"main"}}`

// TestParseEvent takes a good event apart, and refuses every event that lacks something or has it in another type.
func TestParseEvent(t *testing.T) {
	e, err := parseEvent([]byte(goodEvent))
	if err != nil {
		t.Fatal(err)
	}
	if e.number != 7 || e.author.Login != "octo" || e.author.Type != "User" || e.headRef != "work" || e.baseRef != "main" ||
		e.defaultBranch != "main" || e.repository != "o/r" || len(e.labels) != 1 || e.body != "" || e.draft {
		t.Errorf("got %+v", e)
	}
	for _, c := range []struct{ old, new string }{
		{`"number":7`, `"number":"7"`}, {`"number":7`, `"number":0`}, {`"number":7`, `"number":7.5`}, {`"number":7,`, ``}, {`"number":7`, `"number":null`},
		{`"title":"T"`, `"title":["T"]`}, {`"title":"T",`, ``}, {`"body":null`, `"body":7`}, {`"login":"octo"`, `"login":""`}, {`"login":"octo",`, ``},
		{`,"type":"User"`, ``}, {`{"name":"agent"}`, `{}`}, {`{"name":"agent"}`, `"agent"`}, {`"ref":"work",`, ``}, {`"ref":"work"`, `"ref":""`},
		{"aaaaaaaa\"", "aaaaaaa\""}, {"aaaaaaaa\"", "aaaaaaaA\""}, {`"base":{`, `"bas":{`}, {`"default_branch":"main"`, `"default_branch":""`},
		{`,"default_branch":"main"`, ``}, {`"pull_request"`, `"pullrequest"`}, {goodEvent, ``}, {goodEvent, `null`}, {goodEvent, `[]`}, {`"main"}}`, `"main"}} {}`}, {`"main"}}`, `"main"}`},
		{`"draft"`, `"Draft":true,"draft"`}, {`"title":"T"`, `"title":"T","TITLE":"U"`}, {`"title":"T"`, `"title":"T","title":"U"`}, {`"sha":"aaaa`, `"SHA":"aaaa`},
		{`"login":"octo"`, `"login":"octo","Login":"kim"`}, {`"repository":{`, `"Repository":{},"repository":{`}, {`{"name":"agent"}`, `{"name":"agent","Name":"x"}`},
	} {
		text := strings.Replace(goodEvent, c.old, c.new, 1)
		if text == goodEvent {
			t.Fatalf("%q is not in the event", c.old)
		}
		if _, err := parseEvent([]byte(text)); err == nil {
			t.Errorf("with %q in the place of %q the event was taken", c.new, c.old)
		}
	}
}

// TestParseContexts holds what a workflow hands over to its types.
func TestParseContexts(t *testing.T) {
	steps, err := collect.ParseSteps([]byte(`{"a":{"outcome":"failure","conclusion":"success","outputs":{"token":"x"}},"b":{}}`))
	if err != nil || steps["a"].Outcome != "failure" || steps["a"].Conclusion != "success" || steps["b"].Outcome != "" {
		t.Errorf("steps %+v, %v", steps, err)
	}
	needs, err := collect.ParseNeeds([]byte(`{"build":{"result":"success","outputs":{}}}`))
	if err != nil || needs["build"].Result != "success" || needs["build"].Source != "needs" {
		t.Errorf("needs %+v, %v", needs, err)
	}
	for _, bad := range []string{``, `null`, `[]`, `{"a":null}`, `{"a":{"outcome":7}}`, `{"a":"success"}`, `{} {}`} {
		if _, err := collect.ParseSteps([]byte(bad)); err == nil {
			t.Errorf("steps %q were taken", bad)
		}
	}
	for _, bad := range []string{``, `null`, `[]`, `{"a":null}`, `{"a":{}}`, `{"a":{"result":true}}`, `{} x`} {
		if _, err := collect.ParseNeeds([]byte(bad)); err == nil {
			t.Errorf("needs %q were taken", bad)
		}
	}
	for _, bad := range []string{``, `{}`, `[{}]`, `[{"name":"a"}]`, `[{"name":"a","head_sha":"abc"}]`, `["a"]`} {
		if _, err := collect.ParseChecks([]byte(bad)); err == nil {
			t.Errorf("checks %q were taken", bad)
		}
	}
}

// FuzzParseEvent states the law: what is taken names a positive pull request and two full commits.
func FuzzParseEvent(f *testing.F) {
	seeds := []string{goodEvent, `{}`, `null`, `{"pull_request":{}}`, strings.Replace(goodEvent, `7`, `-7`, 1)}
	if len(seeds) == 0 {
		f.Fatal("no seeds")
	}
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := parseEvent(data)
		if err != nil {
			return
		}
		if e.number < 1 || !isCommit(e.headSHA) || !isCommit(e.baseSHA) || e.author.Login == "" || e.headRef == "" || e.defaultBranch == "" {
			t.Fatalf("taken: %+v", e)
		}
	})
}
