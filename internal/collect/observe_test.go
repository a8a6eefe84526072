package collect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
)

func parse(t testing.TB, text string) *contract.Contract {
	t.Helper()
	var kinds []contract.Kind
	for _, k := range evidence.Kinds() {
		kinds = append(kinds, contract.Kind{Name: k.Name, Short: k.Short, Schema: k.Schema, Later: k.Later, Deterministic: k.Deterministic})
	}
	c, problems := contract.Parse("contract.yml", []byte("version: 1\nmode: enforce\n"+text), kinds)
	if m := problems.Mistakes(); len(m) > 0 {
		t.Fatal(m)
	}
	return c
}

// treeOf makes a tree of texts; a text that begins with "mode 160000" is a submodule.
func treeOf(t testing.TB, files map[string]string) *Tree {
	t.Helper()
	var entries []TreeEntry
	for path, text := range files {
		b := blobOf([]byte(text))
		e := TreeEntry{Path: path, Mode: ModeFile, SHA: fmt.Sprintf("%x", b[:]), Size: int64(len(text))}
		if text == "submodule" {
			e.Mode = ModeSubmodule
		}
		entries = append(entries, e)
	}
	tree, err := NewTree(strings.Repeat("c", 40), entries)
	must(t, err)
	return tree
}

func given(trees *Trees) Git {
	return Git{Trees: func(context.Context) (*Trees, error) { return trees, nil }, Changed: Changed{Known: true}}
}

func observeOne(t testing.TB, dir, text string, f Facts) evidence.Observation {
	t.Helper()
	return Observe(context.Background(), open(t, dir, Limits{}), parse(t, text), f)[0]
}

func TestObserveKnowsWhatGitKnows(t *testing.T) {
	long := strings.Repeat("the same line\n", 10)
	crlf := strings.ReplaceAll(long, "\n", "\r\n")
	big := strings.Repeat("large ", 1000)
	pointer := fmt.Sprintf("version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize %d\n", sha(big), len(big))
	dir := t.TempDir()
	put(t, dir, map[string]string{
		"out/tracked.txt": long + "edited", "out/raw.txt": long, "out/crlf.txt": crlf, "out/lfs.bin": big, "out/new.txt": long + "new",
		"out/small.txt": "{}", "sub/mod/report.txt": "produced", "out/link.txt": "-> tracked.txt", "out/atbase.txt": "x",
		"out/tolink.txt": "-> new.txt",
	})
	head := treeOf(t, map[string]string{"b/copy.txt": long, "a/copy.txt": long, "out/tracked.txt": long, "lfs.bin": pointer, "tiny": "{}", "sub/mod": "submodule", "out/tolink.txt": "new.txt"})
	base := treeOf(t, map[string]string{"out/atbase.txt": "old"})
	want := map[string]evidence.GitFacts{
		"out/tracked.txt":    {Known: true, Tracked: true, Changed: true},
		"out/raw.txt":        {Known: true, Copied: "a/copy.txt"},
		"out/crlf.txt":       {Known: true, Copied: "a/copy.txt"},
		"out/lfs.bin":        {Known: true, Copied: "lfs.bin"},
		"out/new.txt":        {Known: true},
		"out/small.txt":      {Known: true},
		"sub/mod/report.txt": {Known: true, Tracked: true},
		"out/link.txt":       {Known: true, Tracked: true},
		"out/tolink.txt":     {Known: true, Tracked: true},
		"out/atbase.txt":     {Known: true, Tracked: true},
	}
	git := given(&Trees{Head: head, Base: base})
	git.Changed.Files = []ChangedFile{{Path: "out/tracked.txt", Status: "modified"}, {Path: "out/new.txt", Status: "removed"}}
	o := observeOne(t, dir, `outcomes: [{id: o, artifact: {files: ["out/**", "sub/**"], count: {min: 1}}}]`, Facts{Git: git})
	if o.Artifact.Problem != "" || o.Artifact.Total != len(want) {
		t.Fatalf("got %+v", o.Artifact)
	}
	for _, f := range o.Artifact.Files {
		if diff := cmp.Diff(want[f.Name], f.Git); diff != "" {
			t.Errorf("%s: %s", f.Name, diff)
		}
		if f.Problem != "" || f.ModifiedAt == nil || len(f.SHA256) != 64 {
			t.Errorf("%s: got %+v", f.Name, f)
		}
	}
}

