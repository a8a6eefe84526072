package stage

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/action"
	"github.com/outcome-gate/outcome-gate/internal/github"
	"github.com/outcome-gate/outcome-gate/internal/publish"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/render"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

// local are the surfaces that need no network, in the order in which they are written. The receipt is the first.
func (j *judgement) local() ([]publish.Sink, error) {
	name := j.in.ReceiptPath
	if name == "" {
		name = receiptName
	}
	path, err := inside(name, j.c.Temp)
	if err != nil {
		return nil, &action.InputError{Name: "receipt-path", Problem: "a path inside the runner's temporary folder is needed"}
	}
	// Later steps see the folder under another path than this container does.
	if name, err = filepath.Rel(j.c.Temp, path); err != nil {
		return nil, err
	}
	return []publish.Sink{
		{Publisher: publish.File{Path: path}, Setting: action.Required},
		{Publisher: publish.Summary{Runner: j.runner}, Setting: action.Auto},
		{Publisher: publish.Outputs{Runner: j.runner, ReceiptPath: filepath.ToSlash(name)}, Setting: action.Required},
	}, nil
}

// publish writes every surface, local ones first, and gives the exit code.
func (j *judgement) publish(ctx context.Context, r *receipt.Receipt) int {
	sinks, err := j.local()
	if err != nil {
		return j.fail(errors.Join(err, j.cancel(ctx)))
	}
	done := publish.All(ctx, r, sinks[:1])
	if sinks, err = j.unwritten(r, done, sinks[1:]); err != nil {
		return j.fail(errors.Join(err, j.cancel(ctx)))
	}
	j.say(r)
	order := &publish.Order{Client: j.client, Runs: fmt.Sprintf("%s/%s/actions/runs/", strings.TrimRight(j.c.ServerURL, "/"), j.c.Repository)}
	status := &publish.Status{Client: j.client, Self: j.self, Order: order}
	comment := &publish.Comment{
		Client: j.client, Label: j.in.CheckName, Self: j.self, Order: order,
		Conversation: publish.Conversation{Now: j.run.Comments, Sticky: j.run.Sticky},
	}
	if n := j.run.Owner(); n > 0 {
		j.runner.Notice(fmt.Sprintf("gate: the commit is the head of pull request %d, whose own runs speak for it: this one sets no status", n))
	}
	bounded, stop := context.WithDeadline(ctx, j.o.Clock().Add(posting))
	defer stop()
	done = append(done, publish.All(bounded, r, append(sinks,
		publish.Sink{Publisher: status, Setting: j.own(j.in.Status, false)},
		publish.Sink{Publisher: j.check, Setting: j.own(j.in.CheckRun, j.check.ID != 0)},
		publish.Sink{Publisher: comment, Setting: j.in.Comment},
	))...)
	if err := publish.URLs(j.runner, j.check, comment); err != nil {
		j.runner.Notice("gate: " + err.Error())
	}
	if ctx.Err() != nil && done.Err() != nil {
		return j.interrupted(ctx, nil) // the receipt is written
	}
	if j.check.Completed {
		j.remember(0)
	}
	return j.exit(r, done, status.Posted)
}

// unwritten makes a receipt that could not be written one of a run that could not look: without a record there is no
// verdict, on no surface. It gives the surfaces that follow; their outputs name no receipt then.
func (j *judgement) unwritten(r *receipt.Receipt, done publish.Outcomes, rest []publish.Sink) ([]publish.Sink, error) {
	if done.Err() == nil {
		return rest, nil
	}
	r.Scope.Look = "write the receipt: it could not be written, and without it there is no verdict"
	for i := range rest {
		if o, ok := rest[i].Publisher.(publish.Outputs); ok {
			o.ReceiptPath = ""
			rest[i].Publisher = o
		}
	}
	return rest, r.Complete()
}

// own is the setting of a surface that belongs to the commit: off where that is the head of a pull request that this
// run does not judge, unless it was begun before that was known.
func (j *judgement) own(setting action.Surface, begun bool) action.Surface {
	if j.run.Owner() > 0 && !begun {
		return action.Off
	}
	return setting
}

// exit is the exit code: the receipt's, but for a surface that the workflow requires and that was not written.
func (j *judgement) exit(r *receipt.Receipt, done publish.Outcomes, posted bool) int {
	for _, s := range done {
		switch {
		case errors.Is(s.Err, publish.ErrOlder):
			j.runner.Notice("gate: publish: " + s.Err.Error())
		case s.Err != nil:
			j.runner.Notice(fmt.Sprintf("gate: publish: failed: %v%s", s.Err, permissionHint(s)))
		}
	}
	code := verdict.ExitCode(verdict.Decision{Result: r.Result, Reason: r.Reason}, r.Scope.Mode)
	switch {
	case done.RequiredFailed():
		j.runner.Error("gate: a surface that the workflow requires could not be written; the verdict itself is " + render.Title(r))
		return verdict.ExitCannotLook
	case code == verdict.ExitWait && j.in.WaitExitZero && posted:
		return verdict.ExitPass
	}
	return code
}

// permissionHint names the line that lets the token write a surface.
func permissionHint(s publish.Outcome) string {
	var e *github.StatusError
	if !errors.As(s.Err, &e) || e.Status != 403 && e.Status != 404 {
		return ""
	}
	permission := map[string]string{"check run": "checks", "commit status": "statuses", "comment": "pull-requests"}[s.Name]
	if permission == "" {
		return ""
	}
	return ". The token may not write it: add `" + permission + ": write` to the workflow's permissions, which pull requests of forks never get"
}

// say writes the verdict into the log.
func (j *judgement) say(r *receipt.Receipt) {
	j.runner.Print([]string{render.Title(r)})
	j.runner.Group("Outcome Gate in detail", strings.Split(strings.TrimRight(render.Text(r, false), "\n"), "\n"))
	if left := j.runner.Annotate(publish.Annotations(r)); left > 0 {
		j.runner.Print([]string{fmt.Sprintf("%d further annotations are in the summary", left)})
	}
	j.runner.Print([]string{fmt.Sprintf("%d API requests until here", j.client.Requests())})
}
