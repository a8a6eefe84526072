package conformance

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/collect"
	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
	"github.com/outcome-gate/outcome-gate/internal/gate"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/report"
	"github.com/outcome-gate/outcome-gate/internal/scope"
)

// ownAccount is the account by which the gate comments.
const ownAccount = "github-actions[bot]/Bot"

// reportFilePath is where the file carrier lies by default.
const reportFilePath = ".agent/outcome.json"

// clockSlack is how far the runner's clock may be behind the service's, which tells the run's start.
const clockSlack = time.Minute

// maxBlob bounds what is read of one blob of a scenario's repository.
const maxBlob = 64 << 20

// world answers the gate's questions about a scenario from its repository and its records.
type world struct {
	s    *Scenario
	b    *built
	repo *collect.Repo
	ws   *collect.Workspace
	// silent takes the report out: no carrier holds a text, and the contract asks for none.
	silent bool
}

// open opens a built scenario. Close what it gives after use.
func (b *built) open(s *Scenario) (*world, error) {
	repo, err := collect.OpenRepo(b.dir)
	if err != nil {
		return nil, fmt.Errorf("open repository of %s: %w", s.Name, err)
	}
	ws, err := collect.Open(b.dir)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open workspace of %s: %w", s.Name, err), repo.Close())
	}
	return &world{s: s, b: b, repo: repo, ws: ws}, nil
}

func (w *world) close() error { return errors.Join(w.repo.Close(), w.ws.Close()) }

// gate is the world as the gate sees it.
func (w *world) gate() *gate.World {
	s := w.s
	return &gate.World{
		Version: "conformance", Clock: s.Now,
		Event: w.event, Contract: w.contract, Proposed: w.proposed, Reviews: w.reviews,
		BaseBranches: w.baseBranches,
		Head:         func(context.Context) (string, error) { return s.headNow(), nil },
		Workspace:    w.ws, AgentExit: (*int)(s.Run.AgentExit), Only: s.Run.Only,
		Facts: collect.Facts{
			Circumstances: evidence.Circumstances{
				Now: s.Now(), Boundary: s.started().Add(-clockSlack), BoundarySource: "the start of the run attempt", RunStartedAt: s.started(),
				FirstSeen: s.firstSeen(),
			},
			Contexts: w.contexts(),
			Git: collect.Git{
				Trees:   w.trees,
				Blob:    func(ctx context.Context, sha string) ([]byte, error) { return w.repo.Blob(ctx, sha, maxBlob) },
				Changed: collect.Changed{Known: true, Files: w.changed()},
				Lines: func(ctx context.Context, wanted func(string) bool) (evidence.ChangedLines, error) {
					return w.repo.ChangedLines(ctx, w.b.base, w.b.head, wanted)
				},
			},
			Look: w.look, Uploads: w.uploads, Now: s.Now,
			Checks:       w.checks,
			TrustedFile:  w.trustedFile,
			Approvals:    w.approvals,
			Environments: w.environments,
		},
	}
}

// started is the start of the run attempt.
func (s *Scenario) started() time.Time {
	if t := s.Run.Workflow.StartedAt; !t.IsZero() {
		return t.UTC()
	}
	return s.Files.RunStartedAt.UTC()
}

// firstSeen is when the gate first judged the tested commit.
func (s *Scenario) firstSeen() time.Time {
	if s.Files.FirstSeen == nil {
		return time.Time{}
	}
	return s.at(*s.Files.FirstSeen)
}

// headNow is the pull request's head when the gate looks again.
func (s *Scenario) headNow() string {
	if s.Pull.HeadSHA != "" {
		return s.Pull.HeadSHA
	}
	return s.Tested()
}

func (w *world) event(context.Context) (*gate.Event, error) {
	s, p := w.s, &w.s.Pull
	e := &gate.Event{
		Subject: receipt.Subject{
			Repository: p.BaseRepo, PullRequest: p.Number, BaseRef: p.BaseRef, HeadSHA: s.Tested(), BaseSHA: p.BaseSHA,
			MergeSHA: s.Run.Workflow.MergeSHA, RunID: s.Run.Workflow.RunID, RunAttempt: s.Run.Workflow.RunAttempt,
		},
		Pull: p.Number > 0, Change: w.change(), Texts: w.texts(), Own: ownAccount, DefaultBranch: "main",
		MergeGroup: s.Run.Workflow.Event == "merge_group", OnBranch: s.onBranch(),
	}
	if p.DefaultBranch != "" {
		e.DefaultBranch = p.DefaultBranch
	}
	for _, c := range p.Commits {
		e.Commits = append(e.Commits, c.SHA)
	}
	for _, other := range p.AlsoOpen {
		if other.HeadSHA == e.Subject.HeadSHA && other.BaseRef != p.BaseRef {
			e.SharedHead = true
		}
	}
	return e, nil
}

