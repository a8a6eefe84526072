package archive

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"
)

// entry is one entry of a fixture.
type entry struct {
	name   string
	body   string
	stored bool
	mode   fs.FileMode
	flags  uint16
	method uint16 // 0: by stored
	claims int64  // the size that the directory declares, if it is another one
}

// pack writes an archive, hostile ones too.
func pack(tb testing.TB, entries ...entry) []byte {
	tb.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Flags: e.flags}
		if e.stored {
			h.Method = zip.Store
		}
		h.SetMode(0o644 | e.mode)
		if e.mode.IsDir() || strings.HasSuffix(e.name, "/") && e.mode == 0 {
			h.SetMode(0o755 | fs.ModeDir)
			h.Method = zip.Store
		}
		if e.claims != 0 || e.method != 0 || e.flags != 0 {
			h.CRC32 = crc32.ChecksumIEEE([]byte(e.body))
			h.CompressedSize64, h.UncompressedSize64 = uint64(len(e.body)), uint64(len(e.body))
			h.Method = e.method
			if e.claims != 0 {
				h.UncompressedSize64 = uint64(e.claims)
			}
			f, err := w.CreateRaw(h)
			if err != nil {
				tb.Fatal(err)
			}
			_, _ = io.WriteString(f, e.body)
			continue
		}
		f, err := w.CreateHeader(h)
		if err != nil {
			tb.Fatal(err)
		}
		_, _ = io.WriteString(f, e.body)
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

