package setup

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

const small = "version: 1\noutcomes:\n  - { id: out, artifact: { files: out.txt } }\n"

// withFiles are facts of a repository with a contract and these files.
func withFiles(files map[string]string) *Facts {
	f := &Facts{Paths: []string{ContractPath}, Files: map[string][]byte{ContractPath: []byte(small)}, Unread: map[string]string{}}
	for name, text := range files {
		f.Paths = append(f.Paths, name)
		f.Files[name] = []byte(text)
	}
	return f
}

// TestMerged: the hook stands in the file once, in the file's own style, and every other byte stays.
func TestMerged(t *testing.T) {
	const entry = `"gate hook claude --workspace \"$CLAUDE_PROJECT_DIR\""`
	for _, c := range []struct{ name, before, want string }{
		{"none", "", "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": " + entry + ",\n            \"timeout\": 600\n          }\n        ]\n      }\n    ]\n  }\n}\n"},
		{"empty", "{}", `{"hooks": { "Stop": [ { "hooks": [ { "type": "command", "command": ` + entry + `, "timeout": 600 } ] } ] }}`},
		{"other keys, tabs, dos", "{\r\n\t\"model\": \"x\"\r\n}\r\n", "{\r\n\t\"model\": \"x\",\r\n\t\"hooks\": {\r\n\t\t\"Stop\": [\r\n\t\t\t{\r\n\t\t\t\t\"hooks\": [\r\n\t\t\t\t\t{\r\n\t\t\t\t\t\t\"type\": \"command\",\r\n\t\t\t\t\t\t\"command\": " + entry + ",\r\n\t\t\t\t\t\t\"timeout\": 600\r\n\t\t\t\t\t}\r\n\t\t\t\t]\r\n\t\t\t}\r\n\t\t]\r\n\t}\r\n}\r\n"},
		{"other hooks", "{\n    \"hooks\": {\n        \"PreToolUse\": [1, 2.50]\n    },\n    \"a\": \"\\u00e9\"\n}", "{\n    \"hooks\": {\n        \"PreToolUse\": [1, 2.50],\n        \"Stop\": [\n            {\n                \"hooks\": [\n                    {\n                        \"type\": \"command\",\n                        \"command\": " + entry + ",\n                        \"timeout\": 600\n                    }\n                ]\n            }\n        ]\n    },\n    \"a\": \"\\u00e9\"\n}"},
		{"other stop hooks", "{\n  \"hooks\": { \"Stop\": [ {\"hooks\": []} ] }\n}", "{\n  \"hooks\": { \"Stop\": [ {\"hooks\": []},\n      {\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": " + entry + ",\n            \"timeout\": 600\n          }\n        ]\n      } ] }\n}"},
		{"empty list", "{\n  \"hooks\": {\n    \"Stop\": [ ]\n  }\n}", "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": " + entry + ",\n            \"timeout\": 600\n          }\n        ]\n      }\n    ]\n  }\n}"},
		{"there already", `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "/opt/bin/gate hook claude --blocks 2"}]}]}}`, ""},
	} {
		p, err := made(withFiles(map[string]string{claudeSettings: c.before}), Options{Agent: "claude", NoAgents: true})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		f := p.Files[len(p.Files)-1]
		want := c.want
		if want == "" {
			want = c.before
		}
		if f.Path != claudeSettings || string(f.After) != want || !json.Valid(f.After) {
			t.Errorf("%s: %s\n%q\nwant\n%q", c.name, f.Path, f.After, want)
		}
		again, err := made(withFiles(map[string]string{claudeSettings: string(f.After)}), Options{Agent: "claude", NoAgents: true})
		if err != nil || again.Files[0].Change() != "unchanged" {
			t.Errorf("%s: it changes the second time: %v", c.name, err)
		}
	}
}

// TestNotMerged: what cannot be read is refused by name, and nothing is planned.
func TestNotMerged(t *testing.T) {
	for _, c := range []struct{ name, before, want string }{
		{"comment", "{\n  // mine\n}", "read .claude/settings.json: line 2, column 3: invalid character '/'"},
		{"cut", "{\"a\": ", "unexpected end of JSON input"},
		{"list", "[]", "it is no JSON object"},
		{"two", "{} {}", "line 1, column 4: "},
		{"hooks", `{"hooks": []}`, "its member hooks is no JSON object"},
		{"stop", `{"hooks": {"Stop": {}}}`, "its member hooks.Stop is no list"},
		{"twice", `{"hooks": {}, "hooks": {}}`, `it has the member "hooks" twice`},
		{"deep", strings.Repeat(`{"a":`, maxNesting+1) + "1" + strings.Repeat("}", maxNesting+1), "it nests more than 64 levels"},
		{"byte order mark", "\ufeff{}", "line 1, column 1: "},
	} {
		var r *Refusal
		p, err := made(withFiles(map[string]string{claudeSettings: c.before}), Options{Agent: "claude"})
		if p != nil && err == nil || !errors.As(err, &r) || !strings.Contains(r.Reason, c.want) || !strings.HasPrefix(r.Reason, "read .claude/settings.json: ") || r.Hint == "" {
			t.Errorf("%s: %v; want %q", c.name, err, c.want)
		}
	}
	for _, place := range []string{".claude", claudeSettings} {
		f := withFiles(nil)
		f.Unread[place] = symlink
		if _, err := made(f, Options{Agent: "claude"}); err == nil || !strings.Contains(err.Error(), place+" is a symbolic link") {
			t.Errorf("%s: %v", place, err)
		}
	}
}

