package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// licenses writes the licence texts of everything that is linked into binaries, the standard library included. A module
// without one, or under one that is not known here, is an error: what may not be passed on must not be released.
func licenses(out io.Writer, binaries []string) error {
	modules, goVersion, err := linked(binaries)
	if err != nil {
		return err
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("ask for the standard library: %w", err)
	}
	var b bytes.Buffer
	b.WriteString("The program contains these parts of others, under their own licences.\n")
	if err := texts(&b, "the Go standard library, "+goVersion, strings.TrimSpace(string(root))); err != nil {
		return err
	}
	dirs, err := folders(modules)
	if err != nil {
		return err
	}
	for _, m := range modules {
		if err := texts(&b, m.Path+" "+m.Version, dirs[m.Path+"@"+m.Version]); err != nil {
			return err
		}
	}
	_, err = out.Write(b.Bytes())
	return err
}

// folders are where the module cache has modules, by path@version.
func folders(modules []module) (map[string]string, error) {
	args := []string{"list", "-m", "-json"}
	for _, m := range modules {
		args = append(args, m.Path)
	}
	list := exec.Command("go", args...)
	list.Stderr = os.Stderr
	text, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("ask where modules are: %w", err)
	}
	out := map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var m struct{ Path, Version, Dir string }
		if err := d.Decode(&m); errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return nil, fmt.Errorf("read where modules are: %w", err)
		}
		out[m.Path+"@"+m.Version] = m.Dir
	}
}

// texts writes the licence files at the top of a folder, in order of name.
func texts(b *bytes.Buffer, what, dir string) error {
	if dir == "" {
		return fmt.Errorf("%s is not in the module cache: go mod download", what)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("read the licence of %s: %w", what, err)
	}
	form := regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([._-].*)?$`)
	found := false
	for _, e := range entries {
		if !e.Type().IsRegular() || !form.MatchString(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return fmt.Errorf("read the licence of %s: %w", what, err)
		}
		if isLicense(e.Name()) {
			if _, err := licenseOf(text); err != nil {
				return fmt.Errorf("the licence of %s, %s: %w", what, e.Name(), err)
			}
			found = true
		}
		fmt.Fprintf(b, "\n%s\n%s: %s\n%s\n\n%s\n", strings.Repeat("-", 78), what, e.Name(), strings.Repeat("-", 78), bytes.TrimSpace(text))
	}
	if !found {
		return fmt.Errorf("%s has no licence file", what)
	}
	return nil
}