func TestRead(t *testing.T) {
	t.Parallel()
	var lines strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&lines, "line %d of a log\n", i*i)
	}
	long := lines.String()
	a, err := Open(pack(t, entry{name: "reports/"}, entry{name: "reports/b.xml", body: "<b/>"}, entry{name: "a.txt", body: long}, entry{name: "empty", stored: true}, entry{name: "ünï.txt", body: "x", stored: true}))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"a.txt", "empty", "reports/b.xml", "ünï.txt"}; !slices.Equal(a.Names(), want) {
		t.Errorf("names %q", a.Names())
	}
	for name, want := range map[string]string{"a.txt": long, "empty": "", "reports/b.xml": "<b/>", "ünï.txt": "x"} {
		if got, err := a.Read(name); err != nil || string(got) != want || a.Size(name) != int64(len(want)) {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
	for _, name := range []string{"reports", "reports/", "nothing"} {
		if _, err := a.Read(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if a.Size("nothing") != 0 {
		t.Error("what is not there has a size")
	}
	if none, err := Open(pack(t)); err != nil || len(none.Names()) != 0 {
		t.Errorf("an archive without entries: %v", err)
	}
}

// TestLimits holds each limit just under and just over.
func TestLimits(t *testing.T) {
	t.Parallel()
	one := pack(t, entry{name: "abcd", body: "12345", stored: true})
	three := pack(t, entry{name: "d/"}, entry{name: "d/a", body: "12345", stored: true}, entry{name: "d/b", body: "123", stored: true})
	// What has 2 MiB and comes to so many packed bytes.
	swollen := pack(t, entry{name: "zeros", body: strings.Repeat("\x00", 2<<20)})
	z, err := zip.NewReader(bytes.NewReader(swollen), int64(len(swollen)))
	if err != nil {
		t.Fatal(err)
	}
	ratio := int64((2<<20 + z.File[0].CompressedSize64 - 1) / z.File[0].CompressedSize64)
	for _, c := range []struct {
		name  string
		data  []byte
		set   func(*limits, int64)
		exact int64
	}{
		{"bytes", one, func(l *limits, n int64) { l.bytes = n }, int64(len(one))},
		{"entries", three, func(l *limits, n int64) { l.entries = n }, 3},
		{"entry", one, func(l *limits, n int64) { l.entry = n }, 5},
		{"total", three, func(l *limits, n int64) { l.total = n }, 8},
		{"name", one, func(l *limits, n int64) { l.name = n }, 4},
		{"ratio", swollen, func(l *limits, n int64) { l.ratio = n }, ratio},
	} {
		l := limits{1 << 40, 1 << 40, 1 << 40, 1 << 40, 1 << 40, 1 << 40}
		c.set(&l, c.exact)
		if _, err := open(c.data, l); err != nil {
			t.Errorf("%s: at the limit of %d: %v", c.name, c.exact, err)
		}
		c.set(&l, c.exact-1)
		if _, err := open(c.data, l); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s: over the limit of %d: %v", c.name, c.exact-1, err)
		}
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		entries []entry
		want    error
		says    string
	}{
		{"traversal", []entry{{name: "ok"}, {name: "../../etc/passwd", body: "x"}}, ErrRefused, "../../etc/passwd"},
		{"traversal inside", []entry{{name: "a/../../b", body: "x"}}, ErrRefused, "no path below"},
		{"dot", []entry{{name: "./a", body: "x"}}, ErrRefused, "no path below"},
		{"empty part", []entry{{name: "a//b", body: "x"}}, ErrRefused, "no path below"},
		{"no name", []entry{{name: "", body: "x"}}, ErrRefused, "no path below"},
		{"absolute", []entry{{name: "/etc/passwd", body: "x"}}, ErrRefused, "absolute"},
		{"drive", []entry{{name: "C:/windows", body: "x"}}, ErrRefused, "absolute"},
		{"backslash", []entry{{name: `..\up`, body: "x"}}, ErrRefused, "backslash"},
		{"control", []entry{{name: "a\x1b[2Jb", body: "x"}}, ErrRefused, "no plain text"},
		{"no text", []entry{{name: "a\xff", body: "x"}}, ErrRefused, "no plain text"},
		{"twice", []entry{{name: "a", body: "good"}, {name: "a", body: "bad"}}, ErrRefused, "twice"},
		{"a file and a folder", []entry{{name: "a", body: "x"}, {name: "a/"}}, ErrRefused, "twice"},
		{"symlink", []entry{{name: "link", body: "/etc/passwd", mode: fs.ModeSymlink}}, ErrRefused, "symbolic link"},
		{"pipe", []entry{{name: "pipe", mode: fs.ModeNamedPipe}}, ErrRefused, "no regular file"},
		{"a folder by mode", []entry{{name: "a", mode: fs.ModeDir}}, ErrRefused, "no regular file"},
		{"encrypted", []entry{{name: "secret", body: "x", flags: 1}}, ErrRefused, "encrypted"},
		{"head encrypted", []entry{{name: "secret", body: "x", flags: 1 << 13}}, ErrRefused, "encrypted"},
		{"another compression", []entry{{name: "a", body: "x", method: 14}}, ErrRefused, "compression, 14"},
		{"declares too much", []entry{{name: "a", body: "x", claims: MaxEntryBytes + 1}}, ErrTooLarge, "at most"},
	} {
		_, err := Open(pack(t, c.entries...))
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestBombs(t *testing.T) {
	t.Parallel()
	bomb := pack(t, entry{name: "zeros", body: strings.Repeat("\x00", 32<<20)})
	if _, err := Open(bomb); !errors.Is(err, ErrTooLarge) || len(bomb) > 1<<20 {
		t.Errorf("32 MiB of zeros in %d bytes: %v", len(bomb), err)
	}
	var many []entry
	for i := range MaxEntries + 1 {
		many = append(many, entry{name: fmt.Sprint(i), stored: true})
	}
	if _, err := Open(pack(t, many...)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("too many entries: %v", err)
	}
	if _, err := Open(pack(t, many[1:]...)); err != nil {
		t.Errorf("as many entries as are read: %v", err)
	}
	heads := entry{name: "heads", body: strings.Repeat(directoryHead, maxHeads+1), stored: true}
	if _, err := Open(pack(t, heads)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("too much that looks like a directory: %v", err)
	}
	// Entries that share their bytes: each directory entry names the same ones.
	for _, n := range []int{300, 200} { // more than all entries may have, and less
		shared := overlap(pack(t, entry{name: "a", body: strings.Repeat("0123456789abcdef", 1<<16)}), n)
		if _, err := Open(shared); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%d bytes that are named %d times: %v", len(shared), n, err)
		}
	}
}

// overlap repeats the one directory entry of an archive under other names of its length.
func overlap(data []byte, times int) []byte {
	at := bytes.LastIndex(data, []byte(directoryHead))
	end := bytes.LastIndex(data, []byte("PK\x05\x06"))
	head, tail := data[at:end], bytes.Clone(data[end:])
	out := bytes.Clone(data[:at])
	for i := range times {
		h := bytes.Clone(head)
		long := fmt.Sprintf("%06d", i)
		binary.LittleEndian.PutUint16(h[28:], uint16(len(long)))
		out = append(out, h[:46]...)
		out = append(out, long...)
		out = append(out, h[47:]...)
	}
	size := len(out) - at
	binary.LittleEndian.PutUint16(tail[8:], uint16(times))
	binary.LittleEndian.PutUint16(tail[10:], uint16(times))
	binary.LittleEndian.PutUint32(tail[12:], uint32(size))
	return append(out, tail...)
}

// TestLies holds that declared sizes and checksums are not taken for the bytes.
func TestLies(t *testing.T) {
	t.Parallel()
	whole := pack(t, entry{name: "a", body: strings.Repeat("text ", 1000)})
	cut := bytes.Clone(whole)
	copy(cut[40:80], make([]byte, 40))
	sum := pack(t, entry{name: "a", body: "12345", stored: true})
	sum[bytes.Index(sum, []byte("12345"))] = '9'
	for name, data := range map[string][]byte{
		"declares more":  pack(t, entry{name: "a", body: "12345", claims: 6}),
		"declares less":  pack(t, entry{name: "a", body: "12345", claims: 4}),
		"broken stream":  cut,
		"wrong checksum": sum,
	} {
		a, err := Open(data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got, err := a.Read("a"); !errors.Is(err, ErrDamaged) || got != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for n := range len(whole) {
		a, err := Open(whole[:n])
		if err == nil {
			_, err = a.Read("a")
		}
		if !errors.Is(err, ErrDamaged) {
			t.Fatalf("truncated to %d of %d bytes: %v", n, len(whole), err)
		}
	}
}

// FuzzOpen holds that no archive makes the reader panic or give more than the limits, and that what is read of an archive
// is what archive/zip itself reads of it.
func FuzzOpen(f *testing.F) {
	seeds := [][]byte{
		pack(f), pack(f, entry{name: "a", body: "12345"}, entry{name: "d/"}, entry{name: "d/b", body: strings.Repeat("x", 5000)}),
		pack(f, entry{name: "../a", body: "x"}), pack(f, entry{name: "a", body: "12345", claims: 9}), pack(f, entry{name: "a"}, entry{name: "a"}),
		overlap(pack(f, entry{name: "a", body: strings.Repeat("0123456789abcdef", 100)}), 3),
		pack(f, entry{name: "l", body: "a", mode: fs.ModeSymlink}), []byte("PK\x05\x06"), {},
	}
	if len(seeds[1]) == 0 {
		f.Fatal("there is no archive to begin with")
	}
	for _, s := range seeds {
		f.Add(s)
	}
	small := limits{bytes: 1 << 20, entries: 50, entry: 1 << 16, total: 1 << 18, ratio: MaxRatio, name: 100}
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := open(data, small)
		if err != nil {
			if !errors.Is(err, ErrTooLarge) && !errors.Is(err, ErrRefused) && !errors.Is(err, ErrDamaged) {
				t.Fatalf("an error without a kind: %v", err)
			}
			return
		}
		z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatalf("read what archive/zip does not: %v", err)
		}
		plain := map[string]*zip.File{}
		for _, f := range z.File {
			plain[f.Name] = f
		}
		total := 0
		for _, name := range a.Names() {
			got, err := a.Read(name)
			total += len(got)
			if int64(len(got)) > small.entry || int64(total) > small.total || !fs.ValidPath(name) {
				t.Fatalf("%q: %d bytes, %d in all", name, len(got), total)
			}
			want, wrong := readPlain(plain[name])
			if (err == nil) != (wrong == nil) || err == nil && !bytes.Equal(got, want) {
				t.Fatalf("%q: %d bytes and %v, archive/zip reads %d and %v", name, len(got), err, len(want), wrong)
			}
		}
	})
}

func readPlain(f *zip.File) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(r, 1<<20))
	return data, errors.Join(err, r.Close())
}
