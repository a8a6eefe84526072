package github

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	gogithub "github.com/google/go-github/v62/github"
)

const (
	// maxArtifacts bounds the artifacts that are listed of a run: a job can upload 500.
	maxArtifacts = 2000
	// maxArtifactName bounds a name, in bytes. GitHub allows 256 characters.
	maxArtifactName = 1024
	// downloadTime bounds one try to download an artifact, to its last byte.
	downloadTime = 90 * time.Second
	// downloadTries is how often a download is tried, each time from a new link: links end after a minute.
	downloadTries = 3
)

// Artifact is an upload of a workflow run.
type Artifact struct {
	ID        int64
	Name      string
	SizeBytes int64  // of the archive
	Expired   bool   // its bytes are gone
	SHA256    string // of the archive, 64 lower-case hex digits; empty: GitHub does not say
	CreatedAt time.Time
	RunID     int64  // of the run that made it; 0: GitHub does not say
	HeadSHA   string // of that run; empty: GitHub does not say
}

// artifactObject is what is read of an artifact. The library's type has no digest.
type artifactObject struct {
	ID        int64      `json:"id"`
	Name      string     `json:"name"`
	SizeBytes int64      `json:"size_in_bytes"`
	Expired   *bool      `json:"expired"`
	Digest    *string    `json:"digest"`
	CreatedAt *time.Time `json:"created_at"`
	Run       *struct {
		ID      int64  `json:"id"`
		HeadSHA string `json:"head_sha"`
	} `json:"workflow_run"`
}

// Artifacts lists what the jobs of a workflow run uploaded in all its attempts, 2000 at most. A name that is not empty
// is the one that they must have.
func (c *Client) Artifacts(ctx context.Context, run int64, name string) (List[Artifact], error) {
	total := 0
	raw, err := collect(maxArtifacts, func(o gogithub.ListOptions) ([]*artifactObject, *gogithub.Response, error) {
		at := fmt.Sprintf("repos/%s/%s/actions/runs/%d/artifacts?per_page=%d", c.owner, c.name, run, o.PerPage)
		if o.Page > 1 {
			at += fmt.Sprintf("&page=%d", o.Page)
		}
		if name != "" {
			at += "&name=" + url.QueryEscape(name)
		}
		req, err := c.gh.NewRequest(http.MethodGet, at, nil)
		if err != nil {
			return nil, nil, err
		}
		var page struct {
			Total *int              `json:"total_count"`
			Items []*artifactObject `json:"artifacts"`
		}
		res, err := c.gh.Do(ctx, req, &page)
		if err != nil {
			return nil, res, err
		}
		if page.Total == nil {
			return nil, res, malformed("there is no count")
		}
		total = *page.Total
		return page.Items, res, nil
	})
	if err != nil {
		return List[Artifact]{}, c.fail(err, "list artifacts of run %d", run)
	}
	out, err := each(raw, artifact)
	if err != nil {
		return List[Artifact]{}, c.fail(err, "list artifacts of run %d", run)
	}
	out.Cut = out.Cut || len(out.Items) < total
	return out, nil
}