// TestAgents: each runtime gets its own files, and where there is a contract nothing else.
func TestAgents(t *testing.T) {
	for _, c := range []struct {
		agent string
		files map[string]string
		want  []string
	}{
		{"claude", nil, []string{"CLAUDE.md", ".claude/settings.json"}},
		{"claude", map[string]string{"CLAUDE.md": "# Mine\n@AGENTS.md\n"}, []string{"AGENTS.md", ".claude/settings.json"}},
		{"codex", nil, []string{"AGENTS.md", ".codex/hooks.json"}},
		{"copilot", nil, []string{".github/copilot-instructions.md", ".github/hooks/outcome-gate.json"}},
	} {
		p, err := made(withFiles(c.files), Options{Agent: c.agent})
		if err != nil {
			t.Errorf("%s: %v", c.agent, err)
			continue
		}
		var got []string
		for _, f := range p.Files {
			got = append(got, f.Path)
		}
		if !reflect.DeepEqual(got, c.want) || len(p.Notes) == 0 || !bytes.Contains(p.Files[0].After, []byte("- `out`\n")) {
			t.Errorf("%s: %v, want %v\n%s", c.agent, got, c.want, p.Files[0].After)
		}
		if !json.Valid(p.Files[1].After) || !strings.Contains(string(p.Files[1].After), "gate hook "+c.agent) {
			t.Errorf("%s: %s", c.agent, p.Files[1].After)
		}
	}
	linked := withFiles(nil)
	linked.Unread[claudeFile] = symlink
	p, err := made(linked, Options{Agent: "claude"})
	if err != nil || p.Files[0].Path != AgentsPath || !strings.Contains(p.Notes[0], "stays as it is") {
		t.Errorf("a linked CLAUDE.md: %+v, %v", p, err)
	}
	whole, err := made(&Facts{Paths: []string{"go.mod", "a_test.go"}}, Options{Agent: "claude"})
	if err != nil || len(whole.Files) != 5 || whole.Files[2].Path != AgentsPath || whole.Files[3].Path != claudeFile || whole.Files[4].Path != claudeSettings {
		t.Errorf("a repository without a contract: %+v, %v", whole, err)
	}
	if whole, err = made(&Facts{Paths: []string{"go.mod", "a_test.go"}}, Options{Agent: "codex"}); err != nil || len(whole.Files) != 4 {
		t.Errorf("a repository without a contract: %+v, %v", whole, err)
	}
	bad := withFiles(nil)
	bad.Files[ContractPath] = []byte("version: 2\n")
	named := withFiles(map[string]string{"s.json": `{"title": "mine"}`})
	named.Files[ContractPath] = []byte("report: { schema: s.json }\n" + small)
	if p, err := made(named, Options{Agent: "codex"}); err != nil || !bytes.Contains(p.Files[0].After, []byte(`{"title": "mine"}`)) {
		t.Errorf("the contract's own schema is not shown: %v", err)
	}
	delete(named.Files, "s.json")
	unreadable := withFiles(nil)
	unreadable.Unread[ContractPath] = symlink
	for want, f := range map[string]*Facts{"the contract is not valid": bad, "there is no such file": named, "it is a symbolic link": unreadable} {
		var r *Refusal
		if _, err := made(f, Options{Agent: "codex"}); !errors.As(err, &r) || !strings.Contains(r.Reason, want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := made(withFiles(nil), Options{Agent: "codex", Isolated: true}); err == nil {
		t.Error("--isolated beside a contract is not refused")
	}
}

// FuzzMerged: whatever is in a file of settings, what is planned is JSON that says the same but for one hook more, and every
// byte of it is still there.
func FuzzMerged(f *testing.F) {
	for _, s := range []string{
		"", "{}", "{\n}\n", `{"hooks":{"Stop":[]}}`, "{\r\n \"hooks\": {\"Stop\": [ {\"a\": 1}\r\n ]}}", `{"hooks":{"Stop":["gate hook codex"]}}`, `{"a":{"a":[{}]}}`, "{\t\n}", `{"hooks":null}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, before string) {
		h := hookOf("codex")
		after, err := merged([]byte(before), h)
		if err != nil || after == nil {
			return
		}
		var had, has map[string]any
		if err := errors.Join(json.Unmarshal([]byte(before), &had), json.Unmarshal(after, &has)); err != nil {
			t.Fatalf("%v\n%q\n%q", err, before, after)
		}
		hooks, _ := has["hooks"].(map[string]any)
		list, _ := hooks[h.event].([]any)
		if len(list) == 0 {
			t.Fatalf("there is no hook in %q", after)
		}
		hooks[h.event] = list[:len(list)-1]
		was, _ := had["hooks"].(map[string]any)
		if was == nil {
			was = map[string]any{}
			had["hooks"] = was
		}
		if was[h.event] == nil {
			was[h.event] = []any{}
		}
		if !reflect.DeepEqual(had, has) {
			t.Fatalf("something else changed:\n%q\n%q", before, after)
		}
		if again, err := merged(after, h); again != nil || err != nil {
			t.Fatalf("it changes the second time: %q, %v", again, err)
		}
	})
}