func TestObserveNeverTakesUnreadableTreesForUntracked(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"out.txt": "x"})
	cases := map[string]Git{
		"nothing given": {},
		"an error":      {Trees: func(context.Context) (*Trees, error) { return nil, errMissing }},
		"no trees":      {Trees: func(context.Context) (*Trees, error) { return nil, nil }},
		"no head":       given(&Trees{Base: treeOf(t, nil)}),
	}
	for name, git := range cases {
		f := observeOne(t, dir, `outcomes: [{id: o, artifact: {files: out.txt}}]`, Facts{Git: git}).Artifact.Files[0]
		if f.Git.Known || f.Git.Reason == "" || f.Git.Tracked {
			t.Errorf("%s: got %+v", name, f.Git)
		}
	}
}

func TestObserveAsksOnlyForWhatIsNeeded(t *testing.T) {
	calls := map[string]int{}
	f := Facts{
		Git: Git{Trees: func(context.Context) (*Trees, error) { calls["trees"]++; return nil, errMissing }},
		Checks: func(context.Context) ([]evidence.Check, error) {
			calls["checks"]++
			return nil, errors.New("boom")
		},
		TrustedFile: func(_ context.Context, path string) ([]byte, error) {
			calls["trusted "+path]++
			return []byte(`{"type":"object"}`), nil
		},
	}
	dir := t.TempDir()
	w := open(t, dir, Limits{})
	c := parse(t, `outcomes: [{id: o, artifact: {files: out.txt}, validators: [step: test]}]`)
	Observe(context.Background(), w, c, f)
	if len(calls) != 0 {
		t.Errorf("without files or checks: %v", calls)
	}
	put(t, dir, map[string]string{"out.json": "{}", "b.json": "{}"})
	c = parse(t, `
outcomes:
  - {id: a, artifact: {files: out.json}, validators: [json_schema: {schema: s.json}, check: {name: x, app: y}]}
  - {id: b, artifact: {files: b.json}, validators: [json_schema: {schema: s.json}, check: {name: z, app: y}]}`)
	obs := Observe(context.Background(), w, c, f)
	if diff := cmp.Diff(map[string]int{"trees": 1, "checks": 1, "trusted s.json": 1}, calls); diff != "" {
		t.Error(diff)
	}
	for _, o := range obs {
		for _, v := range o.Validators {
			if k, ok := evidence.KindByName(v.Kind); !ok || v.Version != k.Version || len(v.Facts) < 3 {
				t.Errorf("%s: got %+v", o.ID, v)
			}
		}
		if k, _ := evidence.KindByName("json_schema"); k.Judge(o.Validators[0].Params, o.Validators[0].Facts).State != evidence.Verified {
			t.Errorf("%s: json_schema was not shown what it needs: %s", o.ID, o.Validators[0].Facts)
		}
	}
}

