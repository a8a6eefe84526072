package collect

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/evidence"
)

// served is an address whose answers follow one another, under a clock that only pauses move.
type served struct {
	answers []Answer
	looks   int
	now     time.Time
	paused  time.Duration
}

func (s *served) look(context.Context, Address) Answer {
	a := s.answers[min(s.looks, len(s.answers)-1)]
	s.looks++
	return a
}

func (s *served) facts(started time.Time) Facts {
	return Facts{
		Look: s.look, Now: func() time.Time { return s.now },
		Pause: func(_ context.Context, d time.Duration) error {
			s.paused += d
			s.now = s.now.Add(d)
			return nil
		},
		Circumstances: evidence.Circumstances{RunStartedAt: started, Subject: evidence.Subject{HeadSHA: sha("h")[:40]}},
	}
}

const addressContract = `
outcomes:
  - {id: live, observe_for: 1m, artifact: {url: "https://docs.example.com/version.json"}, validators: [content: {pointer: /commit, equals: {text: abc}}]}
  - {id: again, artifact: {of: live}, validators: [content: {text: abc}]}
  - {id: same, artifact: {url: "https://docs.example.com/version.json", min_bytes: 2}, validators: [content: {text: abc}]}
  - {id: other, artifact: {url: "https://docs.example.com/version.json", status: 404}, validators: [content: {text: nothing}]}`

func TestObserveAddress(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 3, 4, 7, 0, 0, 0, time.UTC)
	s := &served{answers: []Answer{{Body: []byte(`{"commit":"abc"}`)}}, now: start.Add(10 * time.Second)}
	var asked []Address
	f := s.facts(start)
	f.Look = func(ctx context.Context, a Address) Answer {
		asked = append(asked, a)
		if a.Status == 404 {
			return Answer{Body: []byte("nothing")}
		}
		return s.look(ctx, a)
	}
	obs := Observe(context.Background(), open(t, t.TempDir(), Limits{}), parse(t, addressContract), f)
	if len(asked) != 2 || asked[0].Status != 200 || asked[1].Status != 404 || s.paused != 0 {
		t.Errorf("asked %+v, waited %s", asked, s.paused)
	}
	k, _ := evidence.KindByName("content")
	for _, o := range obs {
		set := o.Artifact
		if set.Total != 1 || set.Tier != "run" || set.ObservedAt == nil || !set.ObservedAt.Equal(s.now) {
			t.Errorf("%s: %+v", o.ID, set)
		}
		f := set.Files[0]
		if f.Problem != "" || f.Name != "https://docs.example.com/version.json" || f.ModifiedAt != nil || f.Git.Known {
			t.Errorf("%s: %+v", o.ID, f)
		}
		if want := `{"commit":"abc"}`; o.ID != "other" && (f.SHA256 != sha(want) || f.SizeBytes != int64(len(want))) {
			t.Errorf("%s: %+v", o.ID, f)
		}
		if got := k.Judge(o.Validators[0].Params, o.Validators[0].Facts); got.State != evidence.Verified {
			t.Errorf("%s: %+v", o.ID, got)
		}
	}
}

func TestObserveAddressAgain(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 3, 4, 7, 0, 0, 0, time.UTC)
	gone, dead := Answer{Code: evidence.CodeAddressStatus, Detail: "404"}, Answer{Code: evidence.CodeAddressUnreachable, Detail: "no"}
	refused, there := Answer{Code: evidence.CodeAddressRefused, Detail: "no"}, Answer{Body: []byte(`{"commit":"abc"}`)}
	for _, c := range []struct {
		name    string
		answers []Answer
		at      time.Duration // when the looking begins
		window  string
		looks   int
		end     time.Duration
		code    string
	}{
		{"there at once", []Answer{there}, 10 * time.Second, "1m", 1, 10 * time.Second, ""},
		{"there at the third look", []Answer{gone, dead, there}, 10 * time.Second, "1m", 3, 20 * time.Second, ""},
		{"never there: the last look is at the end", []Answer{gone}, 48 * time.Second, "1m", 4, 60 * time.Second, evidence.CodeAddressStatus},
		{"the window was over", []Answer{gone}, 61 * time.Second, "1m", 1, 61 * time.Second, evidence.CodeAddressStatus},
		{"refused is refused", []Answer{refused, there}, 10 * time.Second, "1m", 1, 10 * time.Second, evidence.CodeAddressRefused},
		{"no longer than the judgement has", []Answer{gone}, 0, "10m", 61, 5 * time.Minute, evidence.CodeAddressStatus},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := &served{answers: c.answers, now: start.Add(c.at)}
			text := `
outcomes:
  - {id: live, observe_for: ` + c.window + `, artifact: {url: "https://docs.example.com/version.json"}, validators: [content: {text: abc}]}`
			obs := Observe(context.Background(), open(t, t.TempDir(), Limits{}), parse(t, text), s.facts(start))
			f := obs[0].Artifact.Files[0]
			if s.looks != c.looks || f.Problem != c.code || !obs[0].Artifact.ObservedAt.Equal(start.Add(c.end)) {
				t.Errorf("%d looks, %+v at %s", s.looks, f, obs[0].Artifact.ObservedAt)
			}
		})
	}
	t.Run("without a clock, a start or a window there is one look", func(t *testing.T) {
		t.Parallel()
		for _, change := range []func(*Facts){
			func(f *Facts) { f.Now = nil }, func(f *Facts) { f.Pause = nil }, func(f *Facts) { f.Circumstances.RunStartedAt = time.Time{} },
			func(f *Facts) { f.Pause = func(context.Context, time.Duration) error { return errors.New("over") } },
		} {
			s := &served{answers: []Answer{gone}, now: start.Add(time.Second)}
			f := s.facts(start)
			change(&f)
			Observe(context.Background(), open(t, t.TempDir(), Limits{}), parse(t, `
outcomes: [{id: live, observe_for: 1m, artifact: {url: "https://docs.example.com/"}, validators: [content: {text: abc}]}]`), f)
			if s.looks > 1 {
				t.Errorf("%d looks", s.looks)
			}
		}
	})
}
