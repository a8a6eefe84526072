package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// bom is a bill of materials in CycloneDX 1.6, as far as it is used here (ECMA-424).
type bom struct {
	Schema       string       `json:"$schema"`
	Format       string       `json:"bomFormat"`
	SpecVersion  string       `json:"specVersion"`
	Serial       string       `json:"serialNumber"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Timestamp string    `json:"timestamp"`
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version,omitempty"`
	PURL       string     `json:"purl,omitempty"`
	Licenses   []licensed `json:"licenses,omitempty"`
	Hashes     []hash     `json:"hashes,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type licensed struct {
	License struct {
		ID string `json:"id"`
	} `json:"license"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type dependency struct {
	Ref       string   `json:"ref"`
	DependsOn []string `json:"dependsOn,omitempty"`
}

// sbom writes the bill of materials of binaries: the modules linked into any of them, the standard library, and the
// binaries themselves with their digests.
func sbom(out io.Writer, o *options, binaries []string) error {
	if o.version == "" || o.seconds <= 0 {
		return errors.New("a bill of materials needs -version and -time")
	}
	modules, goVersion, err := linked(binaries)
	if err != nil {
		return err
	}
	self := component{Type: "application", Name: modulePath, Version: o.version, PURL: purl(modulePath, o.version)}
	self.Ref = self.PURL
	var l licensed
	l.License.ID = "Apache-2.0"
	self.Licenses = []licensed{l}
	b := bom{
		Schema: "http://cyclonedx.org/schema/bom-1.6.schema.json", Format: "CycloneDX", SpecVersion: "1.6", Version: 1,
		Metadata: metadata{Timestamp: o.time().Format(time.RFC3339), Component: self},
	}
	needs := dependency{Ref: self.Ref}
	add := func(c component) {
		b.Components = append(b.Components, c)
		needs.DependsOn = append(needs.DependsOn, c.Ref)
	}
	standard := strings.TrimPrefix(goVersion, "go")
	add(component{Type: "library", Ref: purl("std", standard), Name: "std", Version: standard, PURL: purl("std", standard)})
	for _, m := range modules {
		p := purl(m.Path, m.Version)
		add(component{Type: "library", Ref: p, Name: m.Path, Version: m.Version, PURL: p, Properties: []property{{"go:sum", m.Sum}}})
	}
	for _, name := range binaries {
		sum, err := fileSum(name)
		if err != nil {
			return err
		}
		base := filepath.Base(name)
		b.Components = append(b.Components, component{Type: "file", Ref: "file:" + base, Name: base, Hashes: []hash{{"SHA-256", sum}}})
	}
	b.Dependencies = []dependency{needs}
	if b.Serial, err = serial(&b); err != nil {
		return err
	}
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(&b)
}

// purl is the package URL of a Go module. Module paths and versions need no escape but for the plus sign.
func purl(path, version string) string {
	return "pkg:golang/" + path + "@" + strings.ReplaceAll(version, "+", "%2B")
}

// serial is a UUID made of what the bill holds (RFC 9562, version 8), so that the same bill has the same one.
func serial(b *bom) (string, error) {
	data, err := json.Marshal(b)
	if err != nil {
		return "", fmt.Errorf("write the bill of materials: %w", err)
	}
	sum := sha256.Sum256(data)
	sum[6] = sum[6]&0x0f | 0x80
	sum[8] = sum[8]&0x3f | 0x80
	h := hex.EncodeToString(sum[:16])
	return "urn:uuid:" + strings.Join([]string{h[:8], h[8:12], h[12:16], h[16:20], h[20:]}, "-"), nil
}

// fileSum is the SHA-256 of a file, in hex.
func fileSum(name string) (string, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return "", fmt.Errorf("read binary: %w", err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(data)), nil
}
