package testresult

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/outcome-gate/outcome-gate/internal/evidence/packed"
)

// gzipBegin is what gzip data begins with.
const gzipBegin = "\x1f\x8b"

// pack compresses data into one member.
func pack(tb testing.TB, data []byte) []byte {
	tb.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		tb.Fatal(err)
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// TestGzip holds that a compressed file reads as the file itself, in one member or several, and in any pieces.
func TestGzip(t *testing.T) {
	for i, path := range fixtures(t) {
		if i%stride != 0 {
			continue
		}
		data := mustRead(t, path)
		want := Read(bytes.NewReader(data), "", Limits{}, nil)
		half, all := len(data)/2, pack(t, data)
		for name, r := range map[string]io.Reader{
			"one member": bytes.NewReader(all), "two members": bytes.NewReader(slices.Concat(pack(t, data[:half]), pack(t, nil), pack(t, data[half:]))),
			"byte by byte": iotest.OneByteReader(bytes.NewReader(all)), "data with its end": iotest.DataErrReader(bytes.NewReader(all)),
		} {
			got := Read(r, "", Limits{}, nil)
			if got.Format != want.Format || got.Counts != want.Counts || got.Conclusion != want.Conclusion || !slices.Equal(got.Notes, want.Notes) {
				t.Errorf("%s in %s: %s %s %+v %v, want %s %s %+v %v", path, name, got.Format, got.Conclusion, got.Counts, got.Notes, want.Format, want.Conclusion, want.Counts, want.Notes)
			}
		}
	}
	wide := encodeUTF16(`<testsuite><testcase name="é"/></testsuite>`, false, true)
	wide = encodeUTF16(`<?xml version="1.0" encoding="utf-16"?>`, false, true) + wide[2:]
	if res := Read(bytes.NewReader(pack(t, []byte(wide))), "", Limits{}, nil); res.Conclusion != Pass {
		t.Errorf("UTF-16 in gzip: %s %v", res.Conclusion, res.Notes)
	}
	if res := Read(bytes.NewReader(pack(t, nil)), "", Limits{}, nil); res.Conclusion != Empty {
		t.Errorf("nothing in gzip: %s %v", res.Conclusion, res.Notes)
	}
}

// TestGzipBroken holds that data which is cut or damaged never passes, wherever it is, and that the reason is named.
func TestGzipBroken(t *testing.T) {
	for _, path := range []string{"testdata/trx/prefixed.trx", "testdata/nunit/suite-root.xml", "testdata/go-json/pass.jsonl"} {
		whole := pack(t, mustRead(t, path))
		if res := Read(bytes.NewReader(whole), "", Limits{}, nil); res.Conclusion != Pass {
			t.Fatalf("%s: %s", path, res.Conclusion)
		}
		for n := 2; n < len(whole); n++ {
			res := Read(bytes.NewReader(whole[:n]), "", Limits{}, nil)
			checkBest(t, path, res)
			if res.Conclusion != Incomplete && res.Conclusion != Invalid || !hasNote(res, NoteGzipBroken) {
				t.Errorf("%s, %d of %d bytes: %s %v", path, n, len(whole), res.Conclusion, res.Notes)
			}
		}
		for i := len(whole) - 8; i < len(whole); i++ { // the sum and the size
			bad := bytes.Clone(whole)
			bad[i] ^= 0x10
			res := Read(bytes.NewReader(bad), "", Limits{}, nil)
			if res.Conclusion != Invalid || res.Notes[len(res.Notes)-1].Code != NoteGzipBroken {
				t.Errorf("%s, byte %d damaged: %s %v", path, i, res.Conclusion, res.Notes)
			}
		}
		for _, tail := range []string{"x", "\x00", "trailing words that are no member", "\x1f\x8b"} {
			res := Read(strings.NewReader(string(whole)+tail), "", Limits{}, nil)
			if res.Conclusion == Pass || !hasNote(res, NoteGzipBroken) {
				t.Errorf("%s and %q: %s %v", path, tail, res.Conclusion, res.Notes)
			}
		}
		broken := io.MultiReader(bytes.NewReader(whole[:len(whole)-4]), iotest.ErrReader(errors.New("disk on fire")))
		if res := Read(broken, "", Limits{}, nil); res.Conclusion == Pass || !hasNote(res, NoteReadError) {
			t.Errorf("%s with a read error: %s %v", path, res.Conclusion, res.Notes)
		}
	}
	for _, r := range []io.Reader{io.MultiReader(strings.NewReader(gzipBegin), iotest.ErrReader(errors.New("gone"))), io.MultiReader(strings.NewReader(gzipBegin), lyingReader{})} {
		if res := Read(r, "junit", Limits{}, nil); res.Conclusion == Pass || !hasNote(res, NoteReadError) {
			t.Errorf("a reader that breaks: %s %v", res.Conclusion, res.Notes)
		}
	}
}

// TestGzipLimits meets a file that is made to be large by name, soon, and never passes it.
func TestGzipLimits(t *testing.T) {
	piece := pack(t, bytes.Repeat([]byte(" "), 8<<20))
	head, tail := pack(t, []byte("<testsuite><testcase name='a'/>")), pack(t, []byte("</testsuite>"))
	res := Read(repeatReader(string(head), string(piece), string(tail), 1<<20), "", Limits{}, nil)
	checkBest(t, "bomb", res)
	if res.Conclusion == Pass || !hasNote(res, NoteOverLimit) {
		t.Errorf("8 TiB: %s %v", res.Conclusion, res.Notes)
	}
	res = Read(repeatReader(string(head), string(piece), string(tail), 4), "", Limits{}, nil)
	if res.Conclusion != Pass {
		t.Errorf("32 MiB: %s %v", res.Conclusion, res.Notes)
	}
}

// TestPacked refuses by name what is packed in another way, or twice.
func TestPacked(t *testing.T) {
	for data, name := range map[string]string{
		"PK\x03\x04\x14\x00": "zip", "PK\x05\x06": "zip", "\xFD7zXZ\x00\x00": "xz", "\x28\xB5\x2F\xFD\x04": "zstd", "BZh91AY&SY": "bzip2", "7z\xBC\xAF\x27\x1C": "7z",
		string(pack(t, pack(t, []byte("x")))): "gzip data inside gzip", string(pack(t, []byte("PK\x03\x04"))): "zip data inside gzip",
	} {
		for _, format := range []string{"", "junit", "go-json", "trx"} {
			res := Read(strings.NewReader(data), format, Limits{}, nil)
			checkBest(t, name, res)
			if res.Conclusion != Invalid || !hasNote(res, NoteCompressed) || !strings.HasPrefix(res.Notes[0].Detail, name+" data") {
				t.Errorf("%s as %q: %s %v", name, format, res.Conclusion, res.Notes)
			}
		}
	}
}

// FuzzGzip holds the law that whatever gunzip refuses never passes, and that what it reads reads as its content.
func FuzzGzip(f *testing.F) {
	seeds := 0
	for _, path := range fixtures(f) {
		if data := mustRead(f, path); len(data) < 2<<10 {
			f.Add(pack(f, data))
			seeds++
		}
	}
	if seeds == 0 {
		f.Fatal("no seeds")
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if !bytes.HasPrefix(data, []byte(gzipBegin)) {
			data = append([]byte(gzipBegin), data...)
		}
		res := Read(bytes.NewReader(data), "", Limits{}, nil)
		checkBest(t, "gzip", res)
		r, err := gzip.NewReader(bytes.NewReader(data))
		var inside []byte
		if err == nil {
			inside, err = io.ReadAll(io.LimitReader(r, 1<<20))
		}
		switch {
		case err != nil && (res.Conclusion == Pass || res.Conclusion == Empty):
			t.Errorf("gunzip: %v; concludes %s %v", err, res.Conclusion, res.Notes)
		case err == nil && len(inside) < 1<<20 && packed.Kind(inside) == "":
			if want := Read(bytes.NewReader(inside), "", Limits{}, nil); want.Conclusion != res.Conclusion || want.Counts != res.Counts {
				t.Errorf("concludes %s %+v, unpacked %s %+v", res.Conclusion, res.Counts, want.Conclusion, want.Counts)
			}
		}
	})
}
