package github

import (
	"context"
	"crypto/x509"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/fakegithub"
)

// stored lets artifacts of the world be downloaded over TLS, from another host than the API's.
func stored(s *stage) *httptest.Server {
	s.t.Helper()
	storage := httptest.NewTLSServer(s.world.StorageHandler())
	s.t.Cleanup(storage.Close)
	s.world.Storage(storage.URL)
	roots := x509.NewCertPool()
	roots.AddCert(storage.Certificate())
	c, err := New(Options{
		BaseURL: s.url, Token: jobToken, Repository: repository, UserAgent: "outcome-gate/test", Roots: roots,
		Clock: Clock{Now: s.clock.now, Sleep: s.clock.sleep},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.Client = c
	return storage
}

func TestArtifacts(t *testing.T) {
	s := play(t)
	at := time.Unix(1772356000, 0).UTC()
	s.change(func(r *fakegithub.Repository) {
		for i := range 150 {
			r.Runs[0].Artifacts = append(r.Runs[0].Artifacts, &fakegithub.Artifact{ID: int64(100 + i), Name: "shard", Size: 5, CreatedAt: at})
		}
	})
	all, err := s.Artifacts(t.Context(), 900, "")
	if err != nil || len(all.Items) != 151 || all.Cut {
		t.Fatalf("%d, %v", len(all.Items), err)
	}
	one, err := s.Artifacts(t.Context(), 900, "results")
	if err != nil || len(one.Items) != 1 {
		t.Fatalf("%+v, %v", one, err)
	}
	want := Artifact{ID: 61, Name: "results", SizeBytes: 3, SHA256: strings.Repeat("0a", 32), CreatedAt: time.Unix(1772355900, 0).UTC(), RunID: 900, HeadSHA: s.head}
	if one.Items[0] != want {
		t.Errorf("got %+v", one.Items[0])
	}
	for _, bad := range []string{
		`{"artifacts":[]}`, `{"total_count":0,"artifacts":null}`, `{"total_count":1,"artifacts":[null]}`,
		`{"total_count":1,"artifacts":[{"id":1,"name":"a/b","expired":false,"created_at":"2026-03-01T10:19:00Z"}]}`,
		`{"total_count":1,"artifacts":[{"id":1,"name":"a","created_at":"2026-03-01T10:19:00Z"}]}`,
		`{"total_count":1,"artifacts":[{"id":1,"name":"a","expired":false}]}`,
		`{"total_count":1,"artifacts":[{"id":1,"name":"a","expired":false,"created_at":"2026-03-01T10:19:00Z","digest":"md5:00"}]}`,
	} {
		s.fault(fakegithub.Fault{Match: "artifacts", Status: 200, Body: bad})
		if got, err := s.Artifacts(t.Context(), 900, ""); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %+v, %v", bad, got, err)
		}
	}
	s.fault(fakegithub.Fault{Match: "artifacts", Status: 200, Body: `{"total_count":2,"artifacts":[{"id":1,"name":"a","expired":true,"created_at":"2026-03-01T10:19:00Z"}]}`})
	if got, err := s.Artifacts(t.Context(), 900, ""); err != nil || !got.Cut || !got.Items[0].Expired || got.Items[0].SHA256 != "" || got.Items[0].RunID != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestArtifactZip holds that an archive comes from its host whole and bounded, and that the token never goes there: the
// storage of the world takes a credential for a violation, which ends the test.
func TestArtifactZip(t *testing.T) {
	s := play(t)
	stored(s)
	if got, err := s.ArtifactZip(t.Context(), 61, 3); err != nil || string(got) != "zip" || s.Requests() != 2 {
		t.Fatalf("%q, %v, %d requests", got, err, s.Requests())
	}
	if _, err := s.ArtifactZip(t.Context(), 61, 2); !errors.Is(err, ErrTooLarge) {
		t.Errorf("over the limit: %v", err)
	}
	if _, err := s.ArtifactZip(t.Context(), 62, 3); !IsStatus(err, http.StatusNotFound) {
		t.Errorf("no such artifact: %v", err)
	}
	s.fault(fakegithub.Fault{Match: "^STORAGE", Status: 503})
	s.fault(fakegithub.Fault{Match: "^STORAGE", Status: 200, Body: "zip", Cut: true})
	if got, err := s.ArtifactZip(t.Context(), 61, 3); err != nil || string(got) != "zip" {
		t.Errorf("after a failure and a cut answer: %q, %v", got, err)
	}
	s.fault(fakegithub.Fault{Match: "^STORAGE", Status: 503, Times: 3})
	if _, err := s.ArtifactZip(t.Context(), 61, 3); err == nil || strings.Contains(err.Error(), "sig=") {
		t.Errorf("always failing: %v", err)
	}
	s.fault(fakegithub.Fault{Match: "^STORAGE", Status: 302, Headers: map[string]string{"Location": "https://elsewhere.example/"}})
	if _, err := s.ArtifactZip(t.Context(), 61, 3); err == nil {
		t.Error("a further redirect was followed")
	}
	s.change(func(r *fakegithub.Repository) { r.Runs[0].Artifacts[0].Expired = true })
	if _, err := s.ArtifactZip(t.Context(), 61, 3); !IsStatus(err, http.StatusGone) {
		t.Errorf("expired: %v", err)
	}
}

func TestArtifactZipStaysOnTLS(t *testing.T) {
	s := play(t)
	stored(s)
	asked := false
	plain := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer plain.Close()
	for _, link := range []string{plain.URL + "/zip", "ftp://files.example/a", "https://me@files.example/a", "/relative", "https://", "%"} {
		s.fault(fakegithub.Fault{Match: "/zip", Status: 302, Headers: map[string]string{"Location": link}})
		if _, err := s.ArtifactZip(t.Context(), 61, 3); !errors.Is(err, ErrMalformed) || asked {
			t.Errorf("%s: %v", link, err)
		}
	}
	s.fault(fakegithub.Fault{Match: "/zip", Status: 200, Body: "{}"})
	if _, err := s.ArtifactZip(t.Context(), 61, 3); !errors.Is(err, ErrMalformed) {
		t.Errorf("no link: %v", err)
	}
	// A certificate that nobody known has signed: the archive could be anybody's.
	other := httptest.NewUnstartedServer(s.world.StorageHandler())
	other.StartTLS()
	defer other.Close()
	s.Client.storage = dialer(x509.NewCertPool())
	s.world.Storage(other.URL)
	if _, err := s.ArtifactZip(t.Context(), 61, 3); err == nil {
		t.Error("an unknown certificate was taken")
	}
	s.Client = s.as(jobToken)
	if _, err := s.ArtifactZip(t.Context(), 61, 3); err == nil || !strings.Contains(err.Error(), "certificate authorities") {
		t.Errorf("without certificates: %v", err)
	}
}

func TestArtifactZipEnds(t *testing.T) {
	s := play(t)
	stored(s)
	s.fault(fakegithub.Fault{Match: "^STORAGE", DelayMS: 20_000, Times: -1})
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	began := time.Now()
	if _, err := s.ArtifactZip(ctx, 61, 3); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 10*time.Second {
		t.Errorf("after %s: %v", time.Since(began), err)
	}
}
