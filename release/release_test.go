package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

// built are the binaries of what release/build made, if RELEASE_DIST names it; else the tests make what they need of one binary.
func built(t *testing.T) (binaries []string) {
	t.Helper()
	if dist := os.Getenv("RELEASE_DIST"); dist != "" {
		binaries, err := filepath.Glob(filepath.Join(dist, "gate_*_*_*"))
		if err != nil || len(binaries) != 6 {
			t.Fatalf("%s holds the binaries %q, %v", dist, binaries, err)
		}
		return binaries
	}
	if testing.Short() {
		t.Skip("the program is not built in short tests")
	}
	name := filepath.Join(t.TempDir(), "gate")
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", name, "./cmd/gate")
	cmd.Dir = ".."
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return []string{name}
}

// part runs one part and gives what it writes.
func part(t *testing.T, args ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := run(args, &out, io.Discard); err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	return out.Bytes()
}

// TestBill holds the bill of materials against what the linker wrote into the binaries: every module, with its version
// and sum, and nothing else.
func TestBill(t *testing.T) {
	binaries := built(t)
	args := append([]string{"sbom", "-version", "v1.0.0", "-time", "1772355600"}, binaries...)
	text := part(t, args...)
	if again := part(t, args...); !bytes.Equal(text, again) {
		t.Error("the same binaries give another bill")
	}
	if dist := os.Getenv("RELEASE_DIST"); dist != "" {
		released, err := filepath.Glob(filepath.Join(dist, "*.cdx.json"))
		if err != nil || len(released) != 1 {
			t.Fatalf("bills %q, %v", released, err)
		}
		if text, err = os.ReadFile(released[0]); err != nil {
			t.Fatal(err)
		}
	}
	var b bom
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&b); err != nil {
		t.Fatal(err)
	}
	serials := regexp.MustCompile(`^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	if b.Format != "CycloneDX" || b.SpecVersion != "1.6" || b.Version != 1 || !serials.MatchString(b.Serial) || b.Metadata.Component.Name != modulePath {
		t.Errorf("the head is %+v", b)
	}
	listed, refs := map[string]string{}, map[string]bool{b.Metadata.Component.Ref: true}
	files := 0
	for _, c := range b.Components {
		if refs[c.Ref] {
			t.Errorf("%s is listed twice", c.Ref)
		}
		refs[c.Ref] = true
		switch c.Type {
		case "library":
			if c.PURL != "pkg:golang/"+c.Name+"@"+strings.ReplaceAll(c.Version, "+", "%2B") {
				t.Errorf("%s %s is %s", c.Name, c.Version, c.PURL)
			}
			sum := ""
			if len(c.Properties) == 1 {
				sum = c.Properties[0].Value
			}
			listed[c.Name+"@"+c.Version] = sum
		case "file":
			files++
			if len(c.Hashes) != 1 || len(c.Hashes[0].Content) != 64 {
				t.Errorf("%+v has no digest", c)
			}
		default:
			t.Errorf("%+v is of no known type", c)
		}
	}
	if files != len(binaries) || len(b.Dependencies) != 1 || b.Dependencies[0].Ref != b.Metadata.Component.Ref {
		t.Errorf("%d files, dependencies %+v", files, b.Dependencies)
	}
	for _, ref := range b.Dependencies[0].DependsOn {
		if !refs[ref] {
			t.Errorf("%s is depended on and not listed", ref)
		}
	}
	linked := map[string]bool{}
	for _, name := range binaries {
		info, err := buildinfo.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		linked["std@"+strings.TrimPrefix(info.GoVersion, "go")] = true
		for _, m := range info.Deps {
			key := m.Path + "@" + m.Version
			linked[key] = true
			if sum, ok := listed[key]; !ok || sum != m.Sum {
				t.Errorf("%s of %s is listed: %v, with the sum %q, want %q", key, filepath.Base(name), ok, sum, m.Sum)
			}
		}
	}
	if len(linked) != len(listed) || len(linked) < 8 {
		t.Errorf("%d parts are linked, %d are listed", len(linked), len(listed))
	}
}

// TestLicenses holds that each module's licence is there.
func TestLicenses(t *testing.T) {
	binaries := built(t)
	text := string(part(t, append([]string{"licenses"}, binaries...)...))
	modules, goVersion, err := linked(binaries)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range modules {
		if !strings.Contains(text, "\n"+m.Path+" "+m.Version+": ") {
			t.Errorf("the licence of %s is not there", m.Path)
		}
	}
	if !strings.Contains(text, "the Go standard library, "+goVersion+": LICENSE\n") || !strings.Contains(text, "Redistribution and use in source and binary forms") {
		t.Error("the licence of the standard library is not there")
	}
	var b bytes.Buffer
	if err := texts(&b, "x", t.TempDir()); err == nil {
		t.Error("a module without licence is passed on")
	}
	if err := texts(&b, "x", ""); err == nil {
		t.Error("a module that is not there is passed on")
	}
}

// blob reads a blob of a layout and holds it to its digest.
func blob(t *testing.T, dir string, d descriptor, into any) []byte {
	t.Helper()
	body, err := os.ReadFile(filepath.Join(dir, "blobs", "sha256", strings.TrimPrefix(d.Digest, "sha256:")))
	if err != nil {
		t.Fatal(err)
	}
	if digestOf(body) != d.Digest || len(body) != d.Size {
		t.Errorf("blob %s is %s of %d bytes", d.Digest, digestOf(body), len(body))
	}
	if into != nil {
		if err := json.Unmarshal(body, into); err != nil {
			t.Fatal(err)
		}
	}
	return body
}

// TestImage holds the image to the layout's rules, and what is in it to the Dockerfile and action.yml.
func TestImage(t *testing.T) {
	dir := filepath.Join(os.Getenv("RELEASE_DIST"), "image")
	var digest string
	if os.Getenv("RELEASE_DIST") == "" {
		dir = t.TempDir()
		file := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(file, []byte("some bytes\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		args := func(dir string) []string {
			return []string{"image", "-version", "v1.0.0", "-time", "1772355600", "-ca", file, "-license", file, "-notices", file, "-out", dir, "arm64=" + file, "amd64=" + file}
		}
		digest = string(part(t, args(dir)...))
		if again := string(part(t, args(t.TempDir())...)); again != digest {
			t.Errorf("the same files give %s and %s", digest, again)
		}
	} else {
		text, err := os.ReadFile(filepath.Join(dir, "..", "image.digest"))
		if err != nil {
			t.Fatal(err)
		}
		digest = string(text)
	}
	top, err := os.ReadFile(filepath.Join(dir, "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	var layout, all index
	if err := json.Unmarshal(top, &layout); err != nil || len(layout.Manifests) != 1 || layout.Manifests[0].Digest+"\n" != digest {
		t.Fatalf("%s: %v, digest %s", top, err, digest)
	}
	blob(t, dir, layout.Manifests[0], &all)
	var platforms []string
	for _, d := range all.Manifests {
		platforms = append(platforms, d.Platform.OS+"/"+d.Platform.Architecture)
		var m manifest
		blob(t, dir, d, &m)
		var c config
		blob(t, dir, m.Config, &c)
		if len(m.Layers) != 1 || c.Architecture != d.Platform.Architecture || c.OS != "linux" || !slices.Equal(c.Config.Entrypoint, []string{"/gate"}) {
			t.Errorf("%+v\n%+v", m, c)
		}
		z, err := gzip.NewReader(bytes.NewReader(blob(t, dir, m.Layers[0], nil)))
		if err != nil {
			t.Fatal(err)
		}
		plain, err := io.ReadAll(z)
		if err != nil || digestOf(plain) != c.RootFS.DiffIDs[0] {
			t.Errorf("the layer is %s, %v, want %s", digestOf(plain), err, c.RootFS.DiffIDs)
		}
		checkLayer(t, plain)
	}
	if !slices.Equal(platforms, []string{"linux/amd64", "linux/arm64"}) {
		t.Errorf("platforms %q", platforms)
	}
}

func checkLayer(t *testing.T, plain []byte) {
	t.Helper()
	metadata, err := os.ReadFile("../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	has := map[string]string{}
	r := tar.NewReader(bytes.NewReader(plain))
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Uid != 0 || h.Gid != 0 || h.ModTime.Unix() < 1 || has[h.Name] != "" {
			t.Errorf("%s: %+v", h.Name, h)
		}
		has[h.Name] = fmt.Sprintf("%c %o %s", h.Typeflag, h.Mode, h.Linkname)
	}
	for name, want := range map[string]string{
		"gate": "0 755 ", "tmp/": "5 1777 ", "etc/ssl/certs/ca-certificates.crt": "0 644 ", "LICENSE": "0 644 ", "THIRD-PARTY-LICENSES": "0 644 ",
		"etc/": "5 755 ", "etc/ssl/": "5 755 ", "etc/ssl/certs/": "5 755 ",
	} {
		if has[name] != want {
			t.Errorf("%s is %q, want %q", name, has[name], want)
		}
	}
	entries := regexp.MustCompile(`(?m)^  (?:pre-|post-)?entrypoint: /(.*)$`).FindAllSubmatch(metadata, -1)
	for _, m := range entries {
		if has[string(m[1])] != "2 777 gate" {
			t.Errorf("action.yml begins /%s, which is %q", m[1], has[string(m[1])])
		}
	}
	if len(entries) != 3 || len(has) != 11 {
		t.Errorf("%d entry points, %d files: %v", len(entries), len(has), has)
	}
}

// TestMetadata holds that the released metadata differs by the image alone.
func TestMetadata(t *testing.T) {
	reference := "registry.example:5000/acme/gate@sha256:" + strings.Repeat("0a", 32)
	before, err := os.ReadFile("../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	after := part(t, "action", "-image", reference, "../action.yml")
	if got := bytes.Replace(after, []byte("image: docker://"+reference), []byte("image: Dockerfile"), 1); !bytes.Equal(got, before) {
		t.Errorf("the metadata is\n%s", after)
	}
	released := filepath.Join(t.TempDir(), "action.yml")
	if err := os.WriteFile(released, after, 0o600); err != nil {
		t.Fatal(err)
	}
	digest := "@sha256:" + strings.Repeat("0a", 32)
	for _, args := range [][]string{
		{"action", "-image", reference, released}, {"action", "-image", "registry.example/acme/gate:v1", "../action.yml"},
		{"action", "-image", "registry.example/Acme/gate" + digest, "../action.yml"}, {"action", "-image", "gate" + digest, "../action.yml"},
		{"action", "-image", reference + "\n  args: x", "../action.yml"}, {"action", "../action.yml"}, {"action", "-image", reference},
	} {
		if err := run(args, io.Discard, io.Discard); err == nil {
			t.Errorf("%q is no error", args)
		}
	}
}

func TestRefused(t *testing.T) {
	for _, args := range [][]string{
		{}, {"else"}, {"sbom"}, {"sbom", "-version", "v1", "-time", "1"}, {"sbom", "-version", "v1", "-time", "1", "release_test.go"}, {"licenses"},
		{"licenses", "nowhere"}, {"image"}, {"image", "-version", "v1", "-time", "1", "-ca", "x", "-license", "x", "-notices", "x", "-out", t.TempDir(), "x"}, {"sbom", "-time", "x"},
		{"image", "-version", "v1", "-time", "1", "-ca", "nowhere", "-license", "x", "-notices", "x", "-out", t.TempDir(), "amd64=x"},
	} {
		if err := run(args, io.Discard, io.Discard); err == nil {
			t.Errorf("%q is no error", args)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := linked([]string{self}); err != nil && !strings.Contains(err.Error(), "module") {
		t.Errorf("a test binary: %v", err)
	}
}

// TestModuleWithoutSum holds that what nobody can tell the bytes of is not released, also behind a replacement.
func TestModuleWithoutSum(t *testing.T) {
	whole := debug.Module{Path: "example.com/a", Version: "v1.0.0", Sum: "h1:x"}
	if m, err := moduleOf(&whole); err != nil || m != (module{whole.Path, whole.Version, whole.Sum}) {
		t.Errorf("%+v, %v", m, err)
	}
	for _, m := range []debug.Module{
		{Path: "example.com/a", Version: "v1.0.0"}, {Path: "example.com/a", Sum: "h1:x"}, {Version: "v1.0.0", Sum: "h1:x"},
		{Path: "example.com/a", Version: "v1.0.0", Sum: "h1:x", Replace: &debug.Module{Path: "../a"}},
	} {
		if got, err := moduleOf(&m); err == nil {
			t.Errorf("%+v is released as %+v", m, got)
		}
	}
}
