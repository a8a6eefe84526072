package github

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/outcome-gate/outcome-gate/internal/fakegithub"
)

func at(sec int64) time.Time { return time.Unix(sec, 0).UTC() }

// same expects two values to be equal.
func same(t *testing.T, got, want any, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("want (-) and got (+):\n%s", d)
	}
}

func TestWhatIsRead(t *testing.T) {
	s := play(t)
	ctx := t.Context()
	ref := PullRef{
		Number: 7, State: "open", Draft: true, Author: User{"agent[bot]", 5, "Bot"},
		Head: Side{"feature/turn", s.head, repository}, Base: Side{"main", s.main, repository}, CreatedAt: at(1772355600),
	}
	p, err := s.Pull(ctx, 7)
	same(t, p, &Pull{PullRef: ref, Title: "Turn faster", Body: "It turns.", Labels: []string{"speed"}, ChangedFiles: 2, Commits: 1, DefaultBranch: "main"}, err)
	refs, err := s.PullsOf(ctx, s.head)
	same(t, refs, List[PullRef]{Items: []PullRef{ref}}, err)
	files, err := s.Files(ctx, 7, 2)
	same(t, files, List[ChangedFile]{Items: []ChangedFile{
		{Path: "README.md", Status: "modified", SHA: fakegithub.Blob([]byte("# Widgets, faster\n")), Additions: 1},
		{Path: "moved", Previous: "deep/er/file", Status: "renamed", SHA: fakegithub.Blob([]byte("x")), Additions: 1},
	}}, err)
	maya, err := s.Permission(ctx, "MAYA")
	same(t, maya, PermissionWrite, err)
	commits, err := s.Commits(ctx, 7, 1)
	id := commits.Items[0].Author.Account.ID
	who := Signature{"Maya", "maya@acme.example", User{"maya", id, "User"}, at(1772355600)}
	same(t, commits, List[Commit]{Items: []Commit{{SHA: s.head, Message: "Turn\n", Author: who, Committer: who, Parents: []string{s.main}}}}, err)
	reviews, err := s.Reviews(ctx, 7)
	same(t, reviews, List[Review]{Items: []Review{{21, User{"maya", id, "User"}, "APPROVED", "good", gone, at(1772355700)}}}, err)
	run, err := s.RunAttempt(ctx, 900, 2)
	same(t, run, &Run{
		ID: 900, Attempt: 2, WorkflowID: 3, Workflow: "CI", Path: ".github/workflows/ci.yml", Event: "pull_request", HeadSHA: s.head,
		HeadBranch: "feature/turn", HeadRepository: repository, Status: "in_progress", StartedAt: at(1772359500), CreatedAt: at(1772355900),
	}, err)
	newest, err := s.Run(ctx, 900)
	same(t, newest, run, err)
	from, err := s.PullsFrom(ctx, "acme", "feature/turn")
	same(t, from, List[PullRef]{Items: []PullRef{ref}}, err)
	changed, err := s.BaseChanges(ctx, 7)
	same(t, changed, List[time.Time]{Items: []time.Time{at(1772355660)}}, err)
	jobs, err := s.Jobs(ctx, 900, 2)
	same(t, jobs, List[Job]{Items: []Job{{
		ID: 902, Name: "test", Attempt: 2, HeadSHA: s.head, Status: "in_progress", CreatedAt: at(1772355900), StartedAt: at(1772359500),
		RunnerName: "Hosted 4", CheckRunID: 902,
	}}}, err)
	comments, err := s.Comments(ctx, 7, time.Time{})
	for i := range comments.Items {
		if !strings.HasPrefix(comments.Items[i].URL, s.url) {
			t.Errorf("URL %q", comments.Items[i].URL)
		}
		comments.Items[i].URL = ""
	}
	same(t, comments, List[Comment]{Items: []Comment{
		{ID: 11, Body: "Nice", Author: User{"tomas", 6, "User"}, CreatedAt: at(1772355700), UpdatedAt: at(1772355800)},
		{ID: 12, Body: "Gone", CreatedAt: at(1772355700), UpdatedAt: at(1772355700)},
	}}, err)
	statuses, err := s.Statuses(ctx, s.head)
	same(t, statuses, List[Status]{Items: []Status{{ID: 41, State: "pending", Context: "ci", Creator: User{"maya", id, "User"}, CreatedAt: at(1772355900)}}}, err)
}

