package scope

import "strings"

// Trailer is one `Key: value` line at the end of a commit message.
type Trailer struct{ Key, Value string }

// Email is the address in a value such as `Name <address>`, or the value itself, which may be no address.
func (t Trailer) Email() string {
	end := strings.LastIndexByte(t.Value, '>')
	if end < 0 {
		return strings.TrimSpace(t.Value)
	}
	start := strings.LastIndexByte(t.Value[:end], '<')
	return strings.TrimSpace(t.Value[start+1 : end])
}

const (
	maxMessage  = 64 << 10 // bytes at the end of a commit message that are searched for trailers
	maxTrailers = 200      // of one message; more than any tool writes
	maxValue    = 1024     // bytes of a value; an address has at most 254
)

// ParseTrailers reads the trailers of a commit message, last paragraph first: the lines of its last paragraph
// that have the form of one, and of the paragraphs before it as long as they hold nothing else. Git itself only
// reads the last paragraph; tools that add a sign-off leave an empty line before it. The subject is none.
func ParseTrailers(message string) []Trailer {
	if len(message) > maxMessage {
		message = message[len(message)-maxMessage:]
	}
	message = strings.TrimRight(strings.ReplaceAll(message, "\r\n", "\n"), "\n \t")
	var out []Trailer
	for message != "" && len(out) < maxTrailers {
		head, paragraph := "", message
		if i := strings.LastIndex(message, "\n\n"); i >= 0 {
			head, paragraph = message[:i], message[i+2:]
		}
		first := strings.TrimSpace(head) == ""
		if first {
			_, paragraph, _ = strings.Cut(strings.TrimLeft(paragraph, "\n"), "\n")
		}
		found, pure := paragraphTrailers(paragraph)
		if len(found) == 0 || first && !pure {
			break
		}
		out = append(out, found...)
		if first || !pure {
			break
		}
		message = strings.TrimRight(head, "\n \t")
	}
	return out[:min(len(out), maxTrailers)]
}

// paragraphTrailers are the trailer lines of a paragraph, and whether it holds nothing else.
func paragraphTrailers(paragraph string) (found []Trailer, pure bool) {
	pure = true
	for line := range strings.SplitSeq(paragraph, "\n") {
		if (strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")) && len(found) > 0 { // a value that goes on
			if last := &found[len(found)-1]; len(last.Value) < maxValue {
				last.Value += " " + strings.TrimSpace(line)
			}
			continue
		}
		key, value, ok := strings.Cut(line, ":")
		if ok && isTrailerKey(key) {
			found = append(found, Trailer{Key: key, Value: strings.TrimSpace(value)})
		} else if strings.TrimSpace(line) != "" {
			pure = false
		}
	}
	return found, pure
}

func isTrailerKey(key string) bool {
	for _, r := range key {
		if !(r == '-' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z') {
			return false
		}
	}
	return key != ""
}

func (c Commit) trailers() []Trailer { return append(ParseTrailers(c.Message), c.Trailers...) }

// sameAddress compares an address, or a whole domain written @example.com, by equality but for case.
func sameAddress(want, address string) bool {
	if strings.HasPrefix(want, "@") {
		at := strings.LastIndexByte(address, '@')
		return at > 0 && strings.EqualFold(want, address[at:])
	}
	return want != "" && strings.EqualFold(want, address)
}

// noreplyLogin is the login in an address that the hosting service gives its accounts: ID+LOGIN at a fixed domain.
func noreplyLogin(address string) string {
	name, ok := strings.CutSuffix(strings.ToLower(address), "@users.noreply.github.com")
	if !ok {
		return ""
	}
	id, login, ok := strings.Cut(name, "+")
	if !ok || id == "" || strings.Trim(id, "0123456789") != "" {
		return ""
	}
	return login
}