// reDigest is the one form of digest that GitHub gives.
var reDigest = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^sha256:[0-9a-f]{64}$`) })

func artifact(o *artifactObject) (Artifact, error) {
	if o == nil || o.ID <= 0 || o.Name == "" || strings.ContainsAny(o.Name, `/\`) || len(o.Name) > maxArtifactName || o.SizeBytes < 0 || o.Expired == nil || o.CreatedAt == nil || o.CreatedAt.IsZero() {
		return Artifact{}, errors.New("it has no id, name, size or time, or does not say whether it expired")
	}
	out := Artifact{ID: o.ID, Name: o.Name, SizeBytes: o.SizeBytes, Expired: *o.Expired, CreatedAt: o.CreatedAt.UTC()}
	if o.Digest != nil && *o.Digest != "" {
		if !reDigest().MatchString(*o.Digest) {
			return Artifact{}, fmt.Errorf("its digest is %.80q", *o.Digest)
		}
		out.SHA256 = strings.TrimPrefix(*o.Digest, "sha256:")
	}
	if o.Run != nil {
		out.RunID, out.HeadSHA = o.Run.ID, o.Run.HeadSHA
	}
	return out, nil
}

// ArtifactZip downloads an artifact's archive of at most maxBytes bytes. GitHub keeps archives on another host and
// answers with a link there: the link itself lets in, and the token stays here.
func (c *Client) ArtifactZip(ctx context.Context, id, maxBytes int64) ([]byte, error) {
	for try := 1; ; try++ {
		data, again, err := c.artifactZip(ctx, id, maxBytes)
		if err == nil {
			return data, nil
		}
		if wait := backoff(try); again && try < downloadTries && ctx.Err() == nil && c.transport.inTime(ctx, wait) {
			if c.transport.clock.Sleep(ctx, wait) == nil {
				continue
			}
		}
		return nil, c.fail(err, "download artifact %d", id)
	}
}

// artifactZip is one try. It reports whether another one may do better.
func (c *Client) artifactZip(ctx context.Context, id, maxBytes int64) ([]byte, bool, error) {
	req, err := c.gh.NewRequest(http.MethodGet, fmt.Sprintf("repos/%s/%s/actions/artifacts/%d/zip", c.owner, c.name, id), nil)
	if err != nil {
		return nil, false, err
	}
	// Asked below the library, which would follow the link with what belongs to this host.
	res, err := c.transport.RoundTrip(req.WithContext(plan{raw: true}.in(ctx)))
	if err != nil {
		return nil, false, err // it was tried often enough
	}
	if err := res.Body.Close(); err != nil {
		return nil, false, err
	}
	if res.StatusCode != http.StatusFound {
		return nil, false, malformed("status %d and no link to the archive", res.StatusCode)
	}
	link, err := url.Parse(res.Header.Get("Location"))
	if err != nil {
		return nil, false, malformed("the link to the archive is no URL")
	}
	if link.Scheme != "https" || link.Host == "" || link.User != nil {
		return nil, false, malformed("the link to the archive, at %.200q, is not https", link.Host)
	}
	if c.storage == nil {
		return nil, false, errors.New("no certificate authorities were given for the archive's host")
	}
	return c.fromStorage(ctx, link, maxBytes)
}

// fromStorage reads what lies at a link. Its words never hold the link, which lets in whoever has it.
func (c *Client) fromStorage(ctx context.Context, link *url.URL, maxBytes int64) ([]byte, bool, error) {
	ctx, cancel := context.WithTimeout(ctx, downloadTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, link.String(), nil)
	if err != nil {
		return nil, false, malformed("the link to the archive is no URL")
	}
	req.Header.Set("User-Agent", c.transport.agent)
	c.transport.mu.Lock()
	c.transport.requests++
	c.transport.mu.Unlock()
	res, err := c.storage.RoundTrip(req)
	if err != nil {
		return nil, !errors.As(err, new(*tls.CertificateVerificationError)), fmt.Errorf("the archive's host %.200q gives no answer: %w", link.Host, err)
	}
	defer func() { _ = res.Body.Close() }() // it was only read
	switch {
	case res.StatusCode != http.StatusOK:
		return nil, res.StatusCode >= 500 || res.StatusCode == http.StatusTooManyRequests, fmt.Errorf("the archive's host %.200q answers with status %d", link.Host, res.StatusCode)
	case res.ContentLength > maxBytes:
		return nil, false, fmt.Errorf("the archive has %d bytes, over %d: %w", res.ContentLength, maxBytes, ErrTooLarge)
	}
	data, err := io.ReadAll(io.LimitReader(res.Body, maxBytes+1))
	switch {
	case err != nil:
		return nil, true, fmt.Errorf("read the archive: %w", err)
	case int64(len(data)) > maxBytes:
		return nil, false, fmt.Errorf("the archive has more than %d bytes: %w", maxBytes, ErrTooLarge)
	}
	return data, false, nil
}
