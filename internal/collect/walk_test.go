package collect

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/google/go-cmp/cmp"

	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/mishap"
)

// put writes files into dir; a name that ends in "/" is a directory, a value "-> x" a symbolic link to x.
func put(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			must(t, os.MkdirAll(path, 0o755))
			continue
		}
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		if to, ok := strings.CutPrefix(text, "-> "); ok {
			must(t, os.Symlink(to, path))
			continue
		}
		must(t, os.WriteFile(path, []byte(text), 0o600))
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t testing.TB, dir string, lim Limits) *Workspace {
	t.Helper()
	w, err := OpenLimited(dir, lim)
	must(t, err)
	t.Cleanup(func() { must(t, w.Close()) })
	return w
}

func TestListMatchesAsDocumented(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{
		"a.xml": "", "B.xml": "", ".hidden.xml": "", "reports/junit-1.xml": "", "reports/deep/er/junit-2.xml": "",
		"reports/.cache/junit-3.xml": "", "node_modules/p/junit.xml": "", ".git/junit.xml": "", "out/": "",
		"out/data.json": "", "out/data[1].json": "", "link": "-> reports", "reports/latest": "-> deep",
		"reports/copy.xml": "-> junit-1.xml", "x/y/z": "", "empty/": "",
	})
	w := open(t, dir, Limits{})
	cases := []struct {
		globs []string
		want  []string
	}{
		{[]string{"*.xml"}, []string{"B.xml", "a.xml"}},
		{[]string{"b.xml"}, nil},
		{[]string{"**/*.xml"}, []string{"B.xml", "a.xml", "reports/copy.xml", "reports/deep/er/junit-2.xml", "reports/junit-1.xml"}},
		{[]string{"reports/**/junit*.xml"}, []string{"reports/deep/er/junit-2.xml", "reports/junit-1.xml"}},
		{[]string{"reports/**"}, []string{"reports/copy.xml", "reports/deep/er/junit-2.xml", "reports/junit-1.xml"}},
		{[]string{"reports/.cache/*.xml"}, []string{"reports/.cache/junit-3.xml"}},
		{[]string{".*.xml"}, []string{".hidden.xml"}},
		{[]string{"node_modules/*/junit.xml"}, []string{"node_modules/p/junit.xml"}},
		{[]string{".git/junit.xml"}, []string{".git/junit.xml"}},
		{[]string{"*/p/junit.xml"}, nil},
		{[]string{"out"}, []string{"out"}},
		{[]string{"ou*"}, nil},
		{[]string{`out/data\[1\].json`}, []string{"out/data[1].json"}},
		{[]string{"{out,x/y}/*"}, []string{"out/data.json", "out/data[1].json", "x/y/z"}},
		{[]string{"{a,{B,C}}.xml"}, []string{"B.xml", "a.xml"}},
		{[]string{"[ab].xml", "a.*"}, []string{"a.xml"}},
		{[]string{"x/y/z/**"}, []string{"x/y/z"}},
		{[]string{"absent/**/*.xml"}, nil},
		{[]string{"lin*"}, nil},
		{[]string{"link"}, []string{"link"}},
	}
	var sets [][]string
	for _, c := range cases {
		sets = append(sets, c.globs)
	}
	for i, got := range w.list(context.Background(), sets) {
		if got.problem != "" || !slices.Equal(got.names, cases[i].want) {
			t.Errorf("%q: got %q %s %s, want %q", cases[i].globs, got.names, got.problem, got.detail, cases[i].want)
		}
	}
}

