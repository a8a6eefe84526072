package scope

import (
	"slices"
	"testing"

	"github.com/outcome-gate/outcome-gate/internal/contract"
)

func TestApprovers(t *testing.T) {
	person := func(login string) Account { return Account{Login: login, Type: "User"} }
	approval := func(login string) Review {
		return Review{By: person(login), State: "APPROVED", Commit: "h", Permission: "write"}
	}
	with := func(r Review, change func(*Review)) Review { change(&r); return r }
	change := Change{
		Author: Account{Login: "opener", Type: "Bot"},
		Commits: []Commit{{
			AuthorLogin: "writer", CommitterLogin: "web-flow", AuthorEmail: "4+mailer@users.noreply.github.com",
			Message: "Mend the crane\n\nCo-authored-by: Helper <9+helper@users.noreply.github.com>\nCo-authored-by: Elder <Elder@users.noreply.github.com>\n",
		}, {AuthorLogin: "writer", CommitterLogin: "pusher", CommitterEmail: "5+sender@users.noreply.github.com"}},
	}
	for _, c := range []struct {
		name    string
		reviews []Review
		want    []string
	}{
		{"nobody", nil, nil},
		{"a person", []Review{approval("keeper")}, []string{"keeper"}},
		{"two, in order", []Review{approval("b"), approval("a")}, []string{"b", "a"}},
		{"the opener", []Review{with(approval("Opener"), func(r *Review) { r.By.Type = "User" })}, nil},
		{"an author", []Review{approval("Writer")}, nil},
		{"an author by address", []Review{approval("mailer")}, nil},
		{"a committer", []Review{approval("Pusher")}, nil},
		{"a committer by address", []Review{approval("sender")}, nil},
		{"a co-author", []Review{approval("helper")}, nil},
		{"a co-author with an older address", []Review{approval("elder")}, nil},
		{"a bot", []Review{with(approval("robot"), func(r *Review) { r.By.Type = "Bot" })}, nil},
		{"an account of unknown type", []Review{with(approval("ghost"), func(r *Review) { r.By.Type = "" })}, nil},
		{"a reader", []Review{with(approval("passer"), func(r *Review) { r.Permission = "read" })}, nil},
		{"permission not known", []Review{with(approval("passer"), func(r *Review) { r.Permission = "" })}, nil},
		{"an older commit", []Review{with(approval("keeper"), func(r *Review) { r.Commit = "g" })}, nil},
		{"taken back", []Review{approval("keeper"), with(approval("keeper"), func(r *Review) { r.State = "CHANGES_REQUESTED" })}, nil},
		{"a later comment changes nothing", []Review{approval("keeper"), with(approval("keeper"), func(r *Review) { r.State = "COMMENTED" })}, []string{"keeper"}},
		{"dismissed", []Review{with(approval("keeper"), func(r *Review) { r.State = "DISMISSED" })}, nil},
	} {
		if got := Approvers(change, "h", c.reviews); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	cut := change
	cut.CommitsCut = true
	if MayApprove(cut, person("keeper")) || !MayApprove(change, person("keeper")) || MayApprove(change, person("")) {
		t.Error("a cut list of commits may hide a co-author")
	}
	if got := Approvers(cut, "h", []Review{approval("keeper")}); got != nil {
		t.Errorf("with a cut list of commits: %v", got)
	}
	if got := Approvers(change, "", []Review{with(approval("keeper"), func(r *Review) { r.Commit = "" })}); got != nil {
		t.Errorf("with an unknown head: %v", got)
	}
}

func TestTrustedBase(t *testing.T) {
	c := &contract.Contract{BaseBranches: []string{"release/**"}}
	for _, k := range []struct {
		base, fallback string
		want           bool
	}{
		{"main", "main", true}, {"release/2.1", "main", true}, {"weak", "main", false}, {"", "main", false}, {"weak", "", true},
	} {
		if got := TrustedBase(c, k.base, k.fallback); got != k.want {
			t.Errorf("base %q of %q: %v", k.base, k.fallback, got)
		}
	}
}

func TestTouches(t *testing.T) {
	change := Change{Files: []File{{Path: "a.yml", Previous: "Old.yml"}}}
	for path, want := range map[string]bool{"a.yml": true, "A.YML": true, "old.yml": true, "b.yml": false} {
		if got := Touches(change, path); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
	if !Touches(Change{FilesCut: true}, "b.yml") {
		t.Error("a cut list touches nothing")
	}
}

func TestMakers(t *testing.T) {
	t.Parallel()
	change := Change{
		Author: Account{Login: "helper[bot]", Type: "Bot"},
		Commits: []Commit{{
			AuthorLogin: "octocat", AuthorEmail: "12+hubot@users.noreply.github.com", CommitterEmail: "o@example.com",
			Message: "Mend\n\nCo-authored-by: Claude <noreply@anthropic.com>\n",
		}},
	}
	names, known := Makers(change)
	if !known {
		t.Error("the makers are not known")
	}
	for _, want := range []string{"helper[bot]", "helper", "octocat", "hubot", "o@example.com", "noreply@anthropic.com", "claude"} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is missing in %v", want, names)
		}
	}
	if slices.Contains(names, "") {
		t.Errorf("nobody is among %v", names)
	}
	change.CommitsCut = true
	if _, known := Makers(change); known {
		t.Error("a cut list of commits hides nobody")
	}
	if names, known := Makers(Change{}); known || len(names) > 0 {
		t.Errorf("of nothing: %v, %v", names, known)
	}
}
