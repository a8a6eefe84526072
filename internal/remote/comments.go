package remote

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/gate"
	"github.com/outcome-gate/outcome-gate/internal/github"
	"github.com/outcome-gate/outcome-gate/internal/render"
	"github.com/outcome-gate/outcome-gate/internal/report"
)

// readComments lists the conversation.
func (r *Run) readComments(ctx context.Context) (err error) {
	asked := r.now().Add(-slack)
	if r.comments, err = r.c.Comments(ctx, r.pull.Number, time.Time{}); err == nil {
		r.commentsAt = asked
	}
	return err
}

// now is GitHub's time, as far as it is known.
func (r *Run) now() time.Time {
	skew, _ := r.c.Skew()
	return r.o.Clock().Add(skew)
}

// serverNow is GitHub's time where the machine's is another: by it a day has passed or not. Zero: they are one.
func (r *Run) serverNow() time.Time {
	skew, known := r.c.Skew()
	if !known || skew.Abs() <= slack {
		return time.Time{}
	}
	return r.now().UTC().Truncate(time.Second)
}

// Comments lists the conversation as it is now: what was listed at the beginning, with everything that was written
// or changed since, in one request.
func (r *Run) Comments(ctx context.Context) (github.List[github.Comment], error) {
	if r.pull == nil {
		return github.List[github.Comment]{}, fmt.Errorf("list comments: there is no pull request")
	}
	late, err := r.c.Comments(ctx, r.pull.Number, r.commentsAt) // all, if nothing was listed before
	if err != nil {
		return r.comments, err
	}
	out := github.List[github.Comment]{Items: slices.Clone(r.comments.Items), Cut: r.comments.Cut || late.Cut}
	at := map[int64]int{}
	for i := range out.Items {
		at[out.Items[i].ID] = i
	}
	for i := range late.Items {
		if have, known := at[late.Items[i].ID]; known {
			out.Items[have] = late.Items[i]
			continue
		}
		out.Items = append(out.Items, late.Items[i])
	}
	return out, nil
}

// Sticky finds the gate's own comment among comments, and what it remembers: the only place that does. It is the
// newest one of the account own, which must be known for certain; anybody can write one that looks like it.
func (r *Run) Sticky(comments []github.Comment, own string) (*github.Comment, render.Memory) {
	written := make([]render.Written, len(comments))
	for i := range comments {
		written[i] = render.Written{Author: account(comments[i].Author).Identity(), Body: comments[i].Body}
	}
	created := time.Time{}
	if r.pull != nil {
		created = r.pull.CreatedAt.Add(-slack) // two clocks
	}
	i, memory := render.Recall(written, render.Search{Own: own, Name: r.o.Inputs.CheckName, From: created, To: r.o.Clock()})
	if i < 0 {
		return nil, memory
	}
	return &comments[i], memory
}

// recall takes from the gate's own comment what it has to remember from one run to the next.
func (r *Run) recall(e *gate.Event) {
	own, memory := r.Sticky(r.comments.Items, r.own)
	if own == nil {
		return
	}
	if memory.HeadSHA == e.Subject.HeadSHA {
		e.FirstSeen = memory.FirstSeen
	}
	e.AskedAbout = memory.Corrections[e.Subject.HeadSHA]
	e.RepairUsed = map[string]bool{}
	for id, at := range memory.Repairs {
		e.RepairUsed[id] = at != e.Subject.HeadSHA
	}
}

// texts gathers the carriers' texts, but for the file's. As long as the gate does not know its own account, no
// comment that looks like its own is a report.
func (r *Run) texts(e *gate.Event) {
	e.Texts = append(e.Texts, report.Text{Carrier: "body", Author: e.Change.Author.Identity(), Body: r.pull.Body})
	for i, m := range r.comments.Items {
		if r.comments.Cut && i == github.OldestComments {
			e.Texts = append(e.Texts, report.Text{
				Carrier: "comment", Author: e.Change.Author.Identity(), Unreadable: "the pull request has more comments than are read, and one of the others may hold a report",
			})
		}
		if r.own == "" && strings.Contains(m.Body, gate.CommentMarker) {
			continue
		}
		e.Texts = append(e.Texts, report.Text{
			Carrier: "comment", Author: account(m.Author).Identity(), At: m.UpdatedAt.UTC().Format(time.RFC3339),
			Ref: strconv.FormatInt(m.ID, 10), Body: m.Body,
		})
	}
	if r.comments.Cut {
		e.Notes = append(e.Notes, fmt.Sprintf("of the pull request's comments the first %d and the last %d are read, and there are more", github.OldestComments, github.NewestComments))
	}
	if r.o.Inputs.Report != "" {
		e.Texts = append(e.Texts, report.Text{Carrier: "input", Body: r.o.Inputs.Report})
	}
}
