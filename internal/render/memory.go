package render

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

// Memory is what the gate has to remember from one run to the next. It lies in the block of its own comment.
type Memory struct {
	Name       string            `json:"gate"` // the check's name: several gates keep several comments
	HeadSHA    string            `json:"head_sha"`
	RunID      int64             `json:"run_id"`
	RunAttempt int               `json:"run_attempt"`
	GateRun    int64             `json:"gate_run_id,omitempty"` // the gate's own run, where another one made the evidence
	GateTry    int               `json:"gate_run_attempt,omitempty"`
	FirstSeen  time.Time         `json:"first_seen"`        // when this head was judged first
	Repairs    map[string]string `json:"repairs,omitempty"` // outcome id to the head at which its one repair was offered
	// Corrections are the one correction of each head commit that was asked for: head to the digest of the texts that
	// missed the agreed form.
	Corrections map[string]string `json:"corrections,omitempty"`
}

// Remember is the memory that a comment about r carries on from the one before.
func Remember(r *receipt.Receipt, name string, before Memory) Memory {
	s := &r.Subject
	m := Memory{
		Name: name, HeadSHA: s.HeadSHA, RunID: s.RunID, RunAttempt: s.RunAttempt, GateRun: s.GateRunID, GateTry: s.GateRunAttempt,
		FirstSeen: r.Now, Repairs: map[string]string{}, Corrections: maps.Clone(before.Corrections),
	}
	if before.HeadSHA == m.HeadSHA && !before.FirstSeen.IsZero() {
		m.FirstSeen = before.FirstSeen
	}
	for id, at := range before.Repairs {
		m.Repairs[id] = at
	}
	for i := range r.Outcomes {
		if o := &r.Outcomes[i]; o.Next == verdict.RepairOnce && m.Repairs[o.ID] == "" {
			m.Repairs[o.ID] = m.HeadSHA
		}
	}
	if missed(r) && r.Report.Asked == 0 && m.Corrections[m.HeadSHA] == "" && len(m.Corrections) < maxCorrections {
		if m.Corrections == nil {
			m.Corrections = map[string]string{}
		}
		m.Corrections[m.HeadSHA] = r.Report.Miss
	}
	return m
}

// Quiet is m without the correction that only r would ask for: the comment about r then asks for nothing.
func (m Memory) Quiet(r *receipt.Receipt, before Memory) Memory {
	if before.Corrections[r.Subject.HeadSHA] == "" {
		m.Corrections = maps.Clone(m.Corrections)
		delete(m.Corrections, r.Subject.HeadSHA)
	}
	return m
}

// Written is a comment: its author's "login/type" and its text.
type Written struct{ Author, Body string }

// Search says which comment is looked for, and between which times what it remembers can have happened.
type Search struct {
	Own, Name string    // the gate's own account as "login/type", "" if that is not known, and the check's name
	From, To  time.Time // when the pull request was opened, and now
}

// Recall finds the gate's own comment among those of a pull request, oldest first, and what it remembers: the newest
// one by the very account and of the very name. Its index is -1 if there is none; an account that is not known has
// none. A time outside of the search is left out: nothing can have been seen before there was anything, nor after now.
// A run that was killed can leave an older one beside it, whose memory counts too.
func Recall(comments []Written, s Search) (int, Memory) {
	found, memory := -1, Memory{}
	for i := len(comments) - 1; i >= 0 && s.Own != ""; i-- {
		if comments[i].Author != s.Own {
			continue
		}
		m, ok := ParseComment(comments[i].Body)
		if !ok || m.Name != s.Name {
			continue
		}
		if m.FirstSeen.Before(s.From) || m.FirstSeen.After(s.To) {
			m.FirstSeen = time.Time{}
		}
		if found < 0 {
			found, memory = i, m
			continue
		}
		memory.add(m)
	}
	return found, memory
}

// add takes from an older memory what this one lacks.
func (m *Memory) add(older Memory) {
	if older.HeadSHA == m.HeadSHA && !older.FirstSeen.IsZero() && (m.FirstSeen.IsZero() || older.FirstSeen.Before(m.FirstSeen)) {
		m.FirstSeen = older.FirstSeen
	}
	m.Repairs = union(m.Repairs, older.Repairs, maxRepairs)
	m.Corrections = union(m.Corrections, older.Corrections, maxCorrections)
}

// union is a with what b has besides, up to so many.
func union(a, b map[string]string, most int) map[string]string {
	for _, k := range slices.Sorted(maps.Keys(b)) {
		if _, has := a[k]; !has && len(a) < most {
			if a == nil {
				a = map[string]string{}
			}
			a[k] = b[k]
		}
	}
	return a
}

// Bounds of what is remembered: a contract has fewer outcomes, and whoever did not learn the form in so many commits
// does not learn it by being asked again.
const (
	maxRepairs     = 1000
	maxCorrections = 32
)

// sound drops what no comment of the gate holds.
func (m Memory) sound() (Memory, bool) {
	if !isObject(m.HeadSHA) || m.RunID < 0 || m.RunAttempt < 0 || m.GateRun < 0 || m.GateTry < 0 || len(m.Repairs) > maxRepairs || len(m.Corrections) > maxCorrections {
		return Memory{}, false
	}
	for at, miss := range m.Corrections {
		if !isObject(at) || !isHexOf(miss, 64) {
			return Memory{}, false
		}
	}
	for _, at := range m.Repairs {
		if !isObject(at) {
			return Memory{}, false
		}
	}
	return m, true
}

// isObject reports whether s is git's name of a commit, as the API writes it.
func isObject(s string) bool { return isHexOf(s, 40) }

// isHexOf reports whether s is n lower-case hex digits.
func isHexOf(s string, n int) bool {
	for i := range len(s) {
		if !isHex(s[i]) {
			return false
		}
	}
	return len(s) == n
}

// ParseComment reads the memory out of a comment of the gate. Whoever wrote the comment must be checked first:
// anybody can write one that looks like it.
func ParseComment(body string) (Memory, bool) {
	body = strings.ReplaceAll(body, "\r\n", "\n")
	if !strings.HasPrefix(body, commentMarker) {
		return Memory{}, false
	}
	at := strings.LastIndex(body, blockOpen)
	if at < 0 {
		return Memory{}, false
	}
	text, _, closed := strings.Cut(body[at+len(blockOpen):], blockClose)
	var b block
	if !closed || json.Unmarshal([]byte(text), &b) != nil {
		return Memory{}, false
	}
	return b.Memory.sound()
}
