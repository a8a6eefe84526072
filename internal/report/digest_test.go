package report

import (
	"regexp"
	"testing"
)

// TestDigest holds that the digest changes with every text that may hold a report, and with nothing else.
func TestDigest(t *testing.T) {
	opts := Options{Authors: []string{"mira/User"}, Gate: "bot/Bot", Marker: "<!-- gate"}
	first := []Text{
		{Carrier: "body", Author: "mira/User", Body: "x"}, {Carrier: "comment", Author: "mira/User", Body: "y", At: "2026-01-01T00:00:00Z", Ref: "1"},
		{Carrier: "comment", Author: "other/User", Body: "z"}, {Carrier: "comment", Author: "bot/Bot", Body: "<!-- gate z"}, {Carrier: "input", Body: "i"},
	}
	was := Digest(first, opts)
	if !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(was) || was != Digest(first, opts) {
		t.Fatalf("%q", was)
	}
	for name, c := range map[string]struct {
		change func([]Text) []Text
		same   bool
	}{
		"the body":                  {func(x []Text) []Text { x[0].Body = "x2"; return x }, false},
		"a comment that counts":     {func(x []Text) []Text { x[1].Body = "y2"; return x }, false},
		"what was handed in":        {func(x []Text) []Text { x[4].Body = ""; return x }, false},
		"a text cannot be read":     {func(x []Text) []Text { x[0].Unreadable = "gone"; return x }, false},
		"one less":                  {func(x []Text) []Text { return x[:4] }, false},
		"words moved between two":   {func(x []Text) []Text { x[0].Body, x[1].Body = "xy", ""; return x }, false},
		"an edit that left it":      {func(x []Text) []Text { x[1].At = "2026-01-02T00:00:00Z"; return x }, true},
		"somebody else's comment":   {func(x []Text) []Text { x[2].Body = "z2"; return x }, true},
		"the gate's own comment":    {func(x []Text) []Text { x[3].Body += "2"; return x }, true},
		"another comment by others": {func(x []Text) []Text { return append(x, x[2]) }, true},
	} {
		if got := Digest(c.change(append([]Text{}, first...)), opts); (got == was) != c.same {
			t.Errorf("%s: the digest is the same: %v", name, got == was)
		}
	}
}
