//go:build !unix

package main

import "github.com/rogpeppe/go-internal/testscript"

// scriptFIFO is for stories that ask for a unix first.
func scriptFIFO(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Fatalf("there are no named pipes here")
}
