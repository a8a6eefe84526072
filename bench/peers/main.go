// Command peers reads result files with libraries that others would use, one at a time, and prints how many tests it
// found. It is a module of its own: nothing that it depends on is a dependency of the product.
package main

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/bmatcuk/doublestar/v4"
	experiment "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/joshdk/go-junit"
)

func main() {
	readers := map[string]func(*os.File) (int, error){
		"encoding/json": encodingJSON, "encoding/xml": encodingXML, "encoding/xml-unmarshal": unmarshalXML,
		"go-json-experiment": jsonExperiment, "go-junit": goJUnit, "doublestar": walk,
	}
	if len(os.Args) != 3 || readers[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: peers READER FILE")
		os.Exit(2)
	}
	f, err := os.Open(os.Args[2])
	if err == nil {
		var n int
		if n, err = readers[os.Args[1]](f); err == nil {
			fmt.Println("tests", n)
			return
		}
	}
	fmt.Fprintln(os.Stderr, "peers:", err)
	os.Exit(1)
}

// encodingXML counts start tags.
func encodingXML(f *os.File) (int, error) {
	n := 0
	for d := xml.NewDecoder(f); ; {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return 0, err
		}
		if e, ok := tok.(xml.StartElement); ok {
			switch e.Name.Local {
			case "testcase", "test-case", "UnitTestResult":
				n++
			}
		}
	}
}

type suite struct {
	Suites []suite `xml:"testsuite"`
	Cases  []struct {
		Name    string `xml:"name,attr"`
		Class   string `xml:"classname,attr"`
		Time    string `xml:"time,attr"`
		Failure *struct {
			Message string `xml:"message,attr"`
			Text    string `xml:",chardata"`
		} `xml:"failure"`
		Skipped *struct{} `xml:"skipped"`
		Out     string    `xml:"system-out"`
	} `xml:"testcase"`
}

func (s *suite) tests() int {
	n := len(s.Cases)
	for i := range s.Suites {
		n += s.Suites[i].tests()
	}
	return n
}

func unmarshalXML(f *os.File) (int, error) {
	var s suite
	err := xml.NewDecoder(f).Decode(&s)
	return s.tests(), err
}

func goJUnit(f *os.File) (int, error) {
	suites, err := junit.IngestReader(f)
	n := 0
	for i := range suites {
		n += suites[i].Totals.Tests
	}
	return n, err
}

// event is what of a test event a counter needs.
type event struct{ Action, Package, Test, Output string }

func (e *event) ends() bool {
	return e.Test != "" && (e.Action == "pass" || e.Action == "fail" || e.Action == "skip")
}

func encodingJSON(f *os.File) (int, error) {
	n := 0
	for d := json.NewDecoder(f); ; {
		var e event
		if err := d.Decode(&e); errors.Is(err, io.EOF) {
			return n, nil
		} else if err != nil {
			return 0, err
		}
		if e.ends() {
			n++
		}
	}
}

func jsonExperiment(f *os.File) (int, error) {
	n := 0
	for d := jsontext.NewDecoder(f); ; {
		var e event
		if err := experiment.UnmarshalDecode(d, &e); errors.Is(err, io.EOF) {
			return n, nil
		} else if err != nil {
			return 0, err
		}
		if e.ends() {
			n++
		}
	}
}

// walk counts what a pattern matches below a folder.
func walk(f *os.File) (int, error) {
	found, err := doublestar.Glob(os.DirFS(f.Name()), "**/*.result")
	return len(found), err
}
