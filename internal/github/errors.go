package github

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"
)

// Errors that a caller may want to tell apart, by errors.Is.
var (
	// ErrTooLarge is an answer or a file over its size limit.
	ErrTooLarge = errors.New("over the size limit")
	// ErrMalformed is an answer that is not what the API promises.
	ErrMalformed = errors.New("the answer is not what the API promises")
	// ErrNoFile is a path that a commit does not have. It is never what an answer of 404 means by itself.
	ErrNoFile = errors.New("no such file at this commit")
	// ErrNotRegular is a path that is a folder, a link or a submodule.
	ErrNotRegular = errors.New("not a regular file")
)

// maxMessage bounds what is kept of an error answer's text, in bytes.
const maxMessage = 300

// StatusError is an answer that was not a success, after all repeats. The text never holds the token.
type StatusError struct {
	Method  string
	Path    string    // without query
	Status  int       // HTTP status; 429 also for a request that was not sent because a limit is known to be used up
	Message string    // what GitHub says, in one line, shortened
	Until   time.Time // when a rate limit ends; zero: it was no limit
}

// Error is the request, the status and GitHub's words.
func (e *StatusError) Error() string {
	s := fmt.Sprintf("%s %s: %d %s", e.Method, e.Path, e.Status, http.StatusText(e.Status))
	if e.Message != "" {
		s += ": " + e.Message
	}
	if !e.Until.IsZero() {
		s += " (rate limit until " + e.Until.UTC().Format(time.RFC3339) + ")"
	}
	return s
}

// Limited reports whether a rate limit is why.
func (e *StatusError) Limited() bool { return !e.Until.IsZero() }

// IsStatus reports whether an error is an answer of this status.
func IsStatus(err error, status int) bool {
	var e *StatusError
	return errors.As(err, &e) && e.Status == status
}

// errorBody is an error answer. The members of errors are objects or texts.
type errorBody struct {
	Message       string            `json:"message"`
	Documentation string            `json:"documentation_url"`
	Errors        []json.RawMessage `json:"errors"`
}

// readError reads an error answer as far as it is one.
func readError(body []byte) errorBody {
	var e errorBody
	if err := json.Unmarshal(body, &e); err != nil {
		return errorBody{} // a page of a proxy: its text is for nobody
	}
	return e
}

// text is the message with the details behind it.
func (e errorBody) text() string {
	parts := []string{e.Message}
	for _, raw := range e.Errors {
		var detail struct{ Field, Code, Message string }
		var word string
		switch {
		case json.Unmarshal(raw, &word) == nil:
			parts = append(parts, word)
		case json.Unmarshal(raw, &detail) != nil:
		case detail.Message != "":
			parts = append(parts, detail.Message)
		case detail.Code != "":
			parts = append(parts, strings.TrimSpace(detail.Field+" "+detail.Code))
		}
	}
	return strings.Join(parts, "; ")
}

// oneLine makes a text fit for an error: printable, short, and without the token.
func oneLine(s, token string) string {
	s = strings.ReplaceAll(s, token, "***")
	s = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > maxMessage {
		s = strings.ToValidUTF8(s[:maxMessage], "") + "…"
	}
	return s
}

// fail words an error by what was being done. What is around a StatusError says the same again with the
// query, and is left out.
func (c *Client) fail(err error, doing string, args ...any) error {
	var status *StatusError
	var u *url.Error
	switch {
	case errors.As(err, &status):
		err = status
	case errors.As(err, &u):
		err = u.Err
	case errors.As(err, new(*json.UnmarshalTypeError)) || errors.As(err, new(*time.ParseError)):
		err = malformed("%w", err)
	}
	if text := err.Error(); strings.Contains(text, c.transport.token) {
		err = errors.New(oneLine(text, c.transport.token))
	}
	return fmt.Errorf(doing+": %w", append(args, err)...)
}

// malformed is an answer that lacks what it must have.
func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrMalformed}, args...)...)
}