func TestObserveShowsValidatorsTheirFiles(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{
		"r/junit-1.xml": junit, "r/junit-2.xml": strings.ReplaceAll(junit, `classname="c"`, `classname="d"`),
		"exit.json": "0\n", "broken.xml": "-> ../outside",
	})
	c := parse(t, `
outcomes:
  - {id: unit, artifact: {files: "r/*.xml", made_by: test, count: 2}, validators: [tests: {min_executed: 4}]}
  - {id: again, artifact: {of: unit}, validators: [tests: {min_executed: 5}, exit_code: {file: exit.json}]}
  - {id: link, artifact: {files: broken.xml}, validators: [tests: {}]}
  - {id: job, artifact: {files: absent.xml, made_by: build}, validators: [job: build]}
  - {id: nobody, artifact: {files: R/junit-1.xml, made_by: who}}`)
	f := Facts{
		Git: given(&Trees{Head: treeOf(t, map[string]string{"x": "0\n"})}),
		Contexts: Contexts{
			Steps: map[string]evidence.Step{"test": {Outcome: "failure", Conclusion: "success"}}, HasSteps: true,
			Jobs: map[string]evidence.Job{"build": {Result: "success", Source: "api"}, "test": {Result: "success"}}, HasJobs: true,
		},
	}
	obs := Observe(context.Background(), open(t, dir, Limits{}), c, f)
	judge := func(i, j int) evidence.Finding {
		v := obs[i].Validators[j]
		k, _ := evidence.KindByName(v.Kind)
		return k.Judge(v.Params, v.Facts)
	}
	for _, x := range []struct {
		i, j int
		want evidence.State
	}{{0, 0, evidence.Verified}, {1, 0, evidence.ValidatorFailed}, {1, 1, evidence.Verified}, {2, 0, evidence.Unverified}, {3, 0, evidence.Verified}} {
		if got := judge(x.i, x.j); got.State != x.want {
			t.Errorf("%s validator %d: got %+v, want %s", obs[x.i].ID, x.j, got, x.want)
		}
	}
	if obs[1].Of != "unit" || !cmp.Equal(obs[0].Artifact, obs[1].Artifact) {
		t.Errorf("of: got %+v", obs[1])
	}
	if r := obs[1].Validators[1].Reads; len(r) != 1 || r[0].Role != "record" || r[0].Set.Total != 1 || r[0].Set.Files[0].Git.Copied != "" {
		t.Errorf("the record's own facts: %+v", r)
	}
	want := []*evidence.Producer{
		{Name: "test", Source: "step", Given: true, Outcome: "failure"},
		{Name: "test", Source: "step", Given: true, Outcome: "failure"},
		nil,
		{Name: "build", Source: "api", Given: true, Outcome: "success"},
		{Name: "who", Given: true},
	}
	for i := range obs {
		if diff := cmp.Diff(want[i], obs[i].Producer); diff != "" {
			t.Errorf("%s: %s", obs[i].ID, diff)
		}
	}
	if got := obs[2].Artifact.Files[0].Problem; got != evidence.CodeArtifactLinkOutside {
		t.Errorf("link: got %s", got)
	}
	if got := obs[4].Artifact; got.Total != 0 || got.Near != "r" {
		t.Errorf("near: got %+v", got)
	}
}

func TestObserveReadsEachFileOnce(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"r.xml": junit})
	c := parse(t, `
outcomes:
  - {id: a, artifact: {files: r.xml, identity: {property: commit, equals: commit}}, validators: [tests: {format: junit}, tests: {}, content: {text: testsuite}]}
  - {id: b, artifact: {files: "*.xml", count: 1}, validators: [tests: {}]}`)
	o := &observer{w: open(t, dir, Limits{}), c: c, f: &Facts{}, plan: newPlan(c), files: map[source]map[string]*observedFile{}, trusted: map[string]trustedFile{}}
	o.listAll(context.Background())
	f := o.files[source{}]["r.xml"]
	if len(o.files) != 1 || len(o.files[source{}]) != 1 || len(f.need.forms) != 2 || f.need.bytes != evidence.MaxDocumentBytes || f.last != 1 {
		t.Fatalf("got %+v, of it %+v", o.files, f)
	}
	o.readAll(context.Background(), o.filesOf(0))
	first := f.read
	o.readAll(context.Background(), o.filesOf(1))
	if first == nil || f.read != first {
		t.Error("the file was read a second time")
	}
	got := o.outcome(context.Background(), 0)
	if id := got.Artifact.Files[0].Identity; len(id) != 1 || id[0].Value != "abc" || !id[0].Found {
		t.Errorf("identity: %+v", id)
	}
}

