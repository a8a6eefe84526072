package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the table of licences in README.md")

// required are the modules that go.mod names: those of the product and of its tests.
func required(t *testing.T) (all []module) {
	t.Helper()
	text, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^\t(\S+) (v\S+)( // indirect)?$`).FindAllSubmatch(text, -1) {
		all = append(all, module{Path: string(m[1]), Version: string(m[2])})
	}
	if len(all) < 20 {
		t.Fatalf("go.mod names %d modules", len(all))
	}
	return all
}

// licensesIn names the licences of the files at the top of a folder.
func licensesIn(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	var ids []string
	for _, e := range entries {
		if !e.Type().IsRegular() || !isLicense(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return "", err
		}
		id, err := licenseOf(text)
		if err != nil {
			return "", fmt.Errorf("%s: %w", e.Name(), err)
		}
		for one := range strings.SplitSeq(id, " AND ") {
			if !slices.Contains(ids, one) {
				ids = append(ids, one)
			}
		}
	}
	slices.Sort(ids)
	if len(ids) == 0 {
		return "", fmt.Errorf("%s holds no licence", dir)
	}
	return strings.Join(ids, " AND "), nil
}

// TestLicenseTable holds the table of licences in README.md to go.mod and to the modules themselves: each is listed, under a
// licence that is known. Modules that nothing here has needed yet are not in the cache, and stand as they are listed.
func TestLicenseTable(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- licences:begin -->\n", "<!-- licences:end -->"
	head, rest, ok := strings.Cut(string(readme), begin)
	table, tail, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatal("README.md has no place for the licences")
	}
	listed := map[string]string{}
	for _, m := range regexp.MustCompile("(?m)^\\| `(\\S+)` \\| (\\S.*\\S) \\|$").FindAllStringSubmatch(table, -1) {
		listed[m[1]] = m[2]
	}
	all := required(t)
	dirs, err := folders(all)
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	want.WriteString("| module | licence |\n|---|---|\n")
	looked := 0
	for _, m := range all {
		id, dir := listed[m.Path], dirs[m.Path+"@"+m.Version]
		if dir != "" {
			looked++
			if id, err = licensesIn(dir); err != nil {
				t.Errorf("%s: %v", m.Path, err)
			}
		}
		if id == "" {
			t.Errorf("%s is not in the module cache and README.md does not list it: go mod download", m.Path)
		}
		fmt.Fprintf(&want, "| `%s` | %s |\n", m.Path, id)
	}
	if looked < 10 {
		t.Errorf("only %d modules were looked at", looked)
	}
	if want.String() == table {
		return
	}
	if !*update {
		t.Errorf("the table of licences is out of date: go test ./release -run TestLicenseTable -update\n%s", want.String())
	} else if err := os.WriteFile("README.md", []byte(head+begin+want.String()+end+tail), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestLicenseOf holds that a licence is known by its own words, and that what is not known stops a release.
func TestLicenseOf(t *testing.T) {
	const (
		mit    = "MIT License\n\nPermission is hereby granted, free of charge, to any person\nobtaining a copy of this software"
		two    = "Redistributions in binary form must reproduce the above copyright\nnotice, this list"
		three  = two + "\nNeither the name of X nor the names of its contributors may be used to endorse or promote products\nderived from this software"
		apache = "                                 Apache License\n                           Version 2.0, January 2004\n"
	)
	for text, want := range map[string]string{mit: "MIT", two: "BSD-2-Clause", three: "BSD-3-Clause", apache: "Apache-2.0", mit + apache: "Apache-2.0 AND MIT",
		"Mozilla Public License Version 2.0\n1.12. \"Secondary License\" means either the GNU General Public License": "MPL-2.0"} {
		if got, err := licenseOf([]byte(text)); got != want || err != nil {
			t.Errorf("%q, %v, want %s", got, err, want)
		}
	}
	for _, text := range []string{"", "All rights reserved.", "GNU General Public License\nversion 3", mit + "\n\"Commons Clause\" License Condition"} {
		if got, err := licenseOf([]byte(text)); err == nil {
			t.Errorf("%q is %s", text, got)
		}
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"LICENSE": "All rights reserved.", "NOTICE": "x"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := texts(new(bytes.Buffer), "x", dir); err == nil {
			t.Errorf("%s: passed on", name)
		}
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}
