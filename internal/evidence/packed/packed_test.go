package packed

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// pack compresses data into one member.
func pack(tb testing.TB, data string) string {
	tb.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, data); err != nil {
		tb.Fatal(err)
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.String()
}

func TestOpen(t *testing.T) {
	for name, c := range map[string]struct{ data, want string }{
		"nothing":      {"", ""},
		"plain":        {"as it is", "as it is"},
		"one byte":     {"\x1f", "\x1f"},
		"gzip":         {pack(t, "inside"), "inside"},
		"empty gzip":   {pack(t, ""), ""},
		"two members":  {pack(t, "in") + pack(t, "") + pack(t, "side"), "inside"},
		"a short read": {pack(t, strings.Repeat("long ", 100_000)), strings.Repeat("long ", 100_000)},
	} {
		for _, r := range []io.Reader{strings.NewReader(c.data), iotest.OneByteReader(strings.NewReader(c.data)), iotest.DataErrReader(strings.NewReader(c.data))} {
			content, err := Open(r)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if got, err := io.ReadAll(content); err != nil || string(got) != c.want {
				t.Errorf("%s: %d bytes, %v, want %d", name, len(got), err, len(c.want))
			}
		}
	}
	for data, want := range map[string]string{
		"PK\x03\x04\x14\x00": "zip data: only gzip is unpacked, once", "PK\x05\x06": "zip data: only gzip is unpacked, once", "\xFD7zXZ\x00\x00": "xz data: only gzip is unpacked, once",
		"\x28\xB5\x2F\xFD\x04": "zstd data: only gzip is unpacked, once", "BZh91AY&SY": "bzip2 data: only gzip is unpacked, once", "7z\xBC\xAF\x27\x1C": "7z data: only gzip is unpacked, once",
		pack(t, pack(t, "x")): "gzip data inside gzip data: only gzip is unpacked, once", pack(t, "PK\x03\x04"): "zip data inside gzip data: only gzip is unpacked, once",
	} {
		content, err := Open(strings.NewReader(data))
		var refused Refused
		if content != nil || !errors.As(err, &refused) || err.Error() != want {
			t.Errorf("%q: %v, want %s", data, err, want)
		}
	}
}

// Whatever is wrong is told apart: a cut, damage, a limit, the reader.
func TestWrong(t *testing.T) {
	text := pack(t, strings.Repeat("a line of text\n", 100))
	gone := errors.New("gone")
	for name, c := range map[string]struct {
		r       io.Reader
		damaged bool
		want    error
	}{
		"cut in the head":   {strings.NewReader(text[:5]), false, ErrCut},
		"cut":               {strings.NewReader(text[:len(text)-20]), false, ErrCut},
		"no sum":            {strings.NewReader(text[:len(text)-3]), false, ErrCut},
		"another sum":       {strings.NewReader(text[:len(text)-8] + "\x00\x00\x00\x00" + text[len(text)-4:]), true, nil},
		"something behind":  {strings.NewReader(text + "more than a head"), true, nil},
		"damage":            {strings.NewReader(text[:12] + "\xff\xff\xff\xff\xff" + text[17:]), true, nil},
		"a reader's error":  {io.MultiReader(strings.NewReader(text[:20]), iotest.ErrReader(gone)), false, gone},
		"an error at once":  {iotest.ErrReader(gone), false, gone},
		"an error at last":  {io.MultiReader(strings.NewReader(text), iotest.ErrReader(gone)), false, gone},
		"a lie of a reader": {io.MultiReader(strings.NewReader(text[:20]), lying{}), false, nil},
	} {
		content, err := Open(c.r)
		if err == nil {
			_, err = io.ReadAll(content)
		}
		var wrong Error
		switch is := errors.As(err, &wrong); {
		case err == nil:
			t.Errorf("%s: read whole", name)
		case c.want != nil && !errors.Is(err, c.want):
			t.Errorf("%s: %v, want %v", name, err, c.want)
		case c.damaged && (!is || !strings.HasPrefix(err.Error(), string(errDamaged))):
			t.Errorf("%s: %v is no damage", name, err)
		case !c.damaged && c.want == nil && is:
			t.Errorf("%s: %v is no fault of the data", name, err)
		}
	}
}

type lying struct{}

// Read gives more than there is room for.
func (lying) Read(p []byte) (int, error) { return len(p) + 1, nil }

// again gives one piece again and again.
type again struct{ piece, rest string }

// Read never ends.
func (a *again) Read(p []byte) (int, error) {
	if a.rest == "" {
		a.rest = a.piece
	}
	n := copy(p, a.rest)
	a.rest = a.rest[n:]
	return n, nil
}

func TestLimits(t *testing.T) {
	if _, err := io.Copy(io.Discard, NewReader(&again{piece: pack(t, strings.Repeat(" ", 8<<20))})); !errors.Is(err, ErrLimit) {
		t.Errorf("data that grows beyond measure: %v", err)
	}
	u := NewReader(strings.NewReader(pack(t, "x")))
	u.out, u.packed.n = maxUnpacked, maxUnpacked
	if _, err := io.ReadAll(u); !errors.Is(err, ErrLimit) {
		t.Errorf("over the size: %v", err)
	}
}

// FuzzReader holds the law that what gunzip reads reads as it does, and that what gunzip refuses is refused.
func FuzzReader(f *testing.F) {
	for _, s := range []string{"", "x", strings.Repeat("line\n", 50)} {
		f.Add([]byte(pack(f, s)))
		f.Add([]byte(pack(f, s) + pack(f, s)))
	}
	f.Add([]byte(gzipMagic))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := io.ReadAll(io.LimitReader(NewReader(bytes.NewReader(data)), 1<<20))
		r, errWant := gzip.NewReader(bytes.NewReader(data))
		var want []byte
		if errWant == nil {
			want, errWant = io.ReadAll(io.LimitReader(r, 1<<20))
		}
		if (err == nil) != (errWant == nil) || err == nil && !slices.Equal(got, want) {
			t.Errorf("%d bytes, %v; gunzip %d, %v", len(got), err, len(want), errWant)
		}
	})
}
