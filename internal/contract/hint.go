package contract

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// maxHinted bounds, in characters, the text that a hint writes anew.
const maxHinted = 64

// valueHint is what to write in place of a text of the wrong form: the text itself in the right form, where one
// reading of it is likely, else how to come by the value.
func valueHint(ptr, text string, rule *node) string {
	if len(text) > maxHinted {
		text = ""
	}
	key := ptr[strings.LastIndexByte(ptr, '/')+1:]
	switch {
	case rule.get("x-type").str() == "date":
		if day := asDate(text); day != "" {
			return "Write " + day + "."
		}
		return "Write year-month-day, such as 2026-12-31."
	case rule.get("x-type").str() == "duration", key == "timeout":
		if d := asDuration(text); d != "" {
			return "Write " + d + "."
		}
		return "Write hours, minutes and seconds, such as 1h30m; a day is 24h."
	case key == "sha256":
		return "Write what `sha256sum FILE` prints, in quotes."
	case key == "hmac_sha256":
		return "Write what `openssl dgst -sha256 -hmac KEY FILE` prints, in quotes."
	case key == "id" && strings.HasPrefix(ptr, "/outcomes/") && strings.Count(ptr, "/") == 3:
		if id := asID(text); id != "" {
			return "Write " + id + "."
		}
	}
	return ""
}

// asDate reads a day that is written in another order, where no other reading of it is a day too.
func asDate(text string) string {
	for _, layout := range []string{"2.1.2006", "2006/1/2", "2006.1.2", "2006-1-2", "20060102", "2 January 2006", "January 2, 2006"} {
		if day, err := time.Parse(layout, strings.TrimSpace(text)); err == nil {
			return day.Format(time.DateOnly)
		}
	}
	return ""
}

var numberAndUnit = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*([0-9]{1,4})\s*([A-Za-z]+)\s*$`) })

// asDuration reads a number with a unit that the language does not have.
func asDuration(text string) string {
	m := numberAndUnit().FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	n, _ := strconv.Atoi(m[1]) // it is one to four digits
	switch strings.ToLower(m[2]) {
	case "s", "sec", "secs", "second", "seconds":
		return m[1] + "s"
	case "m", "min", "mins", "minute", "minutes":
		return m[1] + "m"
	case "h", "hr", "hrs", "hour", "hours":
		return m[1] + "h"
	case "d", "day", "days":
		return strconv.Itoa(24*n) + "h"
	case "w", "week", "weeks":
		return strconv.Itoa(7*24*n) + "h"
	}
	return ""
}

// asID is the nearest id to a text: small letters, and hyphens in place of what an id may not hold.
func asID(text string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(text) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_', r == '.':
			b.WriteRune(r)
		case !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return strings.Trim(b.String(), "-_.")
}

// argv is a command line as a list in YAML: its words, or, where a shell would do more than split it, a shell that
// is called by name.
func argv(line string) string {
	words := strings.Fields(line)
	if len(words) == 0 || strings.ContainsAny(line, "|&;<>()$`\\\"'*?") || strings.Contains(words[0], "=") {
		words = []string{"sh", "-c", line}
	}
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quote(w)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
