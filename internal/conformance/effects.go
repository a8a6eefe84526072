package conformance

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/receipt"
)

// minContent is the shortest content of a file outside the workspace that is searched for in a receipt: shorter
// ones occur by chance.
const minContent = 8

// sideEffects holds the receipt to what a scenario's must_not says. The gate that is run here has nothing to
// post with, so that sentences about posting hold by construction. The text says what was done nonetheless.
func (s *Scenario) sideEffects(r *receipt.Receipt) string {
	text, err := r.Bytes()
	if err != nil {
		return err.Error()
	}
	for _, rule := range s.Expected.MustNot {
		if path := regexp.MustCompile(`content of (/\S+)`).FindStringSubmatch(rule); path != nil {
			if leak := leaked(path[1], string(text)); leak != "" {
				return leak
			}
		}
		if m := regexp.MustCompile(`^say (\w+) for (\S+)$`).FindStringSubmatch(rule); m != nil {
			for i := range r.Outcomes {
				if r.Outcomes[i].ID == m[2] && string(r.Outcomes[i].State) == m[1] {
					return fmt.Sprintf("%s is %s", m[2], m[1])
				}
			}
		}
	}
	for _, target := range s.Links {
		if filepath.IsAbs(target) {
			if leak := leaked(target, string(text)); leak != "" {
				return leak
			}
		}
	}
	return ""
}

// leaked says whether a text holds the digest or the content of a file of this machine.
func leaked(path, text string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return "" // what is not there cannot leak
	}
	sum := sha256.Sum256(data)
	if strings.Contains(text, hex.EncodeToString(sum[:])) {
		return "the receipt holds the digest of " + path
	}
	if content := strings.TrimSpace(string(data)); len(content) >= minContent && strings.Contains(text, content) {
		return "the receipt holds the content of " + path
	}
	return ""
}
