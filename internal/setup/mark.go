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

const (
	blockBegin = "<!-- outcome-gate:begin -->"
	blockEnd   = "<!-- outcome-gate:end -->"
)

// agentsBlock is what AGENTS.md says of the contract, between its marks.
func agentsBlock(suites []Suite) string {
	var b strings.Builder
	b.WriteString(blockBegin + "\n## What a change has to deliver\n\n")
	b.WriteString("Every pull request is judged by the outcome contract of the trusted branch, `" + ContractPath + "`. It expects:\n\n")
	for i := range suites {
		s := &suites[i]
		fmt.Fprintf(&b, "- `%s`: `%s`", s.Outcome, strings.Join(append(append([]string{}, s.before...), s.Command), " && "))
		if s.Dir != "." {
			fmt.Fprintf(&b, ", in `%s`", s.Dir)
		}
		b.WriteString("\n")
	}
	b.WriteString("\nRun these before you say that work is done, then `gate check` if it is installed: it names what is missing and who acts next.\n" +
		"End the pull request's description with a report of what you observed yourself, as one JSON object in a fenced block labelled\n" +
		"`outcome`: `{\"outcome\": \"succeeded\", \"evidence\": [\"what was run, and what it printed\"], \"failing\": []}`. The outcome is `succeeded`,\n" +
		"`failed` or `blocked`. A report never makes up for evidence that is missing.\n\n" +
		"Changes to the contract and to anything below `.github/` wait for a person. Do not commit result files: they count as stale.\n" +
		blockEnd + "\n")
	return b.String()
}

// withBlock is a file with the block in it: in the place of the one that is there, else at the end. Everything else
// stays as it is, byte for byte.
func withBlock(before []byte, block string) ([]byte, error) {
	if bytes.Contains(before, []byte("\r\n")) {
		block = strings.ReplaceAll(block, "\n", "\r\n")
	}
	begin, begins := lineOf(before, blockBegin)
	end, ends := lineOf(before, blockEnd)
	switch {
	case begins == 0 && ends == 0:
		out := append([]byte{}, before...)
		if len(out) > 0 && !bytes.HasSuffix(out, []byte("\n")) {
			out = append(out, lineBreak(block)...)
		}
		if len(out) > 0 {
			out = append(out, lineBreak(block)...)
		}
		return append(out, block...), nil
	case begins != 1 || ends != 1 || end[0] < begin[0]:
		return nil, &Refusal{
			Reason: fmt.Sprintf("%s has %d lines %s and %d lines %s, or not in this order", AgentsPath, begins, blockBegin, ends, blockEnd),
			Hint:   "leave one of each, or remove them all",
		}
	}
	out := append([]byte{}, before[:begin[0]]...)
	out = append(out, strings.TrimSuffix(block, lineBreak(block))...)
	return append(out, before[end[1]:]...), nil
}

func lineBreak(block string) string {
	if strings.HasSuffix(block, "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// lineOf is where the first line stands that holds only text, without its break, and how many such lines there are.
func lineOf(data []byte, text string) (place [2]int, n int) {
	at := 0
	for line := range bytes.Lines(data) {
		bare := bytes.TrimRight(line, "\r\n")
		if string(bytes.TrimSpace(bare)) == text {
			if n++; n == 1 {
				place = [2]int{at, at + len(bare)}
			}
		}
		at += len(line)
	}
	return place, n
}