func TestObserveKeepsKeyedDigestsApart(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"s.csv": "secret"})
	mac := `hmac_sha256: "` + strings.Repeat("0", 64) + `"`
	text := `
outcomes:
  - {id: keyed, artifact: {files: s.csv, ` + mac + `}}
  - {id: other, artifact: {files: "*.csv", count: 1}, validators: [content: {text: x}]}
  - {id: named, artifact: {files: s.csv, sha256: "` + sha("secret") + `"}}`
	for _, key := range []string{"", "key"} {
		obs := Observe(context.Background(), open(t, dir, Limits{}), parse(t, text), Facts{HMACKey: []byte(key)})
		body, err := json.Marshal(obs[:2])
		must(t, err)
		if strings.Contains(string(body), sha("secret")) {
			t.Errorf("key %q: the plain digest shows: %s", key, body)
		}
		f := obs[0].Artifact.Files[0]
		if f.NoKey != (key == "") || (f.HMACSHA256 == "") != (key == "") {
			t.Errorf("key %q: got %+v", key, f)
		}
		if got := obs[2].Artifact.Files[0].SHA256; got != sha("secret") {
			t.Errorf("key %q: the outcome that names the digest got %q", key, got)
		}
	}
}

func TestObserveJudgesTheHeadsBlobOfChangedFiles(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"docs/a.md": "working", "docs/b.md": "same"})
	blobs := map[string]string{"docs/a.md": "at head", "docs/b.md": "same", "docs/c.md": "untouched", "docs/gone.md": "only at head"}
	head := treeOf(t, blobs)
	bySHA := map[string]string{}
	for e := range head.All() {
		bySHA[e.SHA] = blobs[e.Path]
	}
	git := given(&Trees{Head: head})
	git.Blob = func(_ context.Context, sha string) ([]byte, error) { return []byte(bySHA[sha]), nil }
	git.Changed.Files = []ChangedFile{{Path: "docs/a.md", Status: "added"}, {Path: "docs/b.md", Status: "renamed"}, {Path: "docs/gone.md", Status: "modified"}}
	text := `outcomes: [{id: o, artifact: {files: "docs/*.md", committed: changed, count: {min: 1}}, validators: [content: {text: head}]}]`
	o := observeOne(t, dir, text, Facts{Git: git})
	var names []string
	for _, f := range o.Artifact.Files {
		names = append(names, f.Name)
		if f.SHA256 != sha(blobs[f.Name]) || !f.Git.AtHead || !f.Git.Changed || !f.Git.Known || !f.Git.Tracked {
			t.Errorf("%s: got %+v", f.Name, f)
		}
		if (f.Git.Reason == "") != (f.Name == "docs/b.md") {
			t.Errorf("%s: the working file: %q", f.Name, f.Git.Reason)
		}
	}
	if diff := cmp.Diff([]string{"docs/a.md", "docs/b.md", "docs/gone.md"}, names); diff != "" || o.Artifact.Tier != "commit" {
		t.Errorf("%s tier %s", diff, o.Artifact.Tier)
	}
	git.Changed = Changed{Known: true}
	if o := observeOne(t, dir, text, Facts{Git: git}); o.Artifact.Total != 4 || o.Artifact.Files[0].Git.Changed {
		t.Errorf("an untouched set: got %+v", o.Artifact)
	}
	git.Changed = Changed{Reason: "the list was cut"}
	if f := observeOne(t, dir, text, Facts{Git: git}).Artifact.Files[0]; f.Git.Known || !strings.Contains(f.Git.Reason, "cut") {
		t.Errorf("an unknown change: got %+v", f.Git)
	}
	git.Blob = func(context.Context, string) ([]byte, error) { return []byte("forged"), nil }
	if f := observeOne(t, dir, text, Facts{Git: git}).Artifact.Files[0]; f.Problem != evidence.CodeArtifactUnreadable || f.Git.AtHead || f.SHA256 != "" {
		t.Errorf("forged bytes: got %+v", f)
	}
	if o := observeOne(t, dir, text, Facts{}); o.Artifact.Problem != evidence.CodeArtifactUnlisted {
		t.Errorf("no trees: got %+v", o.Artifact)
	}
}

