package collect

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/evidence"
)

// junit is a small result file of two tests.
const junit = `<testsuite name="s" tests="2"><properties><property name="commit" value="abc"/></properties>` +
	`<testcase classname="c" name="one"/><testcase classname="c" name="two"/></testsuite>`

func sha(data string) string {
	sum := sha256.Sum256([]byte(data))
	return hex.EncodeToString(sum[:])
}

// readOne reads a file as a lone worker does.
func readOne(t testing.TB, w *Workspace, name string, n need, git *gitView) *reading {
	t.Helper()
	var room atomic.Int64
	room.Store(maxKept)
	return newReader(w, []byte("key"), git, &room).file(context.Background(), name, n)
}

func TestReadFeedsEverythingFromOneRead(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"r.xml": junit, "empty": ""})
	must(t, os.Chtimes(filepath.Join(dir, "r.xml"), time.Time{}, time.Unix(1700000000, 0)))
	w := open(t, dir, Limits{})
	r := readOne(t, w, "r.xml", need{keep: evidence.Keep{Properties: true}, forms: []form{{asTests, ""}, {asTests, "junit"}, {asTests, "go-test-json"}}, bytes: 20, keyed: true}, nil)
	if r.trouble != nil {
		t.Fatal(r.trouble)
	}
	mac := hmac.New(sha256.New, []byte("key"))
	mac.Write([]byte(junit))
	s := r.scanned
	switch {
	case s.sha256 != sha(junit):
		t.Errorf("sha256 is %s", s.sha256)
	case s.hmac != hex.EncodeToString(mac.Sum(nil)):
		t.Errorf("hmac is %s", s.hmac)
	case string(s.bytes) != junit[:20] || !s.cut:
		t.Errorf("kept %q, cut %v", s.bytes, s.cut)
	case r.size != int64(len(junit)) || !r.modTime.Equal(time.Unix(1700000000, 0)) || r.modTime.Location() != time.UTC:
		t.Errorf("size %d, time %v", r.size, r.modTime)
	}
	for _, format := range []string{"", "junit"} {
		if set := s.as(form{asTests, format}).tests; set == nil || set.Counts.Passed != 2 || set.Properties["commit"] != "abc" {
			t.Errorf("format %q: got %+v", format, set)
		}
	}
	if set := s.as(form{asTests, "go-test-json"}).tests; set == nil || set.Counts.Passed != 0 {
		t.Errorf("as go test -json: got %+v", set)
	}
	if r := readOne(t, w, "empty", need{bytes: 10}, nil); r.trouble != nil || r.scanned.sha256 != sha("") || r.scanned.bytes == nil {
		t.Errorf("empty: got %+v", r)
	}
}

func TestReadRefusesWhatCannotBeEvidence(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "ws")
	put(t, top, map[string]string{"secret": "s", "ws/big": strings.Repeat("x", 101), "ws/fine": "fine"})
	put(t, dir, map[string]string{
		"sub/":     "",
		"out":      "-> ../secret",
		"abs":      "-> " + filepath.Join(top, "secret"),
		"root":     "-> .",
		"rootabs":  "-> " + dir,
		"dots":     "-> sub/../../secret",
		"broken":   "-> nowhere",
		"loop":     "-> loop2",
		"loop2":    "-> loop",
		"todir":    "-> sub",
		"throughd": "-> fine/x",
		"inside":   "-> fine",
		"absin":    "-> " + filepath.Join(dir, "fine"),
		"sub/up":   "-> ../inside",
		"dirlink":  "-> sub",
	})
	w := open(t, dir, Limits{FileBytes: 100})
	cases := []struct{ name, code string }{
		{"sub", evidence.CodeArtifactNotRegular},
		{"big", evidence.CodeArtifactOverLimit},
		{"out", evidence.CodeArtifactLinkOutside},
		{"abs", evidence.CodeArtifactLinkOutside},
		{"dots", evidence.CodeArtifactLinkOutside},
		{"root", evidence.CodeArtifactNotRegular},
		{"rootabs", evidence.CodeArtifactNotRegular},
		{"broken", evidence.CodeArtifactLinkBroken},
		{"loop", evidence.CodeArtifactLinkBroken},
		{"throughd", evidence.CodeArtifactLinkBroken},
		{"todir", evidence.CodeArtifactNotRegular},
		{"absent", evidence.CodeArtifactMoved},
		{"../secret", evidence.CodeArtifactLinkOutside},
		{"/etc/passwd", evidence.CodeArtifactLinkOutside},
		{"inside", ""},
		{"absin", ""},
		{"sub/up", ""},
		{"dirlink/up", ""},
	}
	for _, c := range cases {
		r := readOne(t, w, c.name, need{}, nil)
		code := ""
		if r.trouble != nil {
			code = r.trouble.code
			if strings.Contains(r.trouble.detail, top) {
				t.Errorf("%s: the reason names the machine's path: %s", c.name, r.trouble.detail)
			}
		}
		if code != c.code {
			t.Errorf("%s: got %v, want %q", c.name, r.trouble, c.code)
		}
		if (code == "") != (r.scanned.sha256 == sha("fine")) {
			t.Errorf("%s: digest %q with %q", c.name, r.scanned.sha256, code)
		}
		if code == "" && !r.link {
			t.Errorf("%s: not known as a link", c.name)
		}
	}
}