// onBranch reports whether the subject is a commit of a branch, without a pull request.
func (s *Scenario) onBranch() bool {
	return s.Pull.Number == 0 && slices.Contains([]string{"push", "schedule"}, s.Run.Workflow.Event)
}

// author is the account of the pull request's author.
func (p *Pull) author() scope.Account {
	if p.AuthorLogin != "" {
		return scope.Account{Login: p.AuthorLogin, Type: p.AuthorType}
	}
	return scope.Account{Login: p.Author, Type: p.AuthorType}
}

func (w *world) change() scope.Change {
	p := &w.s.Pull
	c := scope.Change{Author: p.author(), HeadBranch: p.Branch, Title: p.Title, Body: p.Body, Draft: p.Draft}
	c.FilesCut = w.s.Run.Workflow.Event == "schedule" // what was changed last says nothing of the rest
	for _, l := range p.Labels {
		c.Labels = append(c.Labels, string(l))
	}
	for _, commit := range p.Commits {
		out := scope.Commit{
			AuthorLogin: commit.Author.Login, CommitterLogin: commit.Committer.Login,
			AuthorEmail: commit.Author.Email, CommitterEmail: commit.Committer.Email, Message: commit.Message,
		}
		for _, t := range commit.Trailers {
			key, value, _ := strings.Cut(t, ":")
			out.Trailers = append(out.Trailers, scope.Trailer{Key: key, Value: strings.TrimSpace(value)})
		}
		c.Commits = append(c.Commits, out)
	}
	for _, f := range p.Changed {
		c.Files = append(c.Files, scope.File{Path: f.Name, Previous: f.Previous, Status: f.Status})
	}
	return c
}

// texts are the carriers: the body, and the comments in the order of their creation.
func (w *world) texts() []report.Text {
	if w.silent || w.s.onBranch() {
		return nil
	}
	p := &w.s.Pull
	author := p.author()
	out := []report.Text{{Carrier: "body", Author: author.Identity(), Body: p.Body}}
	for _, c := range p.Comments {
		user := scope.Account{Login: c.User.Login, Type: c.User.Type}
		if user.Login == p.Author && user.Type == author.Type {
			user = author // the service shows one account by two names
		}
		at := c.UpdatedAt
		if at == "" {
			at = c.CreatedAt
		}
		out = append(out, report.Text{Carrier: "comment", Author: user.Identity(), At: at, Ref: strconv.FormatInt(c.ID, 10), Body: c.Body})
	}
	if text, ok := w.reportFile(); ok {
		out = append(out, text)
	}
	return out
}

// reportFile is the report that the agent left as a file of the workspace. A tracked one that the change does not
// touch is somebody else's and is no carrier.
func (w *world) reportFile() (report.Text, bool) {
	f, there := w.s.Files.Files[reportFilePath]
	if !there || f.Git == "tracked" && f.Status == "" {
		return report.Text{}, false
	}
	data, err := os.ReadFile(filepath.Join(w.b.dir, filepath.FromSlash(reportFilePath)))
	if err != nil {
		return report.Text{}, false
	}
	return report.Text{Carrier: "file", Ref: reportFilePath, Body: string(data)}, true
}

func (w *world) contexts() collect.Contexts {
	c := collect.Contexts{
		Steps: map[string]evidence.Step{}, HasSteps: w.s.Run.Steps != nil, Jobs: map[string]evidence.Job{}, HasJobs: w.s.Run.Needs != nil,
		OwnChecks: []string{"Outcome Gate", "outcome-gate/verdict"}, Elsewhere: w.s.Run.Workflow.Apart,
	}
	for id, step := range w.s.Run.Steps {
		if step != nil {
			c.Steps[id] = evidence.Step{Outcome: step.Outcome, Conclusion: step.Conclusion}
		}
	}
	for id, job := range w.s.Run.Needs {
		c.Jobs[id] = evidence.Job{Result: job.Result, Source: "needs"}
	}
	return c
}

