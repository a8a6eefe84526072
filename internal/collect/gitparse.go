package collect

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

const (
	maxMessage  = 64 << 10 // bytes of a commit message that are kept
	maxParents  = 1000     // octopus merges of the Linux kernel have 66
	maxTrailers = 200      // of one message; more than any tool writes
)

// node is one entry of a tree object.
type node struct {
	name string
	mode uint32
	sha  [20]byte
}

// parseTree reads a tree object: "mode name NUL" and twenty bytes, again and again (gitformat: tree objects).
func parseTree(data []byte) ([]node, error) {
	var out []node
	for len(data) > 0 {
		mode, rest, ok := bytes.Cut(data, []byte{' '})
		name, sha, ok2 := bytes.Cut(rest, []byte{0})
		if !ok || !ok2 || len(sha) < 20 {
			return nil, errors.New("malformed tree")
		}
		m, err := strconv.ParseUint(string(mode), 8, 32)
		if err != nil {
			return nil, fmt.Errorf("malformed tree: mode %q", clip(string(mode), 20))
		}
		if n := string(name); n == "" || n == "." || n == ".." || strings.ContainsRune(n, '/') {
			return nil, fmt.Errorf("malformed tree: name %q", clip(n, 80))
		}
		out = append(out, node{name: string(name), mode: uint32(m), sha: [20]byte(sha)})
		data = sha[20:]
	}
	return out, nil
}

// parsedCommit is a commit with the names that the walk over the history needs.
type parsedCommit struct {
	Commit
	tree string
}

// parseCommit reads a commit object: header lines, a blank line, the message.
func parseCommit(sha string, data []byte) (*parsedCommit, error) {
	c := &parsedCommit{Commit: Commit{SHA: sha}}
	head, message, _ := bytes.Cut(data, []byte("\n\n"))
	for line := range bytes.Lines(head) {
		key, value, _ := strings.Cut(strings.TrimSuffix(string(line), "\n"), " ")
		switch key {
		case "tree":
			c.tree = value
		case "parent":
			c.Parents = append(c.Parents, value)
		case "author":
			c.Author = parsePerson(value)
		case "committer":
			c.Committer = parsePerson(value)
		}
	}
	if !isSHA(c.tree) || len(c.Parents) > maxParents {
		return nil, errors.New("malformed commit")
	}
	for _, p := range c.Parents {
		if !isSHA(p) {
			return nil, errors.New("malformed commit")
		}
	}
	c.Message = clip(string(message), maxMessage)
	c.Trailers = parseTrailers(string(message))
	return c, nil
}

// parsePerson reads "Name <address> seconds zone". What does not have that form stays empty.
func parsePerson(text string) Person {
	name, rest, ok := strings.Cut(text, "<")
	addr, when, ok2 := strings.Cut(rest, ">")
	if !ok || !ok2 {
		return Person{}
	}
	p := Person{Name: strings.ToValidUTF8(strings.TrimSpace(name), "\uFFFD"), Email: strings.ToValidUTF8(addr, "\uFFFD")}
	if seconds, _, _ := strings.Cut(strings.TrimSpace(when), " "); seconds != "" {
		if n, err := strconv.ParseInt(seconds, 10, 64); err == nil {
			p.When = time.Unix(n, 0).UTC()
		}
	}
	return p
}

// parseTrailers reads the "Key: value" lines of the last paragraph. Lines of another form in between are
// passed over: a mark counts even if its author broke the paragraph's form.
func parseTrailers(message string) []Trailer {
	message = strings.TrimRight(strings.ReplaceAll(strings.ToValidUTF8(message, "\uFFFD"), "\r\n", "\n"), "\n \t")
	if i := strings.LastIndex(message, "\n\n"); i >= 0 {
		message = message[i+2:]
	}
	var out []Trailer
	for line := range strings.Lines(message) {
		key, value, ok := strings.Cut(line, ":")
		if !ok || !isToken(key) || len(out) == maxTrailers {
			continue
		}
		out = append(out, Trailer{Key: key, Value: strings.TrimSpace(value)})
	}
	return out
}

func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c != '-' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return s != ""
}

// isSHA says whether s is an object name as this package writes them: 40 lower-case hex digits.
func isSHA(s string) bool {
	if len(s) != 40 {
		return false
	}
	for i := range len(s) {
		if (s[i] < '0' || s[i] > '9') && (s[i] < 'a' || s[i] > 'f') {
			return false
		}
	}
	return true
}

func rawSHA(s string) ([20]byte, error) {
	if !isSHA(s) {
		return [20]byte{}, fmt.Errorf("%q is no object name", clip(s, 80))
	}
	raw, err := hex.DecodeString(s)
	if err != nil {
		return [20]byte{}, err
	}
	return [20]byte(raw), nil
}
