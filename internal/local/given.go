package local

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/collect"
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

// payloadShape names the members of payload: others are not looked at, and none is taken for another.
func payloadShape() collect.Shape {
	side := collect.Shape{"ref": nil, "sha": nil}
	return collect.Shape{
		"pull_request": {
			"number": nil, "title": nil, "body": nil, "draft": nil, "user": {"login": nil, "type": nil},
			"labels": {"name": nil}, "head": side, "base": side,
		},
		"repository": {"full_name": nil, "default_branch": nil},
	}
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
	members, err := collect.Exact(data, payloadShape())
	if err != nil {
		return nil, err
	}
	var p payload
	if err := json.Unmarshal(members, &p); err != nil {
		return nil, fmt.Errorf("it is no pull_request event: %w", err)
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
