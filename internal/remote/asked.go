package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/action"
	"github.com/outcome-gate/outcome-gate/internal/collect"
	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/gate"
	"github.com/outcome-gate/outcome-gate/internal/github"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/report"
)

// Events of a pull request on which the runner has the default branch: nothing that lies in the workspace is the
// change's, and which pull request it is stands in the payload alone.
const (
	issueComment      = "issue_comment"
	pullRequestTarget = "pull_request_target"
)

// recheck is the first line of a comment that asks for another look.
const recheck = "/outcome-gate recheck"

// payload is what is taken from the event's payload: which pull request and which comment to look at. The file can be
// written by earlier steps of the job, so it is a hint and decides nothing: all that is said of either is read live, and
// looking at another pull request gives that one its own verdict, from its own evidence.
type payload struct {
	Action string `json:"action"`
	Number int    `json:"number"`
	Issue  *struct {
		Number int             `json:"number"`
		Pull   json.RawMessage `json:"pull_request"`
	} `json:"issue"`
	Comment *struct {
		ID int64 `json:"id"`
	} `json:"comment"`
}

// maxPayload bounds the payload: one holds a body and a comment of at most 256 KiB each, and some accounts.
const maxPayload = 4 << 20

// readPayload reads the event's payload.
func readPayload(path string) (*payload, error) {
	if path == "" {
		return nil, errors.New("read the event's payload: GITHUB_EVENT_PATH names no file")
	}
	dir, err := collect.Open(filepath.Dir(path))
	if err != nil {
		return nil, fmt.Errorf("read the event's payload: %w", err)
	}
	defer func() { _ = dir.Close() }() // it was only read
	data, err := dir.ReadPlain(filepath.Base(path), maxPayload)
	if err != nil {
		return nil, fmt.Errorf("read the event's payload: %w", err)
	}
	var p payload
	if err := json.Unmarshal(data, &p); err != nil {
		return nil, errors.New("read the event's payload: it is no payload of this event")
	}
	return &p, nil
}

// checkApart holds that an event on which nothing of the change runs says where its evidence is made.
func checkApart(c *action.Context, in *action.Inputs) error {
	if in.EvidenceWorkflow == "" && slices.Contains([]string{issueComment, pullRequestTarget}, c.EventName) {
		return &action.InputError{Name: "evidence-workflow", Problem: "on " + c.EventName + " nothing of the change runs: give the path of the workflow file whose runs make the evidence. Where the gate's own job makes it, re-run that job instead"}
	}
	return nil
}

// targetEvent is a run on a pull request, with the workflow file of the base. It judges what another run made.
func (r *Run) targetEvent(ctx context.Context) (*gate.Event, error) {
	n := r.o.Inputs.PRNumber
	if n == 0 {
		p, err := readPayload(r.o.Context.EventPath)
		if err != nil {
			return nil, err
		}
		n = p.Number
	}
	return r.apartEvent(ctx, n)
}

// commentEvent is a run that a comment asked for, which Idle has found out.
func (r *Run) commentEvent(ctx context.Context) (*gate.Event, error) {
	if r.unasked != nil {
		return nil, r.unasked
	}
	if r.pull == nil {
		return nil, errors.New("nobody found out what the comment asks for")
	}
	return r.apartEvent(ctx, r.pull.Number)
}

// apartEvent judges a pull request by the newest evidence of its head.
func (r *Run) apartEvent(ctx context.Context, number int) (*gate.Event, error) {
	if number <= 0 {
		return nil, errors.New("nothing names the pull request: give its number in the input pr-number")
	}
	e, err := r.subject(ctx, strconv.Itoa(number))
	if err != nil {
		return nil, err
	}
	if err := r.findEvidence(ctx, e); err != nil {
		return nil, err
	}
	r.seen(ctx, e)
	r.trouble = r.fill(ctx, e, "")
	return e, nil
}