func TestObserveLooksBesideTheArtifact(t *testing.T) {
	now := time.Now()
	fresh := evidence.Circumstances{Now: now, Boundary: now.Add(-time.Hour)}
	text := `outcomes: [{id: o, artifact: {files: app.bin, identity: {regexp: "commit=([a-z]+)", file: "v[1].txt", equals: commit}}}]`
	cases := []struct {
		name  string
		tree  map[string]string
		c     evidence.Circumstances
		edit  func(dir string) error
		found bool
	}{
		{"fresh", nil, fresh, nil, true},
		{"committed", map[string]string{"v[1].txt": "x"}, fresh, nil, false},
		{"copied", map[string]string{"elsewhere": "commit=abc " + strings.Repeat("x", 60)}, fresh, nil, false},
		{"old", nil, fresh, func(dir string) error {
			return os.Chtimes(filepath.Join(dir, "v[1].txt"), now, now.Add(-2*time.Hour))
		}, false},
		{"unknown boundary", nil, evidence.Circumstances{Now: now, BoundarySource: "nobody said"}, nil, false},
		{"absent", nil, fresh, func(dir string) error { return os.Remove(filepath.Join(dir, "v[1].txt")) }, false},
	}
	for _, c := range cases {
		dir := t.TempDir()
		put(t, dir, map[string]string{"app.bin": "binary", "v[1].txt": "commit=abc " + strings.Repeat("x", 60), "v1.txt": "commit=wrong"})
		if c.edit != nil {
			must(t, c.edit(dir))
		}
		o := observeOne(t, dir, text, Facts{Git: given(&Trees{Head: treeOf(t, c.tree)}), Circumstances: c.c})
		id := o.Artifact.Files[0].Identity
		if len(id) != 1 || id[0].Found != c.found || (c.found && id[0].Value != "abc") || (!c.found && id[0].Reason == "") {
			t.Errorf("%s: got %+v", c.name, id)
		}
	}
}

func TestObserveKeepsToSymlinkRulesAndSources(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"real.txt": "x", "link.txt": "-> real.txt"})
	c := parse(t, `
outcomes:
  - {id: refuse, artifact: {files: link.txt, symlinks: refuse}, validators: [content: {text: x}]}
  - {id: inside, artifact: {files: link.txt}, validators: [content: {text: x}]}`)
	c.Outcomes = append(c.Outcomes,
		contract.Outcome{ID: "upload", Artifact: &contract.Artifact{Upload: "dist", Files: []string{"*.txt"}}},
		contract.Outcome{ID: "url", Artifact: &contract.Artifact{URL: "https://example.com/"}},
		contract.Outcome{ID: "circle", Artifact: &contract.Artifact{Of: "circle"}},
		contract.Outcome{ID: "dangling", Artifact: &contract.Artifact{Of: "nothing"}},
		contract.Outcome{ID: "empty", Artifact: &contract.Artifact{}})
	obs := Observe(context.Background(), open(t, dir, Limits{}), c, Facts{Git: given(&Trees{Head: treeOf(t, nil)})})
	if f := obs[0].Artifact.Files[0]; f.Problem != evidence.CodeArtifactLinkRefused || f.SHA256 != "" {
		t.Errorf("refuse: got %+v", f)
	}
	if f := obs[1].Artifact.Files[0]; f.Problem != "" || !f.Link || f.SHA256 != sha("x") {
		t.Errorf("inside: got %+v", f)
	}
	k, _ := evidence.KindByName("content")
	for i, want := range []evidence.State{evidence.Unverified, evidence.Verified} {
		if got := k.Judge(obs[i].Validators[0].Params, obs[i].Validators[0].Facts); got.State != want {
			t.Errorf("%s: content says %+v", obs[i].ID, got)
		}
	}
	for _, o := range obs[2:] {
		want := evidence.CodeArtifactUnlisted
		switch o.ID {
		case "url":
			want = evidence.CodeAddressNotHere
		case "upload":
			want = evidence.CodeUploadNotHere
		}
		if o.Artifact.Problem != want || o.Artifact.Total != 0 {
			t.Errorf("%s: got %+v", o.ID, o.Artifact)
		}
	}
}