func TestPullRequestInOtherStates(t *testing.T) {
	s := play(t)
	yes := true
	s.change(func(r *fakegithub.Repository) {
		p := r.Pulls[0]
		p.Body, p.State, p.Merged, p.MergeSHA, p.Mergeable, p.HeadSHA, p.HeadRepository = nil, "closed", true, s.main, &yes, s.head, "none"
	})
	p, err := s.Pull(t.Context(), 7)
	if err != nil {
		t.Fatal(err)
	}
	if p.Body != "" || p.State != "closed" || !p.Merged || p.MergeSHA != s.main || !*p.Mergeable || p.Head.Repository != "" || p.Head.SHA != s.head {
		t.Errorf("%+v", p)
	}
	if l, err := s.PullsOf(t.Context(), s.head); err != nil || len(l.Items) != 1 || !l.Items[0].Merged {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestPermissions(t *testing.T) {
	s := play(t)
	for login, writes := range map[string]bool{"maya": true, "tomas": false, "acme": true, "agent[bot]": false} {
		if p, err := s.Permission(t.Context(), login); err != nil || p.Writes() != writes {
			t.Errorf("%s: %q, %v", login, p, err)
		}
	}
	if _, err := s.Permission(t.Context(), "nobody"); !IsStatus(err, 404) {
		t.Errorf("got %v", err)
	}
	n := s.Requests()
	for _, login := range []string{"", ".", ".."} {
		if _, err := s.Permission(t.Context(), login); !errors.Is(err, ErrMalformed) {
			t.Errorf("%q: %v", login, err)
		}
	}
	if s.Requests() != n {
		t.Error("a login that is none was asked for")
	}
	// A login that would be another path is one name, however it is written.
	if _, err := s.Permission(t.Context(), "x/../../issues?y#z"); !IsStatus(err, 404) {
		t.Errorf("got %v", err)
	}
	s.fault(fakegithub.Fault{Match: "permission", Status: 200, Body: `{"permission":"owner"}`})
	if p, err := s.Permission(t.Context(), "maya"); !errors.Is(err, ErrMalformed) || p.Writes() {
		t.Errorf("a permission that nobody knows: %q, %v", p, err)
	}
	if Permission("owner").Writes() || Permission("").Writes() {
		t.Error("an unknown permission writes")
	}
}

// TestPages holds that every list is read to its end, page by page, in order and once.
func TestPages(t *testing.T) {
	const n = 250
	s := play(t)
	s.change(func(r *fakegithub.Repository) {
		r.Comments, r.Reviews, r.Statuses, r.CheckRuns = nil, nil, nil, nil
		jobs := &r.Runs[0].Attempts[1].Jobs
		*jobs = nil
		for i := range n {
			id := int64(5000 + i)
			r.Comments = append(r.Comments, &fakegithub.Comment{ID: id, Issue: 7, Body: "x"})
			r.Reviews = append(r.Reviews, &fakegithub.Review{ID: id, Pull: 7, State: "COMMENTED"})
			r.Statuses = append(r.Statuses, &fakegithub.Status{ID: id, SHA: s.head, State: "success", Context: fmt.Sprint(i)})
			r.CheckRuns = append(r.CheckRuns, &fakegithub.CheckRun{ID: id, App: fakegithub.ActionsApp, Name: fmt.Sprint(i), HeadSHA: s.head, Status: "queued"})
			*jobs = append(*jobs, &fakegithub.Job{ID: id + 1000, Name: "j", Status: "queued"})
			r.Pulls[0].Files = append(r.Pulls[0].Files, &fakegithub.Changed{Path: fmt.Sprintf("f%04d", i), Status: "added"})
		}
	})
	ctx := t.Context()
	ids := func(from int64, step int64) []int64 {
		var out []int64
		for i := range int64(n) {
			out = append(out, from+i*step)
		}
		return out
	}
	check := func(what string, got, want []int64, cut bool, err error) {
		t.Helper()
		if err != nil || cut || !slices.Equal(got, want) {
			t.Errorf("%s: %d items from %v, cut %v, %v", what, len(got), got[:min(3, len(got))], cut, err)
		}
	}
	comments, err := s.Comments(ctx, 7, time.Time{})
	check("comments", numbers(comments, func(c Comment) int64 { return c.ID }), ids(5000, 1), comments.Cut, err)
	reviews, err := s.Reviews(ctx, 7)
	check("reviews", numbers(reviews, func(r Review) int64 { return r.ID }), ids(5000, 1), reviews.Cut, err)
	statuses, err := s.Statuses(ctx, s.head)
	check("statuses", numbers(statuses, func(r Status) int64 { return r.ID }), ids(5249, -1), statuses.Cut, err)
	jobs, err := s.Jobs(ctx, 900, 2)
	check("jobs", numbers(jobs, func(j Job) int64 { return j.ID }), ids(6000, 1), jobs.Cut, err)
	runs, err := s.CheckRuns(ctx, s.head, CheckRunQuery{AppID: fakegithub.ActionsApp, All: true})
	got := numbers(runs, func(r CheckRun) int64 { return r.ID })
	if len(got) != 2*n || got[0] != 6249 || got[2*n-1] != 5000 || runs.Cut || err != nil { // jobs' own among them
		t.Errorf("check runs: %d, cut %v, %v", len(got), runs.Cut, err)
	}
	s.change(func(r *fakegithub.Repository) {
		for i := 1; i < n; i++ {
			r.Pulls = append(r.Pulls, &fakegithub.Pull{Number: 1000 + i, User: fakegithub.User{Login: "maya"}, HeadRef: "feature/turn", BaseRef: "main"})
		}
	})
	pulls, err := s.PullsOf(ctx, s.head)
	check("pull requests", numbers(pulls, func(p PullRef) int64 { return int64(p.Number) })[1:], ids(1001, 1)[:n-1], pulls.Cut, err)
	files, err := s.Files(ctx, 7, n)
	if len(files.Items) != n || files.Cut || files.Items[n-1].Path != "f0249" || err != nil {
		t.Errorf("files: %d, cut %v, %v", len(files.Items), files.Cut, err)
	}
	if s.Requests() != 3*6+5 {
		t.Errorf("%d requests", s.Requests())
	}
}

func numbers[T any](l List[T], id func(T) int64) []int64 {
	out := make([]int64, 0, len(l.Items))
	for _, v := range l.Items {
		out = append(out, id(v))
	}
	return out
}

// TestCutLists holds that a list which may lack something says so.
func TestCutLists(t *testing.T) {
	s := play(t)
	ctx := t.Context()
	for changed, cut := range map[int]bool{0: false, 2: false, 3: true} {
		if l, err := s.Files(ctx, 7, changed); err != nil || l.Cut != cut {
			t.Errorf("%d files, listed %d: cut %v, %v", changed, len(l.Items), l.Cut, err)
		}
	}
	for total, cut := range map[int]bool{1: false, 2: true} {
		if l, err := s.Commits(ctx, 7, total); err != nil || l.Cut != cut {
			t.Errorf("%d commits, listed %d: cut %v, %v", total, len(l.Items), l.Cut, err)
		}
	}
	s.change(func(r *fakegithub.Repository) {
		for i := range maxFiles + 1 {
			r.Pulls[0].Files = append(r.Pulls[0].Files, &fakegithub.Changed{Path: fmt.Sprint("f", i), Status: "added"})
		}
		for i := range maxJobs + 1 {
			r.Runs[0].Attempts[1].Jobs = append(r.Runs[0].Attempts[1].Jobs, &fakegithub.Job{ID: int64(9000 + i), Name: "j", Status: "queued"})
		}
	})
	if l, err := s.Files(ctx, 7, maxFiles+1); err != nil || !l.Cut || len(l.Items) != maxFiles {
		t.Errorf("listed %d files, cut %v, %v", len(l.Items), l.Cut, err)
	}
	s.change(func(r *fakegithub.Repository) { r.Pulls[0].Files = r.Pulls[0].Files[:maxFiles] })
	if l, err := s.Files(ctx, 7, maxFiles); err != nil || !l.Cut { // as many as can be listed: nobody knows
		t.Errorf("listed %d files, cut %v, %v", len(l.Items), l.Cut, err)
	}
	if l, err := s.Jobs(ctx, 900, 2); err != nil || !l.Cut || len(l.Items) != maxJobs {
		t.Errorf("listed %d jobs, cut %v, %v", len(l.Items), l.Cut, err)
	}
	for range maxCommits {
		if _, err := s.world.Commit(repository, &fakegithub.Commit{Branch: "feature/turn", Message: "m"}); err != nil {
			t.Fatal(err)
		}
	}
	if l, err := s.Commits(ctx, 7, maxCommits+1); err != nil || !l.Cut || len(l.Items) != maxCommits {
		t.Errorf("listed %d commits, cut %v, %v", len(l.Items), l.Cut, err)
	}
	// A count that the list does not reach.
	s.fault(fakegithub.Fault{Match: "jobs", Status: 200, Body: `{"total_count":1,"jobs":[]}`})
	if l, err := s.Jobs(ctx, 900, 2); err != nil || !l.Cut {
		t.Errorf("%+v, %v", l, err)
	}
	s.fault(fakegithub.Fault{Match: "check-runs", Status: 200, Body: `{"total_count":1,"check_runs":[]}`})
	if l, err := s.CheckRuns(ctx, s.head, CheckRunQuery{}); err != nil || !l.Cut {
		t.Errorf("%+v, %v", l, err)
	}
}

// TestPagesThatGoInCircles holds that a list does not end early, and ends.
func TestPagesThatGoInCircles(t *testing.T) {
	for _, to := range []string{"1", "7"} {
		s := play(t)
		link := `<` + s.url + `/repos/acme/widgets/issues/7/comments?page=` + to + `>; rel="next"`
		s.fault(fakegithub.Fault{Match: "comments", Times: -1, Status: 200, Body: `[{"id":1}]`, Headers: map[string]string{"Link": link}})
		if l, err := s.Comments(t.Context(), 7, time.Time{}); !errors.Is(err, ErrMalformed) {
			t.Errorf("page 1 leads to %s: %+v, %v", to, l, err)
		}
	}
	s := play(t)
	s.fault(fakegithub.Fault{Match: "comments", Status: 200, Body: `[]`, Headers: map[string]string{"Link": `<` + s.url + `/x?page=2>; rel="next"`}})
	if _, err := s.Comments(t.Context(), 7, time.Time{}); !errors.Is(err, ErrMalformed) {
		t.Errorf("an empty page that leads on: %v", err)
	}
}

// TestManyComments holds that of a conversation that is too long both ends are listed, and that the gap is named.
func TestManyComments(t *testing.T) {
	s := play(t)
	for n, want := range map[int]struct {
		listed int
		cut    bool
	}{
		OldestComments: {OldestComments, false}, OldestComments + 1: {OldestComments + 1, false},
		OldestComments + NewestComments: {OldestComments + NewestComments, false}, OldestComments + NewestComments + 150: {OldestComments + NewestComments + 50, true},
	} {
		s.change(func(r *fakegithub.Repository) {
			r.Comments = nil
			for i := range n {
				r.Comments = append(r.Comments, &fakegithub.Comment{ID: int64(i + 1), Issue: 7, Body: "x"})
			}
		})
		l, err := s.Comments(t.Context(), 7, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		ids := numbers(l, func(c Comment) int64 { return c.ID })
		if len(ids) != want.listed || l.Cut != want.cut || ids[0] != 1 || ids[len(ids)-1] != int64(n) || !slices.IsSorted(ids) {
			t.Errorf("of %d comments %d are listed, cut %v, from %d to %d", n, len(ids), l.Cut, ids[0], ids[len(ids)-1])
		}
	}
}

func TestCommentsSince(t *testing.T) {
	s := play(t)
	l, err := s.Comments(t.Context(), 7, at(1772355701))
	if err != nil || len(l.Items) != 1 || l.Items[0].ID != 11 {
		t.Errorf("%+v, %v", l, err)
	}
}

// TestStatusesOf holds that the list ends with the page that has what is looked for.
func TestStatusesOf(t *testing.T) {
	s := play(t)
	s.change(func(r *fakegithub.Repository) {
		r.Statuses = nil
		for i := range 350 {
			name := "other"
			if i == 220 {
				name = "ours"
			}
			r.Statuses = append(r.Statuses, &fakegithub.Status{ID: int64(i + 1), SHA: s.head, State: "success", Context: name})
		}
	})
	for name, pages := range map[string]int{"other": 1, "ours": 2, "none": 4} {
		before := s.Requests()
		l, err := s.StatusesOf(t.Context(), s.head, name)
		if got := s.Requests() - before; err != nil || got != pages || l.Cut {
			t.Errorf("%s: %d pages, want %d; %d listed, cut %v, %v", name, got, pages, len(l.Items), l.Cut, err)
		}
	}
}

func TestCompare(t *testing.T) {
	s := play(t)
	x, err := s.Compare(t.Context(), s.main, s.head)
	if err != nil || len(x.Files.Items) != 2 || x.Commits.Items[0].SHA != s.head || x.Files.Items[1].Status != "renamed" && x.Files.Items[1].SHA == "" {
		t.Errorf("%+v, %v", x, err)
	}
	if x, err := s.Compare(t.Context(), s.head, s.head); err != nil || len(x.Commits.Items)+len(x.Files.Items) != 0 || x.Commits.Cut || x.Files.Cut {
		t.Errorf("a commit with itself: %+v, %v", x, err)
	}
	if _, err := s.Compare(t.Context(), s.main, gone); !NotCompared(err) {
		t.Errorf("a commit that is not there: %v", err)
	}
	for _, refs := range [][2]string{{"main", s.head}, {s.main, "feature/turn"}, {"", ""}} {
		if _, err := s.Compare(t.Context(), refs[0], refs[1]); !errors.Is(err, ErrMalformed) {
			t.Errorf("%q is compared: %v", refs, err)
		}
	}
	files := map[string]fakegithub.File{}
	for i := range maxComparedFiles {
		files[fmt.Sprint("many/", i)] = fakegithub.File{Text: fmt.Sprint(i)}
	}
	for i := range maxComparedCommits {
		if s.head, err = s.world.Commit(repository, &fakegithub.Commit{Branch: "feature/turn", Message: fmt.Sprint(i), Files: files}); err != nil {
			t.Fatal(err)
		}
	}
	x, err = s.Compare(t.Context(), s.main, s.head)
	if err != nil || !x.Files.Cut || !x.Commits.Cut || len(x.Commits.Items) != maxComparedCommits || x.Commits.Items[maxComparedCommits-1].SHA != s.head {
		t.Errorf("%d files, %d commits, cut %v %v, %v", len(x.Files.Items), len(x.Commits.Items), x.Files.Cut, x.Commits.Cut, err)
	}
}

// TestMe holds that only a person's token has an account.
func TestMe(t *testing.T) {
	s := play(t)
	if u, err := s.Me(t.Context()); !IsStatus(err, 403) {
		t.Errorf("an installation is %+v, %v", u, err)
	}
	s.world.Change(func(d *fakegithub.Data) {
		d.Tokens["ghp_personsecret"] = &fakegithub.Token{User: fakegithub.User{Login: "maya"}}
	})
	if u, err := s.as("ghp_personsecret").Me(t.Context()); err != nil || u.Login != "maya" || u.Type != "User" {
		t.Errorf("%+v, %v", u, err)
	}
	s.fault(fakegithub.Fault{Match: "/user", Status: 200, Body: `{"login":"maya"}`})
	if _, err := s.Me(t.Context()); !errors.Is(err, ErrMalformed) {
		t.Errorf("an account without a type: %v", err)
	}
}
