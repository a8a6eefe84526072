package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The media types of the OCI image specification, version 1.1.
const (
	typeIndex    = "application/vnd.oci.image.index.v1+json"
	typeManifest = "application/vnd.oci.image.manifest.v1+json"
	typeConfig   = "application/vnd.oci.image.config.v1+json"
	typeLayer    = "application/vnd.oci.image.layer.v1.tar+gzip"
)

// descriptor names a blob by its digest.
type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int               `json:"size"`
	Platform    *platform         `json:"platform,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

type platform struct {
	Architecture string `json:"architecture"`
	OS           string `json:"os"`
}

type index struct {
	SchemaVersion int               `json:"schemaVersion"`
	MediaType     string            `json:"mediaType"`
	Manifests     []descriptor      `json:"manifests"`
	Annotations   map[string]string `json:"annotations,omitempty"`
}

type manifest struct {
	SchemaVersion int               `json:"schemaVersion"`
	MediaType     string            `json:"mediaType"`
	Config        descriptor        `json:"config"`
	Layers        []descriptor      `json:"layers"`
	Annotations   map[string]string `json:"annotations,omitempty"`
}

type config struct {
	Created string `json:"created"`
	platform
	Config struct {
		Entrypoint []string          `json:"Entrypoint"`
		Labels     map[string]string `json:"Labels"`
	} `json:"config"`
	RootFS struct {
		Type    string   `json:"type"`
		DiffIDs []string `json:"diff_ids"`
	} `json:"rootfs"`
	History []map[string]string `json:"history"`
}

// layout is a folder in the OCI image layout, to which blobs are added.
type layout struct{ dir string }

// image writes one image of several architectures as an OCI image layout, and its digest to out. It holds what the
// Dockerfile's image holds, and the licences.
func image(out io.Writer, o *options, binaries []string) error {
	if o.version == "" || o.seconds <= 0 || o.ca == "" || o.license == "" || o.notices == "" || o.out == "" || len(binaries) == 0 {
		return errors.New("an image needs -version, -time, -ca, -license, -notices, -out and binaries")
	}
	l := layout{o.out}
	if err := os.MkdirAll(filepath.Join(o.out, "blobs", "sha256"), 0o755); err != nil { //nolint:gosec // G301: it is to be read by others
		return fmt.Errorf("write image: %w", err)
	}
	labels := map[string]string{
		"org.opencontainers.image.source": "https://" + modulePath, "org.opencontainers.image.version": o.version, "org.opencontainers.image.licenses": "Apache-2.0",
	}
	all := index{SchemaVersion: 2, MediaType: typeIndex, Annotations: labels}
	slices.Sort(binaries)
	for _, b := range binaries {
		arch, name, ok := strings.Cut(b, "=")
		if !ok || arch == "" {
			return fmt.Errorf("%q is not ARCH=BINARY", b)
		}
		d, err := l.one(o, platform{arch, "linux"}, name, labels)
		if err != nil {
			return err
		}
		all.Manifests = append(all.Manifests, d)
	}
	whole, err := l.addJSON(typeIndex, all)
	if err != nil {
		return err
	}
	digest := whole.Digest
	whole.Annotations = map[string]string{"org.opencontainers.image.ref.name": o.version}
	top, err := json.Marshal(index{SchemaVersion: 2, MediaType: typeIndex, Manifests: []descriptor{whole}})
	if err != nil {
		return fmt.Errorf("write image: %w", err)
	}
	if err := errors.Join(l.write("index.json", top), l.write("oci-layout", []byte(`{"imageLayoutVersion":"1.0.0"}`))); err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, digest)
	return err
}

// one adds the image of one architecture: one layer, its configuration and its manifest.
func (l layout) one(o *options, p platform, binary string, labels map[string]string) (descriptor, error) {
	plain, err := layer(o, binary)
	if err != nil {
		return descriptor{}, err
	}
	var zipped bytes.Buffer
	z, err := gzip.NewWriterLevel(&zipped, gzip.BestCompression)
	if err == nil {
		_, err = z.Write(plain)
		err = errors.Join(err, z.Close())
	}
	if err != nil {
		return descriptor{}, fmt.Errorf("write image: %w", err)
	}
	files, err := l.add(typeLayer, zipped.Bytes())
	if err != nil {
		return descriptor{}, err
	}
	created := o.time().Format(time.RFC3339)
	c := config{Created: created, platform: p, History: []map[string]string{{"created": created, "created_by": "release image"}}}
	c.Config.Entrypoint, c.Config.Labels = []string{"/gate"}, labels
	c.RootFS.Type, c.RootFS.DiffIDs = "layers", []string{digestOf(plain)}
	how, err := l.addJSON(typeConfig, c)
	if err != nil {
		return descriptor{}, err
	}
	d, err := l.addJSON(typeManifest, manifest{SchemaVersion: 2, MediaType: typeManifest, Config: how, Layers: []descriptor{files}, Annotations: labels})
	d.Platform = &p
	return d, err
}

// layer is the tar archive of the image's files: root's, all of one time.
func layer(o *options, binary string) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	put := func(kind byte, name string, mode int64, link string, body []byte) error {
		h := &tar.Header{Typeflag: kind, Name: name, Mode: mode, Linkname: link, Size: int64(len(body)), ModTime: o.time(), Format: tar.FormatUSTAR}
		if err := w.WriteHeader(h); err != nil {
			return fmt.Errorf("write image: %s: %w", name, err)
		}
		_, err := w.Write(body)
		return err
	}
	var errs []error
	for _, name := range []string{"etc/", "etc/ssl/", "etc/ssl/certs/"} {
		errs = append(errs, put(tar.TypeDir, name, 0o755, "", nil))
	}
	for _, f := range []struct {
		name, from string
		mode       int64
	}{
		{"etc/ssl/certs/ca-certificates.crt", o.ca, 0o644}, {"LICENSE", o.license, 0o644}, {"THIRD-PARTY-LICENSES", o.notices, 0o644}, {"gate", binary, 0o755},
	} {
		body, err := os.ReadFile(f.from)
		if err == nil && len(body) == 0 {
			err = errors.New("it is empty")
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", f.from, err)
		}
		errs = append(errs, put(tar.TypeReg, f.name, f.mode, "", body))
	}
	for _, name := range []string{"gate-post", "gate-pre", "gate-run"} {
		errs = append(errs, put(tar.TypeSymlink, name, 0o777, "gate", nil))
	}
	errs = append(errs, put(tar.TypeDir, "tmp/", 0o1777, "", nil), w.Close())
	return b.Bytes(), errors.Join(errs...)
}

// add writes a blob under its digest.
func (l layout) add(mediaType string, body []byte) (descriptor, error) {
	digest := digestOf(body)
	name := filepath.Join("blobs", "sha256", strings.TrimPrefix(digest, "sha256:"))
	return descriptor{MediaType: mediaType, Digest: digest, Size: len(body)}, l.write(name, body)
}

func (l layout) addJSON(mediaType string, v any) (descriptor, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return descriptor{}, fmt.Errorf("write image: %w", err)
	}
	return l.add(mediaType, body)
}

func (l layout) write(name string, body []byte) error {
	if err := os.WriteFile(filepath.Join(l.dir, name), body, 0o644); err != nil { //nolint:gosec // G306: it is to be read by others
		return fmt.Errorf("write image: %w", err)
	}
	return nil
}

func digestOf(body []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(body)) }
