package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
)

// action writes the action's metadata with the released image in the place of the Dockerfile, and every other byte
// as it is.
func action(out io.Writer, o *options, files []string) error {
	if !regexp.MustCompile(`^[a-z0-9][a-z0-9.-]*(:[0-9]+)?(/[a-z0-9][a-z0-9._-]*)+@sha256:[0-9a-f]{64}$`).MatchString(o.image) {
		return fmt.Errorf("%q is no image by digest: HOST/PATH@sha256:HEX, in small letters", o.image)
	}
	if len(files) != 1 {
		return errors.New("name the one metadata file")
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		return fmt.Errorf("read metadata: %w", err)
	}
	from := []byte("\n  image: Dockerfile\n")
	if n := bytes.Count(text, from); n != 1 {
		return fmt.Errorf("%s has %d lines `image: Dockerfile`, not one", files[0], n)
	}
	_, err = out.Write(bytes.Replace(text, from, []byte("\n  image: docker://"+o.image+"\n"), 1))
	return err
}
