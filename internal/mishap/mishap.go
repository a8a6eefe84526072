// Package mishap runs a program and lets something go wrong at one of its steps: it is killed there, or the disk is
// full, broken or read-only from there on.
//
// It is for tests, decides nothing and trusts the program that it runs. A step is a system call that changes a file in
// one of the folders that are watched, so that the program is the real one and knows nothing of it: each state of the
// disk in which a kill can leave it is one that a step leads to. It needs Linux on amd64 and the right to trace a
// process of its own; ErrUnsupported says where that is missing.
package mishap

import "errors"

// ErrUnsupported says that this machine lets nobody trace a process, or that it is not known here how to.
var ErrUnsupported = errors.New("processes cannot be traced here")

// Kind is what goes wrong.
type Kind int

// The kinds. The zero value lets everything go right.
const (
	Nothing  Kind = iota
	Kill          // the program is killed before the step
	Tear          // the program is killed after half of the step, where that is a write; else before it
	Full          // from the step on nothing more fits: of a write there one half does
	Broken        // from the step on every step is an input/output error
	ReadOnly      // from the step on the file system is read-only
)

// String is the kind's name in a table.
func (k Kind) String() string {
	switch k {
	case Nothing:
		return "nothing"
	case Kill:
		return "kill"
	case Tear:
		return "kill halfway"
	case Full:
		return "full disk"
	case Broken:
		return "broken disk"
	case ReadOnly:
		return "read-only"
	}
	return "unknown"
}

// Program is what is run.
type Program struct {
	Path   string   // of the executable
	Args   []string // without the program's name
	Env    []string // whole
	Dir    string
	Output string // the file that standard output and standard error go to; it is not watched
	// Folders are watched, with all that is in them. Absolute paths without symbolic links.
	Folders []string
}

// Step is one change of a file.
type Step struct {
	Call string // the system call
	Path string // the file that it names first
}

// Ended is how a run of a program ended.
type Ended struct {
	Steps  []Step // those that were begun, in order
	Killed bool
	Code   int // exit code; 0 if it was killed
}
