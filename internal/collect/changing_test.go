package collect

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/evidence"
)

// midway is a context that does something the nth time that it is asked whether it has ended: between two reads of a
// directory or of a file.
type midway struct {
	mu   sync.Mutex
	left int
	do   func()
}

func (m *midway) Err() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.left--; m.left == 0 {
		m.do()
	}
	return nil
}

func (*midway) Deadline() (at time.Time, known bool) { return time.Time{}, false }
func (*midway) Done() <-chan struct{}                { return nil }
func (*midway) Value(any) any                        { return nil }

// twoResults are two sets of results of the same length, three reads long, that differ at both ends: all passed, and one
// that failed at the end.
func twoResults() (good, bad string) {
	body := "<!--" + strings.Repeat("x", 3*readBytes-500) + "-->"
	const same = `<testsuite name="%s"><testcase classname="c" name="one"/>` + "%s" + `<testcase classname="c" name="two">%s</testcase></testsuite>`
	return fmt.Sprintf(same, "a", body, `<system-out/>`), fmt.Sprintf(same, "b", body, `<failure   />`)
}

// changes are what may happen to a file while it is looked at. bad is written somewhere in the same file system.
func changes(t *testing.T, dir string, good, bad string) map[string]func() {
	at, aside := filepath.Join(dir, "out", "r.xml"), filepath.Join(dir, "aside.xml")
	swap := func(other func() error) func() {
		return func() {
			must(t, os.Rename(at, at+".old"))
			must(t, other())
		}
	}
	out := map[string]func(){
		"truncated": func() { must(t, os.Truncate(at, int64(len(good)/2))) },
		"emptied":   func() { must(t, os.Truncate(at, 0)) },
		"appended": func() {
			f, err := os.OpenFile(at, os.O_APPEND|os.O_WRONLY, 0)
			must(t, err)
			_, err = f.WriteString(bad)
			must(t, err)
			must(t, f.Close())
		},
		"rewritten in place, its time set back": func() {
			info, err := os.Stat(at)
			must(t, err)
			f, err := os.OpenFile(at, os.O_WRONLY, 0)
			must(t, err)
			_, err = f.WriteAt([]byte(bad), 0)
			must(t, err)
			must(t, f.Close())
			must(t, os.Chtimes(at, time.Time{}, info.ModTime()))
		},
		"replaced by another": func() { must(t, os.Rename(aside, at)) },
		"removed":             func() { must(t, os.Remove(at)) },
		"a folder":            swap(func() error { return os.Mkdir(at, 0o755) }),
		"a link":              swap(func() error { return os.Symlink("../aside.xml", at) }),
		"its folder replaced": func() {
			must(t, os.Rename(filepath.Join(dir, "out"), filepath.Join(dir, "was")))
			must(t, os.Mkdir(filepath.Join(dir, "out"), 0o755))
			must(t, os.Rename(aside, at))
		},
		"its folder a link": func() {
			must(t, os.Rename(filepath.Join(dir, "out"), filepath.Join(dir, "was")))
			must(t, os.Symlink("was", filepath.Join(dir, "out")))
		},
	}
	if runtime.GOOS != "windows" {
		out["a pipe"] = swap(func() error { pipe(t, at); return nil })
	}
	return out
}

// TestChangedWhileObserved lets a file change in each way at each point of an observation at which it asks whether it has
// to end: what is read without a problem is one of the two files, whole, and its results are that one's.
func TestChangedWhileObserved(t *testing.T) {
	good, bad := twoResults()
	if len(good) != len(bad) {
		t.Fatalf("%d and %d bytes", len(good), len(bad))
	}
	c := parse(t, `outcomes: [{id: o, artifact: {files: "out/*.xml"}, validators: [{tests: {min_executed: 2}}]}]`)
	points, seen := 0, map[string]int{}
	for name := range changes(t, "", good, bad) {
		for n := 1; ; n++ {
			dir := t.TempDir()
			put(t, dir, map[string]string{"out/r.xml": good, "out/also.xml": junit, "aside.xml": bad})
			ctx := &midway{left: n, do: changes(t, dir, good, bad)[name]}
			var o evidence.Observation
			soon(t, name, func() {
				o = Observe(ctx, open(t, dir, Limits{}), c, Facts{Git: given(&Trees{Head: treeOf(t, map[string]string{"other": "x"})})})[0]
			})
			if ctx.left > 0 {
				break // it asked less often
			}
			points++
			mixed := false
			for _, f := range o.Artifact.Files {
				switch {
				case f.Problem != "" && f.SHA256 == "":
					seen["a problem"]++
				case f.Problem == "" && (f.SHA256 == sha(good) || f.SHA256 == sha(junit)):
					seen["as it was"]++
				case f.Problem == "" && f.SHA256 == sha(bad):
					seen["as it is now"]++
					mixed = !strings.Contains(string(o.Validators[0].Facts), `"failed":1`)
				case f.Problem == "" && (name == "truncated" && f.SHA256 == sha(good[:len(good)/2]) || name == "emptied" && f.SHA256 == sha("") || name == "appended" && f.SHA256 == sha(good+bad)):
					seen["as it is now"]++
				default:
					mixed = true
				}
			}
			if mixed {
				t.Errorf("%s at point %d: %+v, %s", name, n, o.Artifact.Files, o.Validators[0].Facts)
			}
		}
	}
	t.Logf("%d points, files read %v", points, seen)
	if points < 60 || seen["a problem"] == 0 || seen["as it was"] == 0 || seen["as it is now"] == 0 {
		t.Errorf("%d points, files read %v: too little is tried", points, seen)
	}
}

// TestUnsettled holds when a change may hide behind the time of the one before.
func TestUnsettled(t *testing.T) {
	now := time.Unix(1_800_000_000, 500_000_000)
	for _, c := range []struct{ age, want time.Duration }{
		{0, tick}, {time.Millisecond, tick - time.Millisecond}, {tick - 1, 1}, {tick, 0}, {time.Hour, 0},
		{-time.Millisecond, tick}, {-time.Hour, 0}, {500 * time.Millisecond, coarse - 500*time.Millisecond}, {-500 * time.Millisecond, coarse}, {2500 * time.Millisecond, 0},
	} {
		if got := unsettled(now.Add(-c.age), now); got != c.want {
			t.Errorf("changed %s ago: %s, want %s", c.age, got, c.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	dir := t.TempDir()
	put(t, dir, map[string]string{"a": "bytes"})
	info, err := os.Stat(filepath.Join(dir, "a"))
	must(t, err)
	if err := settle(ctx, info); err == nil && unsettled(info.ModTime(), time.Now()) > 0 {
		t.Error("it waits although it has to end")
	}
}
