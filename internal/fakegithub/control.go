package fakegithub

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
)

// maxWorld bounds a world that is loaded over HTTP.
const maxWorld = 256 << 20

// control answers the endpoints that are not GitHub's, by which a test in another process steers the world:
//
//	GET  /__state       {"data": everything, "requests": the log}
//	GET  /__violations  what did not fit the description, a list
//	PUT  /__world       loads a Data, and forgets all else
//	POST /__fault       adds a Fault
//	POST /__push        makes a commit, a Push; answers {"sha": its name}
func (w *World) control(rw http.ResponseWriter, r *http.Request) {
	status, v := http.StatusOK, any(obj{})
	var err error
	switch r.Method + " " + r.URL.Path {
	case "GET /__state":
		w.mu.Lock()
		raw, bad := json.Marshal(obj{"data": w.data, "requests": w.requests})
		w.mu.Unlock()
		v, err = json.RawMessage(raw), bad
	case "GET /__violations":
		list := w.Violations()
		slices.Sort(list)
		v = append([]string{}, list...)
	case "PUT /__world":
		err = w.Read(io.LimitReader(r.Body, maxWorld))
	case "POST /__fault":
		var f Fault
		if err = strict(r.Body, &f); err == nil {
			err = w.Fault(f)
		}
	case "POST /__push":
		var p Push
		if err = strict(r.Body, &p); err == nil {
			var sha string
			sha, err = w.Commit(p.Repository, &p.Commit)
			v = obj{"sha": sha}
		}
	default:
		status, v = http.StatusNotFound, obj{"message": "no such control endpoint"}
	}
	if err != nil {
		status, v = http.StatusBadRequest, obj{"message": err.Error()}
	}
	rw.Header().Set("Content-Type", "application/json; charset=utf-8")
	rw.WriteHeader(status)
	_ = json.NewEncoder(rw).Encode(v) // the client went away
}

// strict reads one JSON value whose every key means something.
func strict(r io.Reader, v any) error {
	d := json.NewDecoder(io.LimitReader(r, maxBody))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("read request: %w", err)
	}
	return nil
}
