package measure

import (
	"io"
	"strings"
	"testing"
)

// Of a long output the end is kept, and no more, however it comes.
func TestTail(t *testing.T) {
	for _, piece := range []int{1, 7, 64, 1000} {
		out := &tail{limit: 64}
		text := strings.Repeat("0123456789", 300)
		if _, err := io.CopyBuffer(out, struct{ io.Reader }{strings.NewReader(text)}, make([]byte, piece)); err != nil {
			t.Fatal(err)
		}
		if got := string(out.bytes()); got != text[len(text)-64:] || cap(out.kept) > 4096 {
			t.Errorf("in pieces of %d: %q, %d bytes are held", piece, got, cap(out.kept))
		}
	}
	if _, ok := any(&tail{}).(io.ReaderFrom); ok {
		t.Error("it takes an output whole")
	}
	short := &tail{limit: 64}
	if n, err := short.Write([]byte("short")); n != 5 || err != nil || string(short.bytes()) != "short" {
		t.Errorf("%d, %v, %q", n, err, short.bytes())
	}
}
