package sarif

import (
	"bytes"
	"compress/gzip"
	"reflect"
	"strings"
	"testing"
)

// pack compresses data into one member.
func pack(t *testing.T, data string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(data)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A compressed log says what the log says, and one that is cut or damaged anywhere says nothing.
func TestPacked(t *testing.T) {
	text := `{"version":"2.1.0","runs":[{` + tool + `,"results":[{"ruleId":"a","level":"error","message":{"text":"no"}}]}]}`
	plain, whole := Read(strings.NewReader(text)), pack(t, text)
	if got := Read(strings.NewReader(whole)); plain.Problem != "" || plain.Counts.Errors != 1 || !reflect.DeepEqual(got, plain) {
		t.Errorf("%+v, plain %+v", got, plain)
	}
	for n := 2; n < len(whole); n++ {
		if got := Read(strings.NewReader(whole[:n])); got.Problem != ProblemIncomplete {
			t.Errorf("%d of %d bytes: %q %s", n, len(whole), got.Problem, got.Detail)
		}
	}
	for i := len(whole) - 8; i < len(whole); i++ {
		bad := []byte(whole)
		bad[i] ^= 1
		if got := Read(bytes.NewReader(bad)); got.Problem != ProblemInvalid || !strings.Contains(got.Detail, "gzip") {
			t.Errorf("byte %d damaged: %q %s", i, got.Problem, got.Detail)
		}
	}
	for _, other := range []string{pack(t, whole), "PK\x03\x04" + text, pack(t, "PK\x03\x04"+text)} {
		if got := Read(strings.NewReader(other)); got.Problem != ProblemInvalid || !strings.Contains(got.Detail, "only gzip is unpacked, once") {
			t.Errorf("packed otherwise: %q %s", got.Problem, got.Detail)
		}
	}
	bomb := strings.Repeat(pack(t, strings.Repeat(" ", 8<<20)), 20) // members of one file
	if got := Read(strings.NewReader(whole + bomb)); got.Problem != ProblemOverLimit {
		t.Errorf("data that grows beyond measure: %q %s", got.Problem, got.Detail)
	}
}