func TestObserveTellsOfWaits(t *testing.T) {
	text := `
outcomes:
  - {id: people, waits_for: {approval: {from: [write], count: 2}}}
  - {id: env, waits_for: {environment: production}}`
	w := open(t, t.TempDir(), Limits{})
	obs := Observe(context.Background(), w, parse(t, text), Facts{})
	for _, o := range obs {
		if o.Wait == nil || o.Wait.Known || o.Wait.Reason == "" || o.Wait.Arrived {
			t.Errorf("%s: got %+v", o.ID, o.Wait)
		}
	}
	f := Facts{
		Approvals: func(_ context.Context, a contract.Approval) evidence.WaitFacts {
			return evidence.WaitFacts{Known: true, By: a.From}
		},
		Environments: func(_ context.Context, name string) evidence.WaitFacts {
			return evidence.WaitFacts{Known: true, Arrived: true, By: []string{name}}
		},
	}
	obs = Observe(context.Background(), w, parse(t, text), f)
	if diff := cmp.Diff(&evidence.WaitFacts{Known: true, By: []string{"write"}, Need: 2}, obs[0].Wait); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(&evidence.WaitFacts{Known: true, Arrived: true, By: []string{"production"}}, obs[1].Wait); diff != "" {
		t.Error(diff)
	}
}

func TestLocalBoundaryIsTheNewestSource(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"main.go": "m", "old.go": "o", "out/report.json": "{}", "new.txt": "untracked", "link": "-> new.txt", "mod/x": "x"})
	at := func(name string, seconds int64) {
		when := time.Unix(seconds, 0)
		must(t, os.Chtimes(filepath.Join(dir, filepath.FromSlash(name)), when, when))
	}
	at("main.go", 3000)
	at("old.go", 1000)
	at("out/report.json", 9000)
	at("mod", 2000)
	at(".", 500)
	c := parse(t, `outcomes: [{id: o, artifact: {files: "out/*.json", count: 1}}]`)
	w := open(t, dir, Limits{})
	tree := func(names ...string) *Tree {
		files := map[string]string{}
		for _, n := range names {
			files[n] = ""
			if n == "mod" {
				files[n] = "submodule"
			}
		}
		return treeOf(t, files)
	}
	for _, k := range []struct {
		what  string
		trees *Trees
		want  int64
		says  string
	}{
		{"the newest of the head", &Trees{Head: tree("main.go", "old.go", "out/report.json")}, 3000, "main.go"},
		{"taken out of the index", &Trees{Head: tree("main.go", "old.go"), Index: tree("old.go")}, 3000, "main.go"},
		{"only in the index", &Trees{Head: tree("old.go"), Index: tree("main.go", "old.go")}, 3000, "main.go"},
		{"no head", &Trees{Index: tree("old.go")}, 1000, "old.go"},
		{"a submodule", &Trees{Head: tree("mod", "old.go")}, 2000, "mod"},
		{"no evidence", &Trees{Head: tree("out/report.json", "old.go")}, 1000, "old.go"},
		{"no file of it is here", &Trees{Head: tree("deleted.go")}, 0, "no tracked file is here"},
		{"no tree", &Trees{}, 0, "not known"},
		{"no trees", nil, 0, "not known"},
	} {
		got, source := LocalBoundary(context.Background(), w, c, Sources{Trees: k.trees}, time.Time{})
		if got.IsZero() != (k.want == 0) || !got.IsZero() && got.Unix() != k.want || !strings.Contains(source, k.says) {
			t.Errorf("%s: got %v from %q", k.what, got, source)
		}
	}
	if got, source := LocalBoundary(context.Background(), w, c, Sources{}, time.Unix(5, 0)); got.Unix() != 5 || source == "" {
		t.Errorf("given: got %v from %s", got, source)
	}
	info, err := os.Lstat(filepath.Join(dir, "link"))
	must(t, err)
	if got, source := LocalBoundary(context.Background(), w, c, Sources{Trees: &Trees{Head: tree("link", "old.go")}}, time.Time{}); !got.Equal(info.ModTime()) {
		t.Errorf("a link counts by its own time: got %v from %s", got, source)
	}
}

