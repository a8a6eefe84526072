package conformance

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"maps"
	"slices"

	"github.com/outcome-gate/outcome-gate/internal/collect"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
)

// uploads are a run's uploads, without a service: as internal/remote would say it.
func (w *world) uploads(_ context.Context, up collect.Upload) collect.Uploads {
	var out collect.Uploads
	for _, u := range w.s.Run.Uploads {
		if !collect.NameMatches(up.Name, u.Name) {
			continue
		}
		p := collect.Uploaded{Name: u.Name, Code: u.Code, Detail: u.Code, CreatedAt: u.CreatedAt, Boundary: u.JobStart, BoundarySource: "the start of its job"}
		var err error
		if p.Archive, err = pack(u.Files); err != nil {
			p.Code, p.Detail = evidence.CodeArtifactUnreadable, err.Error()
		}
		out.Parts = append(out.Parts, p)
	}
	if len(out.Parts) == 0 {
		out.Code, out.Detail = evidence.CodeUploadMissing, "this run uploaded nothing that is named "+up.Name
	}
	return out
}

// pack makes an archive of files by their names.
func pack(files map[string]string) ([]byte, error) {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f, err := z.Create(name)
		if err != nil {
			return nil, err
		}
		if _, err := io.WriteString(f, files[name]); err != nil {
			return nil, err
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