func TestReadTakesAHardLinkForAFile(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"a": "bytes"})
	must(t, os.Link(filepath.Join(dir, "a"), filepath.Join(dir, "b")))
	if r := readOne(t, open(t, dir, Limits{}), "b", need{}, nil); r.trouble != nil || r.link || r.scanned.sha256 != sha("bytes") {
		t.Errorf("got %+v", r)
	}
}

// soon fails the test if f does not end: a gate that waits for a pipe's writer waits for ever.
func soon(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatal(what + " hangs")
	}
}

// during calls f in the midst of a read of name: after the file was opened and before it is looked at again.
func during(t *testing.T, w *Workspace, name string, f func()) *trouble {
	t.Helper()
	where, tr := w.locate(name)
	if tr != nil {
		t.Fatal(tr)
	}
	file, err := w.root.Open(where.path)
	must(t, err)
	defer release(file)
	opened, err := file.Stat()
	must(t, err)
	var room atomic.Int64
	r := newReader(w, nil, nil, &room)
	if tr := r.again(file, opened, name, where); tr != nil {
		t.Fatalf("an untouched file: %v", tr)
	}
	f()
	return r.again(file, opened, name, where)
}

func TestReadSeesThatAFileWasTouched(t *testing.T) {
	cases := []struct {
		name  string
		touch func(t *testing.T, path string)
	}{
		{"appended", func(t *testing.T, path string) {
			f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			must(t, err)
			_, err = f.WriteString("more")
			must(t, errors.Join(err, f.Close()))
		}},
		{"rewritten in place with its old time", func(t *testing.T, path string) {
			info, err := os.Stat(path)
			must(t, err)
			must(t, os.WriteFile(path, []byte("BYTES"), 0o600))
			must(t, os.Chtimes(path, time.Time{}, info.ModTime()))
		}},
		{"replaced by an equal file", func(t *testing.T, path string) {
			info, err := os.Stat(path)
			must(t, err)
			must(t, os.WriteFile(path+".new", []byte("bytes"), 0o600))
			must(t, os.Chtimes(path+".new", time.Time{}, info.ModTime()))
			must(t, os.Rename(path+".new", path))
		}},
		{"removed", func(t *testing.T, path string) { must(t, os.Remove(path)) }},
		{"replaced by a link", func(t *testing.T, path string) {
			must(t, os.Rename(path, path+".old"))
			must(t, os.Symlink("a.old", path))
		}},
	}
	for _, c := range cases {
		dir := t.TempDir()
		put(t, dir, map[string]string{"a": "bytes"})
		tr := during(t, open(t, dir, Limits{}), "a", func() { c.touch(t, filepath.Join(dir, "a")) })
		if tr == nil || tr.code != evidence.CodeArtifactMoved {
			t.Errorf("%s: got %v", c.name, tr)
		}
	}
}

// TestReadSeesThatAFileWasReplaced holds that a file that took the place of another one between the look at it and its
// opening is not read for that one.
func TestReadSeesThatAFileWasReplaced(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"a": "bytes", "b": "BYTES"})
	w := open(t, dir, Limits{})
	where, tr := w.locate("a")
	if tr != nil {
		t.Fatal(tr)
	}
	r := newReader(w, nil, nil, new(atomic.Int64))
	if tr := r.bytes(context.Background(), &reading{name: "a", size: 5}, where, need{}); tr != nil {
		t.Fatalf("the file itself: %v", tr)
	}
	must(t, os.Rename(filepath.Join(dir, "b"), filepath.Join(dir, "a")))
	if tr := r.bytes(context.Background(), &reading{name: "a", size: 5}, where, need{}); tr == nil || tr.code != evidence.CodeArtifactMoved {
		t.Errorf("got %v", tr)
	}
}