// TestLocalBoundaryAfterARemoval holds that results count for nothing once a source of theirs went away.
func TestLocalBoundaryAfterARemoval(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"main.go": "m", "src/a.go": "a", "src/deep/x": "", "res/old.go": "", "res/out.json": "{}"})
	at := func(name string, seconds int64) {
		when := time.Unix(seconds, 0)
		must(t, os.Chtimes(filepath.Join(dir, filepath.FromSlash(name)), when, when))
	}
	for _, name := range []string{"main.go", "src/a.go", "res/old.go"} {
		at(name, 1000)
	}
	at("src", 2000)
	at("res", 3000)
	at("src/deep", 4000)
	at(".", 5000)
	c := parse(t, `outcomes: [{id: o, artifact: {files: "res/*.json", count: 1}}]`)
	w := open(t, dir, Limits{})
	for _, k := range []struct {
		what      string
		tracked   string // and not here
		gone      []string
		committed int64
		want      int64
	}{
		{"nothing is gone", "", nil, 9000, 1000},
		{"a tracked file is not here", "src/b.go", nil, 0, 2000},
		{"the change removed one", "", []string{"src/b.go"}, 9000, 2000},
		{"with its folder", "src/pkg/b.go", nil, 0, 2000},
		{"by putting a file in its folder's place", "src/a.go/b.go", nil, 0, 2000},
		{"from the workspace itself", "", []string{"c.go"}, 9000, 5000},
		{"from the workspace itself, and not committed", "b.go", nil, 9000, 5000},
		{"a whole folder of the workspace itself", "pkg/b.go", nil, 0, 5000},
		{"the folder changed after the commit", "", []string{"c.go"}, 4500, 4501},
		{"from where evidence is written, and not committed", "res/old2.go", nil, 9000, 1000},
		{"from where evidence is written", "", []string{"res/old2.go"}, 2500, 2501},
		{"evidence itself", "res/b.json", []string{"res/c.json"}, 9000, 1000},
		{"two of them", "src/b.go", []string{"src/deep/y"}, 9000, 4000},
		{"the old name is in use again", "", []string{"main.go"}, 9000, 1000},
	} {
		files := map[string]string{"main.go": "", "src/a.go": "", "res/old.go": ""}
		if k.tracked != "" {
			files[k.tracked] = ""
		}
		s := Sources{Trees: &Trees{Head: treeOf(t, files)}, Gone: k.gone}
		if k.committed > 0 {
			s.CommittedAt = time.Unix(k.committed, 0)
		}
		got, source := LocalBoundary(context.Background(), w, c, s, time.Time{})
		if got.Unix() != k.want || strings.Contains(source, "removed") != (k.want > 1000) {
			t.Errorf("%s: got %d from %q, want %d", k.what, got.Unix(), source, k.want)
		}
	}
}

// TestLocalBoundaryOfASparseCheckout holds that what does not belong into the worktree is not taken for removed.
func TestLocalBoundaryOfASparseCheckout(t *testing.T) {
	g := newGit(t)
	head := g.commit("first", map[string]string{"src/a.go": "a", "other/b.go": "b", "top.go": "t"})
	g.git("sparse-checkout", "set", "src")
	r := openRepo(t, g.dir)
	trees, err := r.Trees(context.Background(), head, "", "", true)
	must(t, err)
	w := open(t, g.dir, Limits{})
	when := time.Unix(1000, 0)
	for _, name := range []string{"src/a.go", "top.go", "src"} {
		must(t, os.Chtimes(filepath.Join(g.dir, name), when, when))
	}
	got, source := LocalBoundary(context.Background(), w, parse(t, `outcomes: [{id: o, artifact: {files: "out/*.json"}}]`), Sources{Trees: trees}, time.Time{})
	if got.Unix() != 1000 {
		t.Errorf("got %v from %s", got, source)
	}
}
