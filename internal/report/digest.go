package report

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// Digest names what the texts that may hold a report say, as 64 lower-case hex digits: whoever asked for a correction
// tells by it whether anybody wrote anew. Neither times nor ids are part of it, nor comments that do not count.
func Digest(texts []Text, opts Options) string {
	type part struct{ Carrier, Author, Body, Unreadable string }
	parts := []part{}
	for _, t := range texts {
		if c, known := carrierOf(t.Carrier); known && c.Newest && !opts.mayReport(t) {
			continue
		}
		parts = append(parts, part{t.Carrier, t.Author, t.Body, t.Unreadable})
	}
	raw, err := json.Marshal(parts)
	if err != nil {
		raw = nil // texts always marshal
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}
