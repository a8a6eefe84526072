package fakegithub

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"time"
)

// Fault is something that goes wrong with the requests that match, instead of or before the right answer.
type Fault struct {
	Match   string            `json:"match"`            // expression found in "METHOD /path?query"
	Times   int               `json:"times,omitempty"`  // 0: once; below: always
	Skip    int               `json:"skip,omitempty"`   // how many that match go right before
	Status  int               `json:"status,omitempty"` // 0: the right answer follows
	Headers map[string]string `json:"headers,omitempty"`
	Body    string            `json:"body,omitempty"`
	Pad     int               `json:"pad,omitempty"`      // blanks behind the body, as many
	DelayMS int               `json:"delay_ms,omitempty"` // before anything is answered
	StallMS int               `json:"stall_ms,omitempty"` // halfway through the body
	Cut     bool              `json:"cut,omitempty"`      // the connection ends: halfway through the body (of two bytes at least), or without an answer if there is no status
	Lose    bool              `json:"lose,omitempty"`     // the request is carried out, and the connection ends before the answer
	Push    *Push             `json:"push,omitempty"`     // a commit that is made first
}

// Push is a commit to a repository.
type Push struct {
	Repository string `json:"repository"`
	Commit
}

type fault struct {
	Fault
	match *regexp.Regexp
}

// Fault adds a fault. Faults are tried in the order they were added.
func (w *World) Fault(f Fault) error {
	re, err := regexp.Compile(f.Match)
	if err != nil {
		return fmt.Errorf("fault: %w", err)
	}
	if f.Times == 0 {
		f.Times = 1
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faults = append(w.faults, &fault{f, re})
	return nil
}

// fault is what goes wrong with a request, if anything, and makes its commit.
func (w *World) fault(line string) (*Fault, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := slices.IndexFunc(w.faults, func(f *fault) bool { return f.Times != 0 && f.match.MatchString(line) })
	if i < 0 {
		return nil, nil
	}
	if w.faults[i].Skip > 0 {
		w.faults[i].Skip--
		return nil, nil
	}
	f := w.faults[i]
	if f.Times > 0 {
		f.Times--
	}
	if f.Push != nil {
		r := w.repository(f.Push.Repository)
		if r == nil {
			return nil, fmt.Errorf("fault: there is no repository %q", f.Push.Repository)
		}
		c := f.Push.Commit
		if _, err := w.commit(r, &c); err != nil {
			return nil, fmt.Errorf("fault: %w", err)
		}
	}
	return &f.Fault, nil
}

// play makes the fault happen. It reports whether the request was answered by it.
func (f *Fault) play(rw http.ResponseWriter, r *http.Request) bool {
	pause(r, f.DelayMS)
	if f.Status == 0 {
		if f.Cut {
			panic(http.ErrAbortHandler)
		}
		return false
	}
	body := append([]byte(f.Body), bytes.Repeat([]byte{' '}, f.Pad)...)
	rw.Header().Set("Content-Type", "application/json; charset=utf-8")
	for _, k := range slices.Sorted(maps.Keys(f.Headers)) {
		rw.Header().Set(k, f.Headers[k])
	}
	rw.Header().Set("Content-Length", fmt.Sprint(len(body)))
	if f.Cut {
		rw.WriteHeader(f.Status)
		_, _ = rw.Write(body[:len(body)/2])
		_ = http.NewResponseController(rw).Flush() // else the client would see no answer at all
		panic(http.ErrAbortHandler)
	}
	rw.WriteHeader(f.Status)
	if f.StallMS > 0 {
		_, _ = rw.Write(body[:len(body)/2])
		_ = http.NewResponseController(rw).Flush() // so that the client begins to read
		pause(r, f.StallMS)
		body = body[len(body)/2:]
	}
	_, _ = rw.Write(body)
	return true
}

// pause waits as many milliseconds, and ends the connection where the client does not wait as long.
func pause(r *http.Request, ms int) {
	if ms <= 0 {
		return
	}
	select {
	case <-time.After(time.Duration(ms) * time.Millisecond):
	case <-r.Context().Done():
		panic(http.ErrAbortHandler)
	}
}
