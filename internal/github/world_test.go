package github

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/fakegithub"
)

const (
	repository = "acme/widgets"
	jobToken   = "ghs_jobsecret"
	readToken  = "ghs_readsecret"
	spentToken = "ghs_spentsecret"
	gone       = "9999999999999999999999999999999999999999"
)

// clock is a machine's clock that waiting moves on at once. It begins at the real time, since deadlines of
// contexts are real.
type clock struct {
	mu    sync.Mutex
	at    time.Time
	slept []time.Duration
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
	c.slept = append(c.slept, d)
	return nil
}

// waits is how long each wait was since the last call.
func (c *clock) waits() []time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := c.slept
	c.slept = nil
	return out
}

// stage is a world, a server for it and a client of it.
type stage struct {
	t *testing.T
	*Client
	world *fakegithub.World
	clock *clock
	url   string
	head  string // of pull request 7, branch feature/turn
	main  string // newest commit of main
}

// play begins a world. When the test ends, nothing in it may have strayed from GitHub's description.
func play(t *testing.T) *stage {
	t.Helper()
	s := &stage{t: t, clock: &clock{at: time.Now()}}
	s.world = fakegithub.New(s.clock.now)
	author := fakegithub.Person{Name: "Maya", Email: "maya@acme.example", Login: "maya", Date: time.Unix(1772355600, 0)}
	bot := fakegithub.User{Login: "github-actions[bot]"}
	r := &fakegithub.Repository{
		FullName: repository, DefaultBranch: "main",
		Collaborators: map[string]string{"maya": "maintain", "tomas": "read"},
		Commits: []*fakegithub.Commit{{Branch: "main", Message: "Begin\n", Author: author, Files: map[string]fakegithub.File{
			".github/outcome-contract.yml": {Text: "version: 1\n"},
			"README.md":                    {Text: "# Widgets\n"},
			"run.sh":                       {Text: "#!/bin/sh\n", Mode: "100755"},
			"empty":                        {},
			"link":                         {Text: "README.md", Mode: "120000"},
			"outside":                      {Text: "../../etc", Mode: "120000"},
			"sub":                          {Text: gone, Mode: "160000"},
			"deep/er/file":                 {Text: "x"},
			"deep/er/still/more":           {Text: "y"},
		}}, {Branch: "feature/turn", From: "main", Message: "Turn\n", Author: author, Files: map[string]fakegithub.File{
			"README.md": {Text: "# Widgets, faster\n"}, "moved": {Text: "x"}, "deep/er/file": {Removed: true},
		}}},
		Pulls: []*fakegithub.Pull{{
			Number: 7, BaseChanged: []time.Time{at(1772355660)}, Title: "Turn faster", User: fakegithub.User{Login: "agent[bot]", ID: 5}, Labels: []string{"speed"},
			HeadRef: "feature/turn", BaseRef: "main", Draft: true, CreatedAt: time.Unix(1772355600, 0),
		}},
		Reviews: []*fakegithub.Review{{ID: 21, Pull: 7, User: fakegithub.User{Login: "maya"}, State: "APPROVED", CommitID: gone, Body: "good", SubmittedAt: time.Unix(1772355700, 0)}},
		Comments: []*fakegithub.Comment{
			{ID: 11, Issue: 7, Body: "Nice", User: fakegithub.User{Login: "tomas", ID: 6}, CreatedAt: time.Unix(1772355700, 0), UpdatedAt: time.Unix(1772355800, 0)},
			{ID: 12, Issue: 7, Body: "Gone", CreatedAt: time.Unix(1772355700, 0), UpdatedAt: time.Unix(1772355700, 0)},
		},
	}
	if err := s.world.Load(&fakegithub.Data{
		Tokens: map[string]*fakegithub.Token{
			jobToken:   {User: bot, App: fakegithub.ActionsApp},
			readToken:  {User: bot, App: fakegithub.ActionsApp, ReadOnly: true},
			spentToken: {User: bot, App: fakegithub.ActionsApp, Limit: &fakegithub.Limit{Limit: 5, Remaining: 1, Reset: s.clock.at.Add(5 * time.Minute)}},
		},
		Repositories: []*fakegithub.Repository{r},
	}); err != nil {
		t.Fatal(err)
	}
	s.head, s.main = r.Branches["feature/turn"], r.Branches["main"]
	started := time.Unix(1772355900, 0)
	body := "It turns."
	s.world.Change(func(d *fakegithub.Data) {
		r := d.Repositories[0]
		r.Pulls[0].Body = &body
		r.Runs = []*fakegithub.Run{{
			ID: 900, Workflow: "CI", WorkflowID: 3, Path: ".github/workflows/ci.yml", Event: "pull_request", HeadSHA: s.head, HeadBranch: "feature/turn",
			CreatedAt: started, Attempts: []*fakegithub.Attempt{
				{StartedAt: started, UpdatedAt: started, Status: "completed", Conclusion: "failure"},
				{StartedAt: started.Add(time.Hour), UpdatedAt: started.Add(time.Hour), Status: "in_progress", Jobs: []*fakegithub.Job{
					{ID: 902, Name: "test", Status: "in_progress", CreatedAt: started, StartedAt: started.Add(time.Hour), RunnerName: "Hosted 4"},
				}},
			},
			Approvals: []*fakegithub.Approval{{User: fakegithub.User{Login: "maya"}, State: "approved", Environments: []string{"live/eu"}}},
			Artifacts: []*fakegithub.Artifact{{ID: 61, Name: "results", Size: 3, Digest: "sha256:" + strings.Repeat("0a", 32), CreatedAt: started, Zip: []byte("zip")}},
		}}
		r.Runs = append(r.Runs, &fakegithub.Run{
			ID: 890, Workflow: "CI", WorkflowID: 3, Path: ".github/workflows/ci.yml", Event: "push", HeadSHA: s.main, HeadBranch: "main", CreatedAt: started,
			Attempts: []*fakegithub.Attempt{{StartedAt: started, UpdatedAt: started, Status: "completed", Conclusion: "success"}},
		})
		r.CheckRuns = []*fakegithub.CheckRun{{ID: 31, App: fakegithub.ActionsApp, Suite: 900, Name: "Gate", HeadSHA: s.head, Status: "in_progress", ExternalID: "1:1"}}
		r.Rules = map[string][]*fakegithub.Rule{"main": {
			{Type: "required_status_checks", Parameters: map[string]any{"strict_required_status_checks_policy": false, "required_status_checks": []any{
				map[string]any{"context": "gate", "integration_id": fakegithub.ActionsApp}, map[string]any{"context": "lint"},
			}}},
			{Type: "merge_queue"},
			{Type: "workflows", Parameters: map[string]any{"workflows": []any{map[string]any{"path": ".github/workflows/gate.yml", "repository_id": 5}}}},
			{Type: "pull_request", Parameters: map[string]any{
				"dismiss_stale_reviews_on_push": false, "require_code_owner_review": true, "require_last_push_approval": false,
				"required_approving_review_count": 1, "required_review_thread_resolution": false,
			}},
		}}
		r.Environments = []*fakegithub.Environment{{Name: "live/eu", Reviewers: []fakegithub.User{{Login: "maya"}}}, {Name: "test"}}
		scanner := int64(57789)
		r.RequiredChecks = map[string][]fakegithub.RequiredCheck{"main": {{Context: "build"}, {Context: "scan", App: &scanner}}}
		r.Statuses = []*fakegithub.Status{{ID: 41, SHA: s.head, State: "pending", Context: "ci", Creator: fakegithub.User{Login: "maya"}, CreatedAt: started}}
	})
	server := httptest.NewServer(s.world)
	t.Cleanup(server.Close)
	t.Cleanup(func() {
		for _, v := range s.world.Violations() {
			t.Error("violation:", v)
		}
	})
	s.url = server.URL + "/api/v3"
	s.Client = s.as(jobToken)
	return s
}

