package fakegithub

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// downloadArtifact leads to where an artifact's bytes lie, which is another host and needs no token.
func downloadArtifact(c *call) answer {
	if c.args["archive_format"] != "zip" {
		return notFound()
	}
	for _, run := range c.repo.Runs {
		for _, a := range run.Artifacts {
			if a.ID != c.int("artifact_id") {
				continue
			}
			if a.Expired {
				return refuse(http.StatusGone, "Artifact has expired")
			}
			c.header.Set("Location", fmt.Sprintf("%s/artifacts/%d?sig=%s", c.storage, a.ID, signature))
			return answer{status: http.StatusFound, kind: "text/plain"}
		}
	}
	return notFound()
}

// signature is what lets a request for an artifact's bytes in.
const signature = "signed"

// Storage says at which address the handler that StorageHandler gives is served: artifacts lie there.
func (w *World) Storage(url string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.storage = url
}

// StorageHandler serves artifacts' bytes. A token that comes along is a violation: whoever runs the storage would
// have it.
func (w *World) StorageHandler() http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		f, err := w.fault("STORAGE " + r.URL.Path)
		if err != nil || r.Header.Get("Authorization") != "" || r.Header.Get("Cookie") != "" {
			w.violate("storage %s: credentials came along, or %v", r.URL.Path, err)
		}
		if f != nil && f.play(rw, r) {
			return
		}
		id, err := strconv.ParseInt(strings.TrimPrefix(r.URL.Path, "/artifacts/"), 10, 64)
		if data := w.stored(id); err == nil && data != nil && r.URL.Query().Get("sig") == signature {
			rw.Header().Set("Content-Type", "application/zip")
			_, _ = rw.Write(data)
			return
		}
		rw.WriteHeader(http.StatusForbidden)
	})
}

func (w *World) stored(id int64) []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, repo := range w.data.Repositories {
		for _, run := range repo.Runs {
			for _, a := range run.Artifacts {
				if a.ID == id {
					return a.Zip
				}
			}
		}
	}
	return nil
}
