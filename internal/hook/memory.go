package hook

import (
	"encoding/json"
	"fmt"
)

// Limits of how often one session is held back. A runtime has its own limit, of eight in a row where it is documented;
// ours comes first, so that it is said that the contract is not met.
const (
	DefaultBlocks = 3
	MaxBlocks     = 8
	maxTotal      = 40 // whatever changes in between
)

// MaxMemory is the largest memory that is read, in bytes.
const MaxMemory = 16 << 10

// Memory is what is kept of one session between its events.
type Memory struct {
	Row    int  `json:"row"`   // how often it was held back since it was last let go
	Total  int  `json:"total"` // and in all
	GaveUp bool `json:"gave_up,omitempty"`
	// Key is of everything that the last judgement saw; "" if that cannot be known. Feedback is what came of it.
	Key      string `json:"key,omitempty"`
	Feedback string `json:"feedback,omitempty"`
}

// ParseMemory reads a memory. What cannot be read is an error: whoever counts anew from it must not hold anybody back
// without an end.
func ParseMemory(data []byte) (Memory, error) {
	var m Memory
	if len(data) > MaxMemory {
		return m, fmt.Errorf("it is over the limit of %d bytes", MaxMemory)
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return Memory{}, fmt.Errorf("it is no memory of the hook: %w", err)
	}
	if m.Row < 0 || m.Total < m.Row {
		return Memory{}, fmt.Errorf("it counts %d of %d", m.Row, m.Total)
	}
	return m, nil
}

// Bytes is the memory as ParseMemory reads it.
func (m Memory) Bytes() []byte {
	data, err := json.Marshal(m)
	if err != nil {
		panic(err) // numbers and texts can be written
	}
	return append(data, '\n')
}

// Known is the feedback of the last judgement, if it was one that holds the agent back and nothing that it saw changed. A
// memory never says that the contract is met: the agent can write it.
func (m *Memory) Known(key string) (feedback string, ok bool) {
	return m.Feedback, key != "" && key == m.Key && m.Feedback != ""
}

// Release forgets what happened in a row: the agent was let go for a reason other than the limit.
func (m *Memory) Release() { *m = Memory{Total: m.Total} }

// Hold counts one more time that the agent is to be held back, at most limit times in a row, and says whether it is. After
// the limit it is let go for good, until it wants to stop in a new turn (not continued) with something changed.
func (m *Memory) Hold(limit int, continued bool, key, feedback string) bool {
	if m.GaveUp && !continued && (key == "" || key != m.Key) {
		m.Row, m.GaveUp = 0, false
	}
	m.Key, m.Feedback = key, feedback
	if m.GaveUp || m.Row >= limit || m.Total >= maxTotal {
		m.GaveUp = true
		return false
	}
	m.Row++
	m.Total++
	return true
}