// TestListSeesLinkedDirectories holds that nothing behind a linked directory is passed over in silence: the walk comes to
// it by its own path, or the set says that it did not look there.
func TestListSeesLinkedDirectories(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	put(t, outside, map[string]string{"red.xml": "", "file": ""})
	put(t, dir, map[string]string{
		"reports/1.xml": "", "reports/2": "-> ../shards/2", "shards/2/2.xml": "",
		"all/a/1.xml": "", "all/latest": "-> a", "all/self": "-> .", "all/up": "-> ..", "all/gone": "-> nowhere",
		"far/1.xml": "", "far/away": "-> " + outside, "files/1.xml": "", "files/x": "-> " + filepath.Join(outside, "file"), "files/dir.xml": "-> ../shards",
		"named": "-> shards/2", "chain/1.xml": "", "chain/one": "-> two", "chain/two": "-> ../shards", "hidden/1.xml": "", "hidden/.dot": "-> ../shards",
	})
	w := open(t, dir, Limits{})
	for _, c := range []struct {
		glob string
		bad  string // the link that the problem names, "" if there is none
		n    int    // files
	}{
		{"reports/**/*.xml", "reports/2", 0},
		{"reports/*/*.xml", "reports/2", 0},
		{"reports/**", "reports/2", 0},
		{"reports/*.xml", "", 1},
		{"reports/[1-9]", "", 0},
		{"reports/{1.xml,3/*.xml}", "", 1},
		{"all/**/*.xml", "all/up", 0}, // what lies above is not all below
		{"all/*/*.xml", "all/self", 0},
		{"all/a/*.xml", "", 1},
		{"all/latest/*.xml", "all/latest", 0},
		{"far/**", "far/away", 0},
		{"files/**", "files/dir.xml", 0},
		{"files/*.xml", "", 1},
		{"named/*.xml", "named", 0},
		{"named/**", "named", 0},
		{"chain/**", "chain/one", 0},
		{"{chain,shards}/**", "", 2},
		{"hidden/**", "", 1},
		{"**/nothing.xml", "far/away", 0},
	} {
		l := w.list(context.Background(), [][]string{{c.glob}})[0]
		switch {
		case c.bad == "" && (l.problem != "" || len(l.names) != c.n):
			t.Errorf("%s: got %q %s %s, want %d files", c.glob, l.names, l.problem, l.detail, c.n)
		case c.bad != "" && (l.problem != evidence.CodeArtifactLinkedDirectory || !strings.HasPrefix(l.detail, c.bad+" ") || l.names != nil):
			t.Errorf("%s: got %q %s %s, want a problem with %s", c.glob, l.names, l.problem, l.detail, c.bad)
		}
	}
}

func TestListRefusesWhatLeavesTheWorkspace(t *testing.T) {
	w := open(t, t.TempDir(), Limits{})
	for _, glob := range []string{"/etc/passwd", "../x", "a/../../x", "./a", "a//b", "a/", "", "[", "[/-b]", "a/[b/c]d", "a\x00b", strings.Repeat("{a,b}", 11)} {
		l := w.list(context.Background(), [][]string{{glob}})[0]
		if l.problem != evidence.CodeArtifactUnlisted || l.names != nil || l.detail == "" {
			t.Errorf("%q: got %+v, want it unlisted with a reason", glob, l)
		}
	}
}

