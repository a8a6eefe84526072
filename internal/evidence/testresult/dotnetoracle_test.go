package testresult

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
)

// oracleNode is an element as encoding/xml sees it.
type oracleNode struct {
	name     string
	attrs    map[string]string
	parent   *oracleNode
	children []*oracleNode
}

// oracleTree reads a document whole with encoding/xml, and returns the error by which it refuses it.
func oracleTree(data []byte) (*oracleNode, error) {
	top := &oracleNode{}
	at := top
	d := xml.NewDecoder(bytes.NewReader(data))
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return top, nil
		}
		if err != nil {
			return nil, err
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			n := &oracleNode{name: tok.Name.Local, attrs: map[string]string{}, parent: at}
			for _, a := range tok.Attr {
				if a.Name.Space == "" {
					n.attrs[a.Name.Local] = a.Value
				}
			}
			at.children = append(at.children, n)
			at = n
		case xml.EndElement:
			at = at.parent
		}
	}
}

// each calls f for every element below n.
func (n *oracleNode) each(f func(*oracleNode)) {
	for _, c := range n.children {
		f(c)
		c.each(f)
	}
}

// word is an attribute without case and blanks.
func (n *oracleNode) word(attr string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t\r\n_-./", r) {
			return -1
		}
		return r
	}, strings.ToLower(n.attrs[attr]))
}

// oracleTRX counts the direct children of every <Results> right below the root.
func oracleTRX(top *oracleNode) (n Counts) {
	for _, root := range top.children {
		for _, section := range root.children {
			if section.name != "Results" {
				continue
			}
			for _, result := range section.children {
				st := oracleOutcome(result)
				result.each(func(inner *oracleNode) {
					is := inner.parent.name == "InnerResults" || strings.HasSuffix(inner.name, "TestResult") || inner.name == "TestResultAggregation"
					if in := oracleOutcome(inner); is && st != Errored && (in == Failed || in == Errored) {
						st = Failed
					}
				})
				n.add(st)
			}
		}
	}
	return n
}

func oracleOutcome(n *oracleNode) Status {
	switch n.word("outcome") {
	case "passed":
		return Passed
	case "failed":
		return Failed
	case "error", "timeout", "aborted":
		return Errored
	}
	return Skipped
}

// oracleNUnit counts test cases.
func oracleNUnit(top *oracleNode) (n Counts) {
	top.each(func(c *oracleNode) {
		if c.name != "test-case" {
			return
		}
		st := oracleCaseResult(c)
		broke, erred := false, false
		c.each(func(inner *oracleNode) {
			st, known := nunitWord([]byte(inner.attrs["result"]), nil)
			broke = broke || inner.name == "failure" || inner.name == "assertion" && known && st == Failed
			erred = erred || inner.name == "assertion" && known && st == Errored
		})
		switch {
		case st == Failed || st == Errored:
		case erred:
			st = Errored
		case broke:
			st = Failed
		}
		n.add(st)
	})
	return n
}

func oracleCaseResult(c *oracleNode) Status {
	success, executed := c.word("success"), c.word("executed")
	blank := func(attr string) bool { return strings.Trim(c.attrs[attr], " \t\r\n\f\v\u0085\u00a0") == "" }
	result, label, bracketed := strings.Cut(c.attrs["result"], "(")
	if !bracketed || result == "" {
		result = c.attrs["result"]
	} else if c.attrs["label"] == "" {
		c.attrs["label"] = strings.TrimRight(label, ") ")
	}
	c.attrs["word"] = result
	switch c.word("word") {
	case "passed", "success":
		switch {
		case success == "false" || !blank("success") && success != "true":
			return Failed
		case executed == "false":
			return Skipped
		}
		return Passed
	case "failed", "failure":
		if c.word("label") == "error" {
			return Errored
		}
		return Failed
	case "error", "cancelled", "canceled":
		return Errored
	case "skipped", "inconclusive", "warning", "notrunnable", "ignored", "explicit", "notrun":
		return Skipped
	}
	switch {
	case !blank("result"):
		return Other
	case executed == "false":
		return Skipped
	case success == "false":
		return Failed
	case success == "true", executed == "true" && blank("success"):
		return Passed
	}
	return Other
}

// oracleXUnit counts tests.
func oracleXUnit(top *oracleNode) (n Counts) {
	top.each(func(c *oracleNode) {
		if c.name != "test" {
			return
		}
		st := attrStatus([]byte(c.attrs["result"]))
		switch st {
		case Flaky:
			st = Passed
		case Todo:
			st = Skipped
		case NoStatus, Unfinished:
			st = Other
		}
		c.each(func(inner *oracleNode) {
			if st != Errored && (inner.name == "failure" || inner.name == "error") {
				st = Failed
			}
		})
		n.add(st)
	})
	return n
}
