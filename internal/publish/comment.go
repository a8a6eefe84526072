package publish

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/github"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/render"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

// Conversation is the pull request's conversation, as remote.Run reads it.
type Conversation struct {
	// Now lists the comments as they are now.
	Now func(context.Context) (github.List[github.Comment], error)
	// Sticky finds the gate's own comment among them, by its account, and what it remembers; nil if there is none.
	Sticky func(comments []github.Comment, own string) (*github.Comment, render.Memory)
}

// Comment is the sticky comment: one, edited in place, made by this gate only, never older than what it replaces.
type Comment struct {
	Client *github.Client
	Label  string // the check's name: several gates keep several comments
	Self   *Self
	Order  *Order
	Conversation

	URL string // of the comment, once it was written or found as it should be
}

// Name is the surface's name.
func (*Comment) Name() string { return "comment" }

// errCut says why no comment is written where the gate's own may be one that was not listed.
var errCut = errors.New("the pull request has more comments than are read, and the gate's own may be among the others: a second one is not written")

// Publish writes the comment: nothing where the gate does not judge and never commented, nothing where it would
// say the same, nothing over what a later run wrote.
func (c *Comment) Publish(ctx context.Context, r *receipt.Receipt) error {
	if r.Subject.PullRequest == 0 || r.Scope.ReportUnheard {
		return nil // a commit or a merge group has no conversation
	}
	comments, err := c.Now(ctx)
	if err != nil {
		return err
	}
	have, memory := c.Sticky(comments.Items, c.Self.Account)
	switch {
	case have != nil:
		return errors.Join(c.replace(ctx, r, have, memory), c.only(ctx, comments.Items, have.ID))
	case r.Reason == verdict.NotGated:
		return nil
	case c.Order.silent != nil:
		return c.Order.silent
	case comments.Cut:
		return errCut
	}
	if c.Self.Account == "" {
		return c.first(ctx, r, comments.Items)
	}
	made, err := c.Client.CreateComment(ctx, r.Subject.PullRequest, c.body(r, memory))
	if err != nil {
		return err
	}
	c.URL = made.URL
	return nil
}

// first writes a comment while it is not known who the gate is, which the comment itself tells: only then can an
// earlier one of the same account be told. Until then nothing is asked for, so that nobody is called twice.
func (c *Comment) first(ctx context.Context, r *receipt.Receipt, comments []github.Comment) error {
	fresh := render.Remember(r, c.Label, render.Memory{})
	quiet := render.Comment(r, fresh.Quiet(r, render.Memory{}))
	made, err := c.Client.CreateComment(ctx, r.Subject.PullRequest, quiet)
	if err != nil {
		return err
	}
	c.URL = made.URL
	c.Self.Learn(made.Author)
	if have, memory := c.Sticky(comments, c.Self.Account); have != nil {
		return errors.Join(c.replace(ctx, r, have, memory), c.Client.DeleteComment(ctx, made.ID), c.only(ctx, comments, have.ID))
	}
	if body := render.Comment(r, fresh); body != quiet {
		_, err = c.Client.UpdateComment(ctx, made.ID, body)
	}
	return err
}

// maxTwins bounds the comments that one run deletes: a killed run leaves one.
const maxTwins = 10

// only deletes the gate's own comments besides the one: a run that was killed while it did not know yet who the gate is
// left two of them.
func (c *Comment) only(ctx context.Context, comments []github.Comment, keep int64) (err error) {
	rest := slices.DeleteFunc(slices.Clone(comments), func(k github.Comment) bool { return k.ID == keep })
	for range maxTwins {
		twin, _ := c.Sticky(rest, c.Self.Account)
		if twin == nil {
			return err
		}
		id := twin.ID
		if gone := c.Client.DeleteComment(ctx, id); !github.IsStatus(gone, http.StatusNotFound) {
			err = errors.Join(err, gone)
		}
		rest = slices.DeleteFunc(rest, func(k github.Comment) bool { return k.ID == id })
	}
	return err
}

// replace writes the gate's own comment anew.
func (c *Comment) replace(ctx context.Context, r *receipt.Receipt, have *github.Comment, memory render.Memory) error {
	c.URL = have.URL
	if err := c.Order.holds(ctx, r.Subject, turn{runAttempt{memory.RunID, memory.RunAttempt}, runAttempt{memory.GateRun, memory.GateTry}}, memory.HeadSHA); err != nil {
		return err
	}
	body := c.body(r, memory)
	if strings.ReplaceAll(have.Body, "\r\n", "\n") == body {
		return nil
	}
	written, err := c.Client.UpdateComment(ctx, have.ID, body)
	if github.IsStatus(err, http.StatusNotFound) { // somebody deleted it meanwhile
		written, err = c.Client.CreateComment(ctx, r.Subject.PullRequest, body)
	}
	if err != nil {
		return err
	}
	c.URL = written.URL
	return nil
}

func (c *Comment) body(r *receipt.Receipt, memory render.Memory) string {
	return render.Comment(r, render.Remember(r, c.Label, memory))
}
