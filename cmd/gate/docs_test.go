package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/doctor"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/evidence/testresult"
	"github.com/outcome-gate/outcome-gate/internal/gate"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

var update = flag.Bool("update", false, "rewrite the generated parts of the documentation")

// TestMain lets this test program stand in for gate: the shell of TestDocsCommands finds it under that name.
func TestMain(m *testing.M) {
	if os.Getenv("GATE_TEST_RUN_MAIN") != "" {
		main()
	}
	// A command of a contract gets its environment from this process: TestScripts looks for this value.
	if err := os.Setenv("ACTIONS_RUNTIME_TOKEN", plantedInStories); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// docs is the folder of the repository.
const docs = "../.."

// TestDocsTables holds the generated tables of the documentation to the code that they are made of.
func TestDocsTables(t *testing.T) {
	for _, d := range []struct {
		file, name, table string
	}{
		{"docs/contract.md", "keys", contract.KeyTable(gate.ContractKinds())},
		{"docs/doctor.md", "codes", doctorTable()},
		{"docs/findings.md", "reasons", verdict.ReasonTable()},
		{"docs/findings.md", "evidence", evidenceTable()},
		{"docs/findings.md", "notes", noteTable()},
		{"docs/findings.md", "mistakes", contractTable(false)},
		{"docs/findings.md", "warnings", contractTable(true)},
	} {
		path := filepath.Join(docs, filepath.FromSlash(d.file))
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		begin, end := "<!-- "+d.name+":begin -->\n", "<!-- "+d.name+":end -->"
		head, rest, ok := strings.Cut(string(data), begin)
		_, tail, closed := strings.Cut(rest, end)
		if !ok || !closed {
			t.Errorf("%s has no place for the table %s", d.file, d.name)
			continue
		}
		if strings.Count(d.table, "\n") < 5 {
			t.Errorf("the table %s is nearly empty: nothing is tested", d.name)
		}
		want := head + begin + d.table + end + tail
		if want == string(data) {
			continue
		}
		if !*update {
			t.Errorf("the table %s of %s is out of date: go test ./cmd/gate -run TestDocs -update", d.name, d.file)
			continue
		}
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDocsRecord holds the records that the documentation shows to the types that are read.
func TestDocsRecord(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(docs, "docs", "contract.md"))
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for _, b := range blocks(string(data)) {
		if b.lang != "json" {
			continue
		}
		shown++
		d := json.NewDecoder(strings.NewReader(b.text))
		d.DisallowUnknownFields()
		if strings.Contains(b.text, evidence.JudgementRecordSchema) {
			var r evidence.JudgementRecord
			if err := d.Decode(&r); err != nil || r.Score == "" || r.Rubric.SHA256 == "" || r.Judge.Kind != "model" || r.Commit == "" || len(r.Artifacts) != 1 {
				t.Errorf("line %d: %+v, %v", b.line, r, err)
			}
			continue
		}
		var r evidence.ExitRecord
		if err := d.Decode(&r); err != nil || r.Schema != evidence.ExitRecordSchema || len(r.Argv) == 0 || len(r.Artifacts) != 1 || r.FinishedAt.Before(r.StartedAt) {
			t.Errorf("line %d: %+v, %v", b.line, r, err)
		}
	}
	if shown != 2 {
		t.Errorf("%d records are shown", shown)
	}
}

// TestDocsNameWhatExists holds every command of gate that the documents name to the program.
func TestDocsNameWhatExists(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(docs, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`gate ([a-z]+)(?: ([a-z]+))?[ `]")
	found := 0
	for _, file := range append([]string{filepath.Join(docs, "README.md"), filepath.Join(docs, "SECURITY.md")}, files...) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range named.FindAllStringSubmatch(string(data), -1) {
			found++
			root := newRoot(&outside{})
			root.InitDefaultHelpCmd() // else it is there only once it runs
			args := []string{m[1]}
			c, _, err := root.Find(args)
			if err == nil && c.HasSubCommands() && c != root && m[2] != "" {
				c, _, err = root.Find([]string{m[1], m[2]})
				args = m[1:]
			}
			if err != nil || c.Name() != args[len(args)-1] {
				t.Errorf("%s names gate %s, and there is no such command", filepath.Base(file), strings.Join(args, " "))
			}
		}
	}
	if found < 10 {
		t.Errorf("only %d commands are named: nothing is tested", found)
	}
}

func evidenceTable() string {
	var b strings.Builder
	b.WriteString("| code | states | meaning | what to do | next | who |\n|---|---|---|---|---|---|\n")
	for _, c := range evidence.Codes() {
		var states, next, who []string
		for _, s := range c.States {
			states = append(states, "`"+string(s)+"`")
			n, w := verdict.ByDefault(s, c.Code)
			next, who = append(next, "`"+string(n)+"`"), append(who, w)
		}
		do := docCell(c.Next)
		if here := evidence.Advice(c.Code, true); here != c.Next {
			do += ". In a local check: " + docCell(here)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", c.Code, strings.Join(states, ", "), docCell(c.Meaning), do,
			strings.Join(slices.Compact(next), ", "), strings.Join(slices.Compact(who), ", "))
	}
	return b.String()
}

// noteTable lists what is found out about a result file itself.
func noteTable() string {
	var b strings.Builder
	b.WriteString("| code | meaning | conclusion at best |\n|---|---|---|\n")
	for _, c := range testresult.NoteCodes() {
		fmt.Fprintf(&b, "| `%s` | %s | `%s` |\n", c.Code, docCell(c.Meaning), c.AtBest)
	}
	return b.String()
}

// doctorTable lists what gate doctor finds.
func doctorTable() string {
	var b strings.Builder
	b.WriteString("| code | severity | meaning | what to do |\n|---|---|---|---|\n")
	for _, c := range doctor.Codes() {
		asks := ""
		if c.Asks {
			asks = " †"
		}
		fmt.Fprintf(&b, "| `%s`%s | %s | %s | %s |\n", c.Code, asks, c.Severity, docCell(c.Meaning), docCell(c.Fix))
	}
	return b.String()
}

func contractTable(warnings bool) string {
	var b strings.Builder
	b.WriteString("| code | meaning | next | who |\n|---|---|---|---|\n")
	for _, c := range contract.Codes() {
		if c.Warning == warnings {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", c.Code, docCell(c.Meaning), docCell(c.Next), c.Who)
		}
	}
	return b.String()
}

func docCell(s string) string {
	if s == "" {
		return "-"
	}
	return strings.ReplaceAll(s, "|", `\|`)
}

// block is a fenced block of a document.
type block struct {
	line int
	lang string
	text string
}

// blocks are the fenced blocks of a document in order.
func blocks(markdown string) []block {
	var out []block
	inside := false
	for i, line := range strings.Split(markdown, "\n") {
		switch {
		case strings.HasPrefix(line, "```") && !inside:
			inside = true
			out = append(out, block{line: i + 1, lang: strings.TrimPrefix(line, "```")})
		case strings.HasPrefix(line, "```"):
			inside = false
		case inside:
			out[len(out)-1].text += line + "\n"
		}
	}
	return out
}

// command is what a document shows: a command with what it prints, and whether what it prints was shown.
type command struct {
	line  int
	run   string
	shown string
	shows bool
}

// commands are those of a document: an sh block is one, of a console block each line that begins with "$ ".
func commands(markdown string) []command {
	var out []command
	for _, b := range blocks(markdown) {
		switch b.lang {
		case "sh":
			out = append(out, command{line: b.line, run: b.text})
		case "console":
			for i, line := range strings.Split(strings.TrimSuffix(b.text, "\n"), "\n") {
				if run, ok := strings.CutPrefix(line, "$ "); ok {
					out = append(out, command{line: b.line + 1 + i, run: run, shows: true})
					continue
				}
				if len(out) > 0 {
					out[len(out)-1].shown += line + "\n"
				}
			}
		}
	}
	return out
}

// TestDocsCommands runs every command that the documents show, in order and in one shell session's folder, and
// compares what they show of the output: a line "..." stands for any number of lines.
func TestDocsCommands(t *testing.T) {
	for _, tool := range []string{"sh", "git", "go"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("the documents' commands need %s: %v", tool, err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(docs, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(self, filepath.Join(bin, "gate")); err != nil {
		t.Skipf("a link to this program cannot be made: %v", err)
	}
	env := append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "GATE_TEST_RUN_MAIN=1", "NO_COLOR=1",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "HOME="+t.TempDir(), "TMPDIR="+t.TempDir())
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH"} { // they lie below the home folder by default
		value, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		env = append(env, name+"="+strings.TrimSpace(string(value)))
	}
	readme := filepath.Join(docs, "README.md")
	ran := 0
	for _, file := range append([]string{readme}, files...) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s := &session{dir: t.TempDir(), env: env}
		if file == readme {
			s.dir = docs // it begins in a clone
		}
		for _, c := range commands(string(data)) {
			if strings.Contains(c.run, "go test ./...\n") { // this very test; the script that checks everything runs it
				continue
			}
			ran++
			got, err := s.run(c.run)
			if err != nil {
				t.Fatalf("%s:%d: %s\n%v\n%s", filepath.Base(file), c.line, c.run, err, got)
			}
			if c.shows && !fits(c.shown, got) {
				t.Errorf("%s:%d: %s\nshows:\n%s\nprints:\n%s", filepath.Base(file), c.line, c.run, c.shown, got)
			}
		}
	}
	if ran < 15 {
		t.Errorf("only %d commands were found: the documents are not tested", ran)
	}
}

// session is a shell session: a folder that changes.
type session struct {
	dir string
	env []string
}

// run runs shell text and returns standard output. Exit codes 1 and 4 are answers of gate, not errors.
func (s *session) run(text string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	// The folder that the text ends in goes out through descriptor 3.
	r, w, err := os.Pipe()
	if err != nil {
		return "", err
	}
	defer r.Close()
	if strings.Contains(text, "\n") { // a block of commands, each of which must succeed
		text = "set -e\n" + text
	}
	cmd := exec.CommandContext(ctx, "sh", "-c", strings.TrimSuffix(text, "\n")+"\ncode=$?\npwd >&3\nexit $code")
	cmd.Dir, cmd.Env, cmd.ExtraFiles = s.dir, s.env, []*os.File{w}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	if err := w.Close(); err != nil {
		return "", err
	}
	var dir bytes.Buffer
	if _, err := dir.ReadFrom(r); err != nil {
		return "", err
	}
	if d := strings.TrimSpace(dir.String()); d != "" {
		s.dir = d
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) && (exit.ExitCode() == 1 || exit.ExitCode() == 4) {
		err = nil
	}
	if err != nil {
		return stdout.String() + stderr.String(), err
	}
	return stdout.String(), nil
}

// fits says whether got is what is shown: line by line, where "..." stands for any lines. Nothing shown fits all.
func fits(shown, got string) bool {
	if shown == "" {
		return true
	}
	return fitLines(strings.Split(strings.TrimRight(shown, "\n"), "\n"), strings.Split(strings.TrimRight(got, "\n"), "\n"))
}

func fitLines(shown, got []string) bool {
	if len(shown) == 0 {
		return len(got) == 0
	}
	if shown[0] == "..." {
		for i := range len(got) + 1 {
			if fitLines(shown[1:], got[i:]) {
				return true
			}
		}
		return false
	}
	return len(got) > 0 && strings.TrimRight(shown[0], " ") == strings.TrimRight(got[0], " ") && fitLines(shown[1:], got[1:])
}

// TestFits proves that the comparison bites.
func TestFits(t *testing.T) {
	for _, c := range []struct {
		shown, got string
		want       bool
	}{
		{"", "anything", true}, {"a\n", "a\n", true}, {"a\n", "b\n", false}, {"a\n", "a\nb\n", false}, {"a\n...\n", "a\nb\nc\n", true},
		{"a\n...\nc\n", "a\nb\nc\n", true}, {"a\n...\nd\n", "a\nb\nc\n", false}, {"a\nb\n", "a\n", false},
	} {
		if got := fits(c.shown, c.got); got != c.want {
			t.Errorf("fits(%q, %q) is %v", c.shown, c.got, got)
		}
	}
}