// Idle says why this run has nothing to judge, or "" where it has: a comment that asks for nothing. It is asked once,
// before the run is judged; what could not be found out is said when the event is read.
func (r *Run) Idle(ctx context.Context) string {
	if r.o.Context.EventName != issueComment {
		return ""
	}
	why, err := r.asked(ctx)
	r.unasked = err
	return why
}

// asked finds out whether the comment asks for another look.
func (r *Run) asked(ctx context.Context) (idle string, err error) {
	p, err := readPayload(r.o.Context.EventPath)
	switch {
	case err != nil:
		return "", err
	case p.Issue == nil || p.Comment == nil || p.Comment.ID <= 0:
		return "", errors.New("the event's payload names no comment")
	case p.Action != "created" && p.Action != "edited":
		return "a comment that was taken back asks for nothing", nil
	case len(p.Issue.Pull) == 0 || string(p.Issue.Pull) == "null":
		return "the comment is on an issue, and pull requests are judged", nil
	}
	number := r.o.Inputs.PRNumber
	if number == 0 {
		number = p.Issue.Number
	}
	if r.pull, err = r.c.Pull(ctx, number); err != nil {
		return "", err
	}
	if r.pull.State != "open" {
		return fmt.Sprintf("pull request %d is closed", number), nil
	}
	if err := r.readComments(ctx); err != nil {
		return "", err
	}
	for i := range r.comments.Items {
		if m := &r.comments.Items[i]; m.ID == p.Comment.ID {
			return r.asks(ctx, m)
		}
	}
	if r.comments.Cut {
		return "", errors.New("the pull request has more comments than are read, and the one that asks is among the others")
	}
	return fmt.Sprintf("the comment is not one of pull request %d's", number), nil
}

// asks reports whether a comment, as it is now, asks for another look: it holds a report by somebody whose report is
// heard, or the command by somebody who may write to the repository.
func (r *Run) asks(ctx context.Context, m *github.Comment) (idle string, err error) {
	who := account(m.Author)
	first, _, _ := strings.Cut(strings.ReplaceAll(m.Body, "\r\n", "\n"), "\n")
	text := report.Text{Carrier: "comment", Author: who.Identity(), Body: m.Body}
	look := report.Options{Authors: []string{text.Author}, Marker: gate.CommentMarker}
	for _, w := range report.Wrappers() { // which of them the contract knows is found out when it is judged
		look.Wrappers = append(look.Wrappers, w.Name)
	}
	switch {
	case strings.Contains(m.Body, gate.CommentMarker):
		return "the comment is a gate's own", nil
	case strings.TrimSpace(first) == recheck:
		permission, err := r.c.Permission(ctx, m.Author.Login)
		if github.IsStatus(err, http.StatusNotFound) { // the account is gone, or is none that could be asked about
			permission, err = github.PermissionNone, nil
		}
		if err == nil && !permission.Writes() {
			idle = "who asks may not write to the repository"
		}
		return idle, err
	case !report.Read([]report.Text{text}, look).Found:
		return "the comment holds no report, and its first line is not `" + recheck + "`", nil
	case text.Author == account(r.pull.Author).Identity():
		return "", nil
	}
	heard, err := r.commentAuthors(ctx)
	if err == nil && !slices.Contains(heard, text.Author) {
		idle = "who reports is neither the pull request's author nor one of the contract's comment_authors"
	}
	return idle, err
}

// commentAuthors are the accounts besides the author's whose reports the judging contract hears, as "login/type".
func (r *Run) commentAuthors(ctx context.Context) (out []string, err error) {
	r.event = &gate.Event{Subject: receipt.Subject{BaseRef: r.pull.Base.Ref}}
	if r.trusted, err = r.c.BranchHead(ctx, r.pull.Base.Ref); err != nil {
		return nil, err
	}
	s, err := r.readContract(ctx)
	if err != nil {
		return nil, err
	}
	c, _ := contract.Parse(s.Path, s.Data, gate.ContractKinds())
	if c == nil { // then nobody else's report is heard
		return nil, nil
	}
	for _, login := range c.Report.CommentAuthors {
		out = append(out, gate.CommentAuthor(login).Identity())
	}
	return out, nil
}
