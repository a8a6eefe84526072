package collect

import (
	"archive/zip"
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/evidence"
)

// zipOf is an archive of files by name, in pairs.
func zipOf(t *testing.T, pairs ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(pairs); i += 2 {
		f, err := w.Create(pairs[i])
		if err != nil {
			t.Fatal(err)
		}
		_, _ = f.Write([]byte(pairs[i+1]))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const uploadContract = `
outcomes:
  - {id: package, observe_for: 1m, artifact: {upload: "dist-*", files: "**/*.whl", made_by: build}, validators: [content: {text: wheel}]}
  - {id: again, artifact: {of: package}, validators: [content: {text: wheel}]}
  - {id: notes, artifact: {upload: "dist-*", files: "notes.txt", made_by: build}, validators: [content: {text: note}]}`

func TestObserveUpload(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 3, 4, 7, 0, 0, 0, time.UTC)
	s := &served{now: start.Add(10 * time.Second)}
	f := s.facts(start)
	looks := 0
	ended := start.Add(9 * time.Second)
	f.Uploads = func(_ context.Context, up Upload) Uploads {
		looks++
		if up != (Upload{Name: "dist-*", MadeBy: "build"}) {
			t.Errorf("asked for %+v", up)
		}
		return Uploads{Ended: ended, Producer: "success", Parts: []Uploaded{
			{Name: "dist-linux", CreatedAt: start.Add(5 * time.Second), Boundary: start, BoundarySource: "its job", Archive: zipOf(t, "pkg/a.whl", "a wheel", "notes.txt", "a note")},
			{Name: "dist-mac", Code: evidence.CodeUploadExpired, Detail: "gone"},
			{Name: "dist-win", Archive: zipOf(t, "../b.whl", "wheel")},
		}}
	}
	obs := Observe(context.Background(), open(t, t.TempDir(), Limits{}), parse(t, uploadContract), f)
	if looks != 1 || s.paused != 0 {
		t.Errorf("%d looks, waited %s", looks, s.paused)
	}
	for i, want := range []string{"dist-linux/pkg/a.whl", "dist-linux/pkg/a.whl", "dist-linux/notes.txt"} {
		set := obs[i].Artifact
		if set.Tier != "service" || set.Total != 3 || set.WindowFrom == nil || !set.WindowFrom.Equal(ended) || !set.ObservedAt.Equal(s.now) {
			t.Fatalf("%s: %+v", obs[i].ID, set)
		}
		one, gone, bad := set.Files[0], set.Files[1], set.Files[2]
		if one.Name != want || one.Problem != "" || one.SHA256 == "" || !one.Boundary.Equal(start) || !one.ModifiedAt.Equal(start.Add(5*time.Second)) || one.Git.Tracked {
			t.Errorf("%s: %+v", obs[i].ID, one)
		}
		if gone.Name != "dist-mac" || gone.Problem != evidence.CodeUploadExpired || bad.Name != "dist-win" || bad.Problem != evidence.CodeUploadArchive {
			t.Errorf("%s: %+v, %+v", obs[i].ID, gone, bad)
		}
	}
	if p := obs[0].Producer; p == nil || p.Source != "api" || p.Outcome != "success" {
		t.Errorf("producer %+v", p)
	}
}

func TestObserveUploadAgain(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 3, 4, 7, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name  string
		code  string
		at    time.Duration
		ended time.Duration // 0: not known
		there int           // at which look
		looks int
		end   time.Duration
	}{
		{"there at once", evidence.CodeUploadMissing, 10 * time.Second, 0, 1, 1, 10 * time.Second},
		{"there at the third look", evidence.CodeUploadRunning, 10 * time.Second, 0, 3, 3, 20 * time.Second},
		{"never there", evidence.CodeUploadMissing, 48 * time.Second, 0, 99, 4, 60 * time.Second},
		{"counted from its job's end", evidence.CodeUploadMissing, 90 * time.Second, 40 * time.Second, 99, 3, 100 * time.Second},
		{"over", evidence.CodeUploadMissing, 61 * time.Second, 0, 2, 1, 61 * time.Second},
		{"what does not change", evidence.CodeArtifactUnlisted, 10 * time.Second, 0, 2, 1, 10 * time.Second},
	} {
		s := &served{now: start.Add(c.at)}
		f := s.facts(start)
		looks := 0
		f.Uploads = func(context.Context, Upload) Uploads {
			looks++
			u := Uploads{Code: c.code, Detail: "no"}
			if c.ended > 0 {
				u.Ended = start.Add(c.ended)
			}
			if looks >= c.there {
				u.Code = ""
				u.Parts = []Uploaded{{Name: "dist-a", CreatedAt: start, Boundary: start, Archive: zipOf(t, "a.whl", "wheel")}}
			}
			return u
		}
		obs := Observe(context.Background(), open(t, t.TempDir(), Limits{}), parse(t, uploadContract), f)
		set := obs[0].Artifact
		if looks != c.looks || !set.ObservedAt.Equal(start.Add(c.end)) || (set.Problem == "") != (looks >= c.there) {
			t.Errorf("%s: %d looks, %+v", c.name, looks, set)
		}
	}
}