// as is a client with a token.
func (s *stage) as(token string) *Client {
	s.t.Helper()
	c, err := New(Options{
		BaseURL: s.url, Token: token, Repository: repository, UserAgent: "outcome-gate/test",
		Clock: Clock{Now: s.clock.now, Sleep: s.clock.sleep},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

// fault makes every request that matches go wrong.
func (s *stage) fault(f fakegithub.Fault) {
	s.t.Helper()
	if err := s.world.Fault(f); err != nil {
		s.t.Fatal(err)
	}
}

// change edits the repository.
func (s *stage) change(f func(*fakegithub.Repository)) {
	s.world.Change(func(d *fakegithub.Data) { f(d.Repositories[0]) })
}

// method is one method of the client, as the cases that hold for all of them call it.
type method struct {
	write  bool
	repeat bool // is sent again when nobody knows whether it was carried out
	list   bool // an empty list is a good answer
	call   func(context.Context, *stage, *Client) (any, error)
}

// methods are all of them. A result that shows nothing of the answer would prove nothing, so each is turned
// into the part of it that is checked here and by good.
func methods() map[string]method {
	return map[string]method{
		"Pull": {repeat: true, call: func(ctx context.Context, _ *stage, c *Client) (any, error) {
			p, err := c.Pull(ctx, 7)
			if err != nil {
				return nil, err
			}
			return p.Title, nil
		}},
		"BranchHead": {repeat: true, call: func(ctx context.Context, s *stage, c *Client) (any, error) {
			sha, err := c.BranchHead(ctx, "feature/turn")
			return sha == s.head, err
		}},
		"Tree": {repeat: true, call: func(ctx context.Context, s *stage, c *Client) (any, error) {
			t, err := c.Tree(ctx, s.main)
			if err != nil {
				return nil, err
			}
			return len(t.Entries), nil
		}},
		"File": {repeat: true, call: func(ctx context.Context, s *stage, c *Client) (any, error) {
			b, err := c.File(ctx, ".github/outcome-contract.yml", s.main, 1000)
			return string(b), err
		}},
		"Blob": {repeat: true, call: func(ctx context.Context, _ *stage, c *Client) (any, error) {
			b, err := c.Blob(ctx, fakegithub.Blob([]byte("# Widgets\n")), 1000)
			return string(b), err
		}},
		"Files":   listing(func(ctx context.Context, _ *stage, c *Client) (List[ChangedFile], error) { return c.Files(ctx, 7, 2) }),
		"Commits": listing(func(ctx context.Context, _ *stage, c *Client) (List[Commit], error) { return c.Commits(ctx, 7, 1) }),
		"Comments": listing(func(ctx context.Context, _ *stage, c *Client) (List[Comment], error) {
			return c.Comments(ctx, 7, time.Time{})
		}),
		"Reviews":  listing(func(ctx context.Context, _ *stage, c *Client) (List[Review], error) { return c.Reviews(ctx, 7) }),
		"PullsOf":  listing(func(ctx context.Context, s *stage, c *Client) (List[PullRef], error) { return c.PullsOf(ctx, s.head) }),
		"Statuses": listing(func(ctx context.Context, s *stage, c *Client) (List[Status], error) { return c.Statuses(ctx, s.head) }),
		"Jobs":     counted(func(ctx context.Context, _ *stage, c *Client) (List[Job], error) { return c.Jobs(ctx, 900, 2) }),
		"Artifacts": counted(func(ctx context.Context, _ *stage, c *Client) (List[Artifact], error) {
			return c.Artifacts(ctx, 900, "")
		}),
		"CheckRuns": counted(func(ctx context.Context, s *stage, c *Client) (List[CheckRun], error) {
			return c.CheckRuns(ctx, s.head, CheckRunQuery{})
		}),
		"StatusesOf": listing(func(ctx context.Context, s *stage, c *Client) (List[Status], error) {
			return c.StatusesOf(ctx, s.head, "gate")
		}),
		"Compare": {repeat: true, call: func(ctx context.Context, s *stage, c *Client) (any, error) {
			x, err := c.Compare(ctx, s.main, s.head)
			if err != nil {
				return nil, err
			}
			return fmt.Sprint(len(x.Commits.Items), x.Commits.Cut, len(x.Files.Items), x.Files.Cut), nil
		}},
		"Rules": listing(func(ctx context.Context, _ *stage, c *Client) (List[Rule], error) { return c.Rules(ctx, "main") }),
		"Protection": {repeat: true, call: func(ctx context.Context, _ *stage, c *Client) (any, error) {
			p, err := c.Protection(ctx, "main")
			if err != nil {
				return nil, err
			}
			return p, nil
		}},
		"DefaultBranch": {repeat: true, call: func(ctx context.Context, _ *stage, c *Client) (any, error) {
			return c.DefaultBranch(ctx)
		}},
		"RunsAt": counted(func(ctx context.Context, s *stage, c *Client) (List[*Run], error) { return c.RunsAt(ctx, s.head) }),
		"Run": {repeat: true, call: func(ctx context.Context, _ *stage, c *Client) (any, error) {
			r, err := c.Run(ctx, 900)
			if err != nil {
				return nil, err
			}
			return r.Attempt, nil
		}},
		"PushRuns": counted(func(ctx context.Context, _ *stage, c *Client) (List[*Run], error) { return c.PushRuns(ctx, "main") }),
		"PullsFrom": listing(func(ctx context.Context, _ *stage, c *Client) (List[PullRef], error) {
			return c.PullsFrom(ctx, "acme", "feature/turn")
		}),
		"BaseChanges": listing(func(ctx context.Context, _ *stage, c *Client) (List[time.Time], error) { return c.BaseChanges(ctx, 7) }),
		"DeploymentReviews": {repeat: true, list: true, call: func(ctx context.Context, _ *stage, c *Client) (any, error) {
			l, err := c.DeploymentReviews(ctx, 900)
			return l, err
		}},
		"EnvironmentReviewed": {repeat: true, call: func(ctx context.Context, _ *stage, c *Client) (any, error) {
			return c.EnvironmentReviewed(ctx, "live/eu")
		}},
		"Permission": {repeat: true, call: func(ctx context.Context, _ *stage, c *Client) (any, error) {
			return c.Permission(ctx, "maya")
		}},
		"RunAttempt": {repeat: true, call: func(ctx context.Context, _ *stage, c *Client) (any, error) {
			r, err := c.RunAttempt(ctx, 900, 2)
			if err != nil {
				return nil, err
			}
			return r.Path, nil
		}},
		"CheckRun": {repeat: true, call: func(ctx context.Context, _ *stage, c *Client) (any, error) {
			r, err := c.CheckRun(ctx, 31)
			if err != nil {
				return nil, err
			}
			return r.ExternalID, nil
		}},
		"CreateCheckRun": {write: true, call: func(ctx context.Context, s *stage, c *Client) (any, error) {
			r, err := c.CreateCheckRun(ctx, NewCheckRun{Name: "Other", HeadSHA: s.head})
			if err != nil {
				return nil, err
			}
			return r.Status, nil
		}},
		"UpdateCheckRun": {write: true, repeat: true, call: func(ctx context.Context, _ *stage, c *Client) (any, error) {
			r, err := c.UpdateCheckRun(ctx, 31, "Gate", CheckRunChange{Conclusion: "failure"})
			if err != nil {
				return nil, err
			}
			return r.Conclusion, nil
		}},
		"CreateComment": {write: true, call: func(ctx context.Context, _ *stage, c *Client) (any, error) {
			m, err := c.CreateComment(ctx, 7, "Hello")
			if err != nil {
				return nil, err
			}
			return m.Author, nil
		}},
		"UpdateComment": {write: true, repeat: true, call: func(ctx context.Context, _ *stage, c *Client) (any, error) {
			m, err := c.UpdateComment(ctx, 11, "Hello again")
			if err != nil {
				return nil, err
			}
			return m.Body, nil
		}},
		"CreateStatus": {write: true, repeat: true, call: func(ctx context.Context, s *stage, c *Client) (any, error) {
			r, err := c.CreateStatus(ctx, s.head, NewStatus{State: "success", Context: "gate"})
			if err != nil {
				return nil, err
			}
			return r.State, nil
		}},
	}
}

// good is what each method gives of the world when nothing goes wrong.
func good() map[string]string {
	return map[string]string{
		"Pull": "Turn faster", "BranchHead": "true", "Tree": "13", "File": "version: 1\n", "Blob": "# Widgets\n", "Files": "2 false",
		"Commits": "1 false", "Comments": "2 false", "Reviews": "1 false", "PullsOf": "1 false", "Statuses": "1 false", "Jobs": "1 false", "Artifacts": "1 false",
		"CheckRuns": "2 false", "Permission": "write", "RunAttempt": ".github/workflows/ci.yml", "CheckRun": "1:1", "CreateCheckRun": "queued",
		"UpdateCheckRun": "failure", "CreateComment": "{github-actions[bot] 41898282 Bot}", "UpdateComment": "Hello again", "CreateStatus": "success",
		"StatusesOf": "1 false", "Compare": "1 false 2 false",
		"Rules": "4 false", "Protection": "{true [{build 0} {scan 57789}]}", "DefaultBranch": "main",
		"Run": "2", "PushRuns": "1 false", "PullsFrom": "1 false", "BaseChanges": "1 false",
		"RunsAt": "1 false", "DeploymentReviews": "[{{maya 3380142309 User} approved [live/eu]}]", "EnvironmentReviewed": "true",
	}
}

func listing[T any](call func(context.Context, *stage, *Client) (List[T], error)) method {
	m := counted(call)
	m.list = true
	return m
}

func counted[T any](call func(context.Context, *stage, *Client) (List[T], error)) method {
	return method{repeat: true, call: func(ctx context.Context, s *stage, c *Client) (any, error) {
		l, err := call(ctx, s, c)
		return fmt.Sprint(len(l.Items), " ", l.Cut), err
	}}
}

// noToken expects an error to be there and to keep every token to itself.
func noToken(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("the error holds the token: %v", err)
	}
}