func (w *world) changed() []collect.ChangedFile {
	var out []collect.ChangedFile
	for _, f := range w.s.Pull.Changed {
		out = append(out, collect.ChangedFile{Path: f.Name, Previous: f.Previous, Status: f.Status})
	}
	return out
}

// trees gives the three trees of the real repository under the commit names that the scenario's records use.
func (w *world) trees(ctx context.Context) (*collect.Trees, error) {
	named := func(commit, name string) (*collect.Tree, error) {
		t, err := w.repo.Tree(ctx, commit)
		if err != nil || name == "" {
			return nil, err
		}
		return collect.NewTree(name, slices.Collect(t.All()))
	}
	head, err := named(w.b.head, w.s.Tested())
	if err != nil {
		return nil, err
	}
	merge, err := named(w.b.merge, w.s.Run.Workflow.MergeSHA)
	if err != nil {
		return nil, err
	}
	base, err := named(w.b.base, w.s.Pull.BaseSHA)
	if err != nil {
		return nil, err
	}
	return &collect.Trees{Head: head, Merge: merge, Base: base}, nil
}

func (w *world) checks(context.Context) ([]evidence.Check, error) {
	var out []evidence.Check
	for _, c := range w.s.Run.Checks {
		one := evidence.Check{Name: c.Name, App: c.App, Status: c.Status, HeadSHA: c.HeadSHA, RunAttempt: c.RunAttempt, StartedAt: c.StartedAt, ID: c.ID}
		if c.Conclusion != nil {
			one.Conclusion = *c.Conclusion
		}
		out = append(out, one)
	}
	return out, nil
}

// contract reads the contract of the base commit, where it lies by default or where the intent says.
func (w *world) contract(ctx context.Context) (*gate.Source, error) {
	s := w.s
	src := &gate.Source{Path: s.ContractPath(), Branch: s.Pull.BaseRef, Commit: s.Pull.BaseSHA}
	for _, path := range contractPaths(s.ContractPath()) {
		data, _, err := w.repo.FileAt(ctx, w.b.base, path, contract.MaxBytes+1)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return nil, err
		}
		if data, err = w.asked(data); err != nil {
			return nil, err
		}
		src.Found = append(src.Found, path)
		src.Path, src.Data = path, data
	}
	return src, nil
}

// baseBranches are those that the default branch's contract trusts. A scenario has one contract, which the
// default branch and the base branch hold alike.
func (w *world) baseBranches(ctx context.Context) ([]string, error) {
	src, err := w.contract(ctx)
	if err != nil {
		return nil, err
	}
	c, problems := contract.Parse(src.Path, src.Data, gate.ContractKinds())
	if c == nil {
		return nil, problems.Mistakes()
	}
	return c.BaseBranches, nil
}

// contractPaths are the places of a contract, the given one first.
func contractPaths(first string) []string {
	out := []string{first}
	for _, p := range contract.DefaultPaths() {
		if p != first {
			out = append(out, p)
		}
	}
	return out
}

// proposed reads the contract of the head commit.
func (w *world) proposed(ctx context.Context, path string) ([]byte, error) {
	data, _, err := w.repo.FileAt(ctx, w.b.head, path, contract.MaxBytes+1)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return w.asked(data)
}

// asked is the contract as it asks for a report, or for none where the world is silent.
func (w *world) asked(data []byte) ([]byte, error) {
	if !w.silent {
		return data, nil
	}
	return unreported(data)
}

func (w *world) trustedFile(ctx context.Context, path string) ([]byte, error) {
	data, _, err := w.repo.FileAt(ctx, w.b.base, path, maxBlob)
	return data, err
}

func (w *world) reviews(context.Context) ([]scope.Review, error) {
	var out []scope.Review
	for _, r := range w.s.Pull.Reviews {
		out = append(out, scope.Review{
			By: scope.Account{Login: r.User.Login, Type: r.User.Type}, State: strings.ToUpper(r.State), Commit: r.CommitID, Permission: r.permission(),
		})
	}
	return out, nil
}
