package coverage

import (
	"bytes"
	"compress/gzip"
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

// A compressed profile says what the profile says, and one that is cut or damaged anywhere says nothing.
func TestPacked(t *testing.T) {
	for name, text := range map[string]string{
		lcov:      "TN:\nSF:a.c\nDA:1,1\nDA:2,0\nLF:2\nLH:1\nend_of_record\n",
		goCover:   "mode: set\na.go:1.1,2.2 1 1\na.go:2.2,3.1 2 0\n",
		cobertura: `<coverage line-rate="0.5"><sources><source>/w</source></sources><packages><class filename="a"><lines><line number="1" hits="0"/><line number="2" hits="1"/></lines></class></packages></coverage>`,
		jacoco:    jacocoHead + `<report name="r"><group name="g"><package name="p"><sourcefile name="X"><line nr="1" mi="0" ci="1"/></sourcefile></package></group><counter type="LINE" missed="0" covered="1"/></report>`,
		clover:    `<coverage generated="1"><project><metrics statements="1" coveredstatements="0"/><file path="/w/a"><line num="1" type="stmt" count="0"/></file></project></coverage>`,
	} {
		plain, whole := Read(strings.NewReader(text), ""), pack(t, text)
		for _, want := range []string{"", name} {
			p := Read(strings.NewReader(whole), want)
			if plain.Problem != "" || p.Format != name || p.Problem != "" || len(p.Files) != len(plain.Files) || p.Files[0].Count() != plain.Files[0].Count() {
				t.Errorf("%s: %+v, plain %+v", name, p, plain)
			}
		}
		for n := 2; n < len(whole); n++ {
			if p := Read(strings.NewReader(whole[:n]), ""); p.Problem != ProblemIncomplete {
				t.Errorf("%s, %d of %d bytes: %q %s", name, n, len(whole), p.Problem, p.Detail)
			}
		}
		for i := len(whole) - 8; i < len(whole); i++ {
			bad := []byte(whole)
			bad[i] ^= 1
			if p := Read(bytes.NewReader(bad), ""); p.Problem != ProblemInvalid || !strings.Contains(p.Detail, "gzip") {
				t.Errorf("%s, byte %d damaged: %q %s", name, i, p.Problem, p.Detail)
			}
		}
		for _, other := range []string{pack(t, whole), "PK\x03\x04" + text, pack(t, "PK\x03\x04"+text)} {
			if p := Read(strings.NewReader(other), ""); p.Problem != ProblemInvalid || !strings.Contains(p.Detail, "only gzip is unpacked, once") {
				t.Errorf("%s, packed otherwise: %q %s", name, p.Problem, p.Detail)
			}
		}
	}
	bomb := strings.Repeat(pack(t, strings.Repeat("\n", 8<<20)), 20) // members of one file
	if p := Read(strings.NewReader(pack(t, "mode: set\n")+bomb), ""); p.Problem != ProblemOverLimit {
		t.Errorf("data that grows beyond measure: %q %s", p.Problem, p.Detail)
	}
}
