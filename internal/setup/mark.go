package setup

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// markLine is the first line of a file that is this package's own. Its digest is of what follows, so that an edited
// file is known: it is not a protection, anyone can write one.
var markLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^# Written by gate init, which leaves it alone once it is edited \(([0-9a-f]{32})\)\.$`)
})

func mark(body string) string {
	sum := sha256.Sum256([]byte(body))
	return fmt.Sprintf("# Written by gate init, which leaves it alone once it is edited (%s).\n", hex.EncodeToString(sum[:16])) + body
}

// marked is body under its mark, in the place of before. A file that somebody else wrote or edited stays.
func marked(path string, before []byte, body string) ([]byte, error) {
	after := []byte(mark(body))
	if before == nil {
		return after, nil
	}
	unix := bytes.ReplaceAll(before, []byte("\r\n"), []byte("\n"))
	if bytes.Equal(unix, after) {
		return before, nil // up to the line breaks of a checkout
	}
	first, rest, _ := strings.Cut(string(unix), "\n")
	m := markLine().FindStringSubmatch(first)
	switch {
	case m == nil:
		return nil, &Refusal{Reason: path + " is there, and gate init did not write it", Hint: "move it away to have one written, or edit it by hand"}
	case mark(rest) != string(unix):
		return nil, &Refusal{Reason: path + " was edited since gate init wrote it", Hint: "go on editing it by hand, or move it away to have a new one written"}
	}
	return after, nil
}
