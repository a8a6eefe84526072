// Package house holds the house rules as tests: which package may import which, what the pure core may
// not reach, and how a source has to look.
//
// The tests parse the sources themselves, so that a rule broken after a cached run is still seen, and
// read every Go file whatever its build constraints. They trust the parser and the lists in
// lists_test.go, where each exception carries its reason. They do not judge types or behaviour; that is
// the linters' and the other packages' work. The package has no code of its own.
package house
