package main

import (
	"runtime/debug"
	"testing"
)

// TestBuildText holds that a replacement is what is named, and that no setting names a machine.
func TestBuildText(t *testing.T) {
	got := buildText(&debug.BuildInfo{
		Main: debug.Module{Path: "example.com/gate", Version: "v1.2.3"},
		Deps: []*debug.Module{
			{Path: "example.com/a", Version: "v1.0.0", Sum: "h1:a="},
			{Path: "example.com/b", Version: "v1.0.0", Sum: "h1:b=", Replace: &debug.Module{Path: "example.com/c", Version: "v2.0.0", Sum: "h1:c="}},
		},
		Settings: []debug.BuildSetting{{Key: "-ldflags", Value: "-X a=/home/somebody"}, {Key: "GOOS", Value: "linux"}, {Key: "CGO_CFLAGS", Value: "-I/home/somebody"}, {Key: "vcs.revision", Value: "01"}},
	})
	want := versionLine() + "\nmodule example.com/gate v1.2.3\nbuild GOOS=linux\nbuild vcs.revision=01\nneeds example.com/a v1.0.0 h1:a=\nneeds example.com/c v2.0.0 h1:c=\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