func TestReadEndsWhileAFileGrows(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "log")
	put(t, dir, map[string]string{"log": "begin\n"})
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			return
		}
		defer release(f)
		chunk := bytes.Repeat([]byte("x"), 64<<10)
		for {
			select {
			case <-stop:
				return
			default:
			}
			if info, err := f.Stat(); err != nil || info.Size() > 256<<20 {
				return
			}
			if _, err := f.Write(chunk); err != nil {
				return
			}
		}
	}()
	for info, err := os.Stat(path); err == nil && info.Size() < 1<<20; info, err = os.Stat(path) {
		time.Sleep(time.Millisecond)
	}
	r := readOne(t, open(t, dir, Limits{}), "log", need{}, nil)
	close(stop)
	<-done
	if r.trouble != nil {
		if r.trouble.code != evidence.CodeArtifactMoved || r.scanned.sha256 != "" {
			t.Errorf("got %v with digest %q", r.trouble, r.scanned.sha256)
		}
		return
	}
	// The writer may have paused for as long as the read took: then the digest is that of what there was.
	data, err := os.ReadFile(path)
	must(t, err)
	if int64(len(data)) < r.size || r.scanned.sha256 != sha(string(data[:r.size])) {
		t.Errorf("the digest is not that of the first %d bytes", r.size)
	}
}

func TestReadIsCancelled(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"a": "bytes"})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var room atomic.Int64
	r := newReader(open(t, dir, Limits{}), nil, nil, &room).file(ctx, "a", need{keep: evidence.Keep{Properties: true}, forms: []form{{asTests, ""}, {asTests, "junit"}}})
	if r.trouble == nil || r.trouble.code != evidence.CodeArtifactTimeout {
		t.Errorf("got %v", r.trouble)
	}
}

func TestReadKeepsABoundedAmount(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"a": strings.Repeat("x", 100), "b": strings.Repeat("x", 100)})
	var room atomic.Int64
	room.Store(150)
	r := newReader(open(t, dir, Limits{}), nil, nil, &room)
	if a := r.file(context.Background(), "a", need{bytes: 1 << 20}); a.trouble != nil {
		t.Errorf("a: %v", a.trouble)
	}
	if b := r.file(context.Background(), "b", need{bytes: 1 << 20}); b.trouble == nil || b.trouble.code != evidence.CodeArtifactOverLimit {
		t.Errorf("b: got %v", b.trouble)
	}
	if b := r.file(context.Background(), "b", need{}); b.trouble != nil && room.Load() >= 0 {
		t.Errorf("b without its bytes: %v", b.trouble)
	}
}

// FuzzFoldedBlob holds a law: however the bytes arrive, folding while hashing is hashing the folded bytes, and
// the pairs that one read counts are those that folding takes away.
func FuzzFoldedBlob(f *testing.F) {
	for _, s := range []string{"", "\r", "\n", "\r\n", "a\r\nb\r\r\nc\n\r", "\r\n\r\n", strings.Repeat("x\r\n", 50)} {
		f.Add([]byte(s), uint8(1))
	}
	f.Fuzz(func(t *testing.T, data []byte, chunk uint8) {
		want := bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
		buf := make([]byte, int(chunk)+1)
		s, err := scanAll(context.Background(), iotest.HalfReader(bytes.NewReader(data)), int64(len(data)), need{blob: true, crlf: true}, nil, buf)
		if err != nil || s.n-s.crlf != int64(len(want)) || s.blob != blobOf(data) {
			t.Fatalf("%q: %+v %v", data, s, err)
		}
		got, err := foldedBlob(bytes.NewReader(data), int64(len(want)), buf)
		if err != nil || got != blobOf(want) {
			t.Errorf("%q in chunks of %d: folded digest differs (%v)", data, len(buf), err)
		}
	})
}

func TestScanHashesLargeChunksAlike(t *testing.T) {
	data := make([]byte, 3<<20+17)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range data {
		data[i] = byte(rng.Uint32())
	}
	for _, size := range []int{1 << 10, readBytes} {
		s, err := scanAll(context.Background(), bytes.NewReader(data), int64(len(data)), need{blob: true, keyed: true}, []byte("k"), make([]byte, size))
		must(t, err)
		mac := hmac.New(sha256.New, []byte("k"))
		mac.Write(data)
		if s.sha256 != sha(string(data)) || s.hmac != hex.EncodeToString(mac.Sum(nil)) || s.blob != blobOf(data) {
			t.Errorf("chunks of %d: digests differ", size)
		}
	}
	if _, err := scanAll(context.Background(), iotest.ErrReader(io.ErrUnexpectedEOF), 10, need{keep: evidence.Keep{Properties: true}, forms: []form{{asTests, ""}, {asTests, "junit"}}}, nil, make([]byte, 10)); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a broken source: %v", err)
	}
}