func TestListKeepsToItsLimits(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{}
	for i := range 20 {
		files[fmt.Sprintf("many/f%02d", i)] = ""
	}
	files[strings.Repeat("d/", 12)+"deep.txt"] = ""
	put(t, dir, files)
	cases := []struct {
		name string
		lim  Limits
		glob string
		want string
	}{
		{"files", Limits{Files: 19}, "many/*", evidence.CodeArtifactTooMany},
		{"exactly", Limits{Files: 20}, "many/*", ""},
		{"entries", Limits{Entries: 21}, "many/*", evidence.CodeArtifactTooMany},
		{"entries exactly", Limits{Entries: 22}, "many/*", ""},
		{"depth", Limits{Depth: 11}, "d/**", evidence.CodeArtifactUnlisted},
		{"depth exactly", Limits{Depth: 12}, "d/**", ""},
		{"depth elsewhere", Limits{Depth: 5}, "many/*", ""},
	}
	for _, c := range cases {
		l := open(t, dir, c.lim).list(context.Background(), [][]string{{c.glob}})[0]
		if l.problem != c.want || (c.want != "" && l.names != nil) {
			t.Errorf("%s: got %d names and %q (%s), want %q", c.name, len(l.names), l.problem, l.detail, c.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if l := open(t, dir, Limits{}).list(ctx, [][]string{{"many/*"}})[0]; l.problem != evidence.CodeArtifactUnlisted || !strings.Contains(l.detail, "cancelled") {
		t.Errorf("cancelled: got %+v", l)
	}
}

func TestListDoesNotHideAnUnreadableDirectory(t *testing.T) {
	if !mishap.Bound(t) {
		return
	}
	dir := t.TempDir()
	put(t, dir, map[string]string{"a/x.xml": "", "b/x.xml": ""})
	must(t, os.Chmod(filepath.Join(dir, "a"), 0))
	t.Cleanup(func() { must(t, os.Chmod(filepath.Join(dir, "a"), 0o755)) })
	if l := open(t, dir, Limits{}).list(context.Background(), [][]string{{"**/*.xml"}})[0]; l.problem != evidence.CodeArtifactUnlisted {
		t.Errorf("got %+v", l)
	}
}

func TestListHandlesNamesOfAnyBytes(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("this system's names are text")
	}
	dir := t.TempDir()
	names := []string{"a\xff.xml", "a\xfe.xml", "new\nline.xml", "a\\xff.xml", "日本.xml", "\xe2\x80\xaemoc.xml"}
	for _, n := range names {
		put(t, dir, map[string]string{n: "x"})
	}
	l := open(t, dir, Limits{}).list(context.Background(), [][]string{{"*.xml"}})[0]
	slices.Sort(names)
	if diff := cmp.Diff(names, l.names); diff != "" {
		t.Fatal(diff)
	}
	seen := map[string]bool{}
	for _, n := range l.names {
		p := printable(n)
		if strings.ContainsRune(p, '\uFFFD') || seen[p] && n != "a\\xff.xml" && n != "a\xff.xml" {
			t.Errorf("%q is written as %q", n, p)
		}
		seen[p] = true
	}
}

func TestListWalksAHundredThousandFiles(t *testing.T) {
	dir := t.TempDir()
	for d := range 100 {
		sub := filepath.Join(dir, fmt.Sprintf("d%02d", d))
		must(t, os.Mkdir(sub, 0o750))
		for f := range 1000 {
			ext := ".txt"
			if f%100 == 0 {
				ext = ".xml"
			}
			must(t, os.WriteFile(filepath.Join(sub, fmt.Sprintf("f%03d%s", f, ext)), nil, 0o600))
		}
	}
	l := open(t, dir, Limits{}).list(context.Background(), [][]string{{"**/*.xml"}})[0]
	if l.problem != "" || len(l.names) != 1000 || !slices.IsSorted(l.names) {
		t.Fatalf("got %d names, %s %s", len(l.names), l.problem, l.detail)
	}
	if l := open(t, dir, Limits{}).list(context.Background(), [][]string{{"**/*.txt"}})[0]; l.problem != "" || len(l.names) != 99_000 {
		t.Fatalf("got %d names, %s %s", len(l.names), l.problem, l.detail)
	}
}

// FuzzMatchPath holds a law: for names without dots in front, the walk's own matcher says what doublestar says.
func FuzzMatchPath(f *testing.F) {
	seeds := [][2]string{
		{"**/*.xml", "a/b/c.xml"}, {"a/**", "a"}, {"a/**/b", "a/b"}, {"a/**/b", "a/x/y/b"}, {"[/-b]", "0"}, {"a*/**", "a"}, {"a*b/c?d", "axxb/cyd"},
		{"{a,b/c}/d", "b/c/d"}, {"[a-c]/x", "b/x"}, {"**", "a"}, {"a/**/**/b", "a/b"}, {"*a*a*", "xaya"}, {"a**b", "axb"},
	}
	for _, s := range seeds {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, glob, path string) {
		pats, err := compile(0, []string{glob})
		if err != nil || strings.HasSuffix(glob, "/") {
			return
		}
		for name := range strings.SplitSeq(path, "/") {
			if name == "" || name == ".." || name[0] == '.' || skipped(name) || strings.ContainsAny(name, "\x00") {
				return
			}
		}
		for _, p := range pats {
			// Two stars beside something else are one star here; doublestar lets some of them cross a slash.
			if slices.ContainsFunc(p.segs, func(s segment) bool { return s.kind != segTree && strings.Contains(s.text, "**") }) {
				return
			}
		}
		want, err := doublestar.Match(glob, path)
		if err != nil {
			return
		}
		// To doublestar "a/**" means "a" itself too, and "a*/**" does not: here both do.
		for dir, ok := strings.CutSuffix(glob, "/**"); ok && !want; dir, ok = strings.CutSuffix(dir, "/**") {
			want, _ = doublestar.Match(dir, path)
		}
		if got := matchPath(pats, path); got != want {
			t.Errorf("%q against %q: got %v, doublestar says %v", glob, path, got, want)
		}
	})
}

func BenchmarkList(b *testing.B) {
	dir := b.TempDir()
	for d := range 300 {
		sub := filepath.Join(dir, "pkg", fmt.Sprintf("d%03d", d), "src")
		must(b, os.MkdirAll(sub, 0o750))
		for f := range 100 {
			must(b, os.WriteFile(filepath.Join(sub, fmt.Sprintf("f%03d.go", f)), nil, 0o600))
		}
	}
	w := open(b, dir, Limits{})
	for b.Loop() {
		if l := w.list(context.Background(), [][]string{{"**/junit*.xml"}})[0]; l.problem != "" {
			b.Fatal(l.detail)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/30_000, "ns/file")
}
