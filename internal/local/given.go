package local

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/scope"
)

// payload is what is used of a pull_request event. Members that must be there are pointers, so that an absent
// one is seen.
type payload struct {
	PullRequest *pull `json:"pull_request"`
	Repository  *struct {
		FullName      string  `json:"full_name"`
		DefaultBranch *string `json:"default_branch"`
	} `json:"repository"`
}

type pull struct {
	Number *int    `json:"number"`
	Title  *string `json:"title"`
	Body   *string `json:"body"` // null: none
	Draft  bool    `json:"draft"`
	User   *struct {
		Login *string `json:"login"`
		Type  *string `json:"type"`
	} `json:"user"`
	Labels []struct {
		Name *string `json:"name"`
	} `json:"labels"`
	Head *side `json:"head"`
	Base *side `json:"base"`
}

type side struct {
	Ref *string `json:"ref"`
	SHA *string `json:"sha"`
}

// event is a parsed pull_request event.
type event struct {
	number           int
	repository       string
	defaultBranch    string
	author           scope.Account
	title, body      string
	draft            bool
	labels           []string
	headRef, headSHA string
	baseRef, baseSHA string
}

// parseEvent reads the payload of a pull_request event (GitHub: webhook events and payloads).
func parseEvent(data []byte) (*event, error) {
	var p payload
	if err := decodeOne(data, &p); err != nil {
		return nil, err
	}
	switch {
	case p.PullRequest == nil:
		return nil, errors.New("it has no member pull_request: it is no pull_request event")
	case p.Repository == nil || p.Repository.DefaultBranch == nil || *p.Repository.DefaultBranch == "":
		return nil, errors.New("it has no member repository.default_branch")
	}
	pr := p.PullRequest
	switch {
	case pr.Number == nil || *pr.Number < 1:
		return nil, errors.New("pull_request.number is not a positive number")
	case pr.Title == nil:
		return nil, errors.New("it has no member pull_request.title")
	case pr.User == nil || pr.User.Login == nil || *pr.User.Login == "" || pr.User.Type == nil:
		return nil, errors.New("it has no member pull_request.user with login and type")
	}
	e := &event{
		number: *pr.Number, repository: p.Repository.FullName, defaultBranch: *p.Repository.DefaultBranch,
		author: scope.Account{Login: *pr.User.Login, Type: *pr.User.Type},
		title:  *pr.Title, draft: pr.Draft,
	}
	if pr.Body != nil {
		e.body = *pr.Body
	}
	for i, l := range pr.Labels {
		if l.Name == nil {
			return nil, fmt.Errorf("pull_request.labels[%d] has no name", i)
		}
		e.labels = append(e.labels, *l.Name)
	}
	var err error
	if e.headRef, e.headSHA, err = pr.Head.read("head"); err != nil {
		return nil, err
	}
	if e.baseRef, e.baseSHA, err = pr.Base.read("base"); err != nil {
		return nil, err
	}
	return e, nil
}

func (s *side) read(name string) (ref, sha string, err error) {
	if s == nil || s.Ref == nil || *s.Ref == "" || s.SHA == nil {
		return "", "", fmt.Errorf("it has no member pull_request.%s with ref and sha", name)
	}
	if !isCommit(*s.SHA) {
		return "", "", fmt.Errorf("pull_request.%s.sha is not a commit name", name)
	}
	return *s.Ref, *s.SHA, nil
}

// isCommit says whether s is a full object name: 40 lower-case hex digits.
func isCommit(s string) bool { return len(s) == 40 && strings.Trim(s, "0123456789abcdef") == "" }

// decodeOne decodes exactly one JSON value.
func decodeOne(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(v); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return errors.New("it ends before its JSON value does")
		}
		return fmt.Errorf("it is not the JSON that is expected: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows its JSON value")
	}
	return nil
}

// parseChecks reads a list of check runs and commit statuses in the form of evidence.Check.
func parseChecks(data []byte) ([]evidence.Check, error) {
	var out []evidence.Check
	if err := decodeOne(data, &out); err != nil {
		return nil, err
	}
	for i, c := range out {
		if c.Name == "" || !isCommit(c.HeadSHA) {
			return nil, fmt.Errorf("check %d has no name or no full head_sha", i)
		}
	}
	return out, nil
}