// Whether sizes are known or not, and whichever file has the bytes: what git has to be asked is asked, and what its
// answer cannot change is not.
func TestSizesDecideWhatIsHashed(t *testing.T) {
	text := strings.Repeat("a line of a result\r\n", 20)
	folded := strings.ReplaceAll(text, "\r\n", "\n")
	pointer := string(lfsPointers(sha(text), int64(len(text)))[1])
	blob := func(s string) string { sum := blobOf([]byte(s)); return hex.EncodeToString(sum[:]) }
	for name, c := range map[string]struct {
		path, bytes         string
		copied              string
		atHead, blob, pairs bool
	}{
		"the file":     {"r.txt", text, "r.txt", true, true, false},
		"a copy":       {"kept", text, "kept", false, true, false},
		"folded":       {"kept", folded, "kept", false, false, true},
		"its pointer":  {"kept", pointer, "kept", false, false, false},
		"another size": {"r.txt", text + "more", "", false, false, false},
		"same size":    {"r.txt", strings.Repeat("x", len(text)), "", false, true, false},
		"half as long": {"kept", text[:len(text)/2], "", false, false, true},
	} {
		for _, size := range []int64{int64(len(c.bytes)), UnknownSize} {
			tree, err := NewTree(strings.Repeat("a", 40), []TreeEntry{{Path: c.path, Mode: ModeFile, SHA: blob(c.bytes), Size: size}})
			must(t, err)
			git := newGitView(context.Background(), Git{Trees: func(context.Context) (*Trees, error) { return &Trees{Head: tree}, nil }})
			dir := t.TempDir()
			put(t, dir, map[string]string{"r.txt": text})
			r := readOne(t, open(t, dir, Limits{}), "r.txt", need{blob: true}, git)
			if r.copied != c.copied || r.git.AtHead != c.atHead || r.trouble != nil {
				t.Errorf("%s, size %d: a copy of %q, at head %t, %v", name, size, r.copied, r.git.AtHead, r.trouble)
			}
			if hashed, counted := git.wants(int64(len(text))); hashed != (c.blob || size < 0) || counted != (c.pairs || size < 0) || r.scanned.named != hashed {
				t.Errorf("%s, size %d: hashed %t, pairs counted %t", name, size, hashed, counted)
			}
		}
	}
}

func TestPointerBlobsAreGitLFSPointers(t *testing.T) {
	want := "version https://git-lfs.github.com/spec/v1\noid sha256:" + sha("big") + "\nsize 3\n"
	if !slices.Contains(pointerBlobs(sha("big"), 3), blobOf([]byte(want))) {
		t.Error("the pointer of the specification is not among them")
	}
}

func BenchmarkRead(b *testing.B) {
	dir := b.TempDir()
	must(b, os.WriteFile(filepath.Join(dir, "big"), make([]byte, 64<<20), 0o600))
	w := open(b, dir, Limits{})
	tree, err := NewTree(strings.Repeat("a", 40), []TreeEntry{{Path: "other", Mode: ModeFile, SHA: strings.Repeat("b", 40), Size: UnknownSize}})
	must(b, err)
	trees := &Trees{Head: tree}
	for _, c := range []struct {
		name string
		git  *gitView
	}{{"sha256", nil}, {"sha256+blob", &gitView{trees: trees, sizes: trees.sizes()}}} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(64 << 20)
			for b.Loop() {
				if r := readOne(b, w, "big", need{blob: true}, c.git); r.trouble != nil {
					b.Fatal(r.trouble)
				}
			}
		})
	}
	b.Run("plain sha256", func(b *testing.B) {
		b.SetBytes(64 << 20)
		buf := make([]byte, readBytes)
		for b.Loop() {
			f, err := os.Open(filepath.Join(dir, "big"))
			must(b, err)
			h := sha256.New()
			_, err = io.CopyBuffer(struct{ io.Writer }{h}, struct{ io.Reader }{f}, buf)
			must(b, errors.Join(err, f.Close()))
		}
	})
}

func ExampleWorkspace() {
	w, err := Open(".")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(w.Close())
	// Output: <nil>
}
