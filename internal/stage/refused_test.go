package stage

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/outcome-gate/outcome-gate/internal/fakegithub"
)

// TestRefusedCalls refuses each read of a run on a commit and of one that a comment asked for in turn: what was not
// read never lets anything pass. Red results lie ready, so that a pass would be one on nothing.
func TestRefusedCalls(t *testing.T) {
	for name, open := range map[string]func() *scene{
		"push": func() *scene {
			s := branchScene(t, map[string]fakegithub.File{"README.md": {Text: "Cranes\n"}})
			s.contract(agreed + whenCrane) // the push touches nothing of it: nothing is expected
			s.write("out/junit.xml", red)
			return s
		},
		"comment": func() *scene {
			s := askedScene(t, "issue_comment", "keeper", "/outcome-gate recheck")
			s.change(func(r *fakegithub.Repository) {
				a := r.Runs[0].Artifacts[0]
				a.Zip, a.Digest = zipped(t, "out/junit.xml", red), ""
			})
			return s
		},
	} {
		plain := open()
		want := Main(context.Background(), plain.options())
		seen := map[string]bool{}
		for _, call := range plain.world.Requests() {
			path, _, _ := strings.Cut(call.URI, "?")
			if call.Method != http.MethodGet || seen[path] {
				continue
			}
			seen[path] = true
			s := open()
			if s.head != plain.head {
				t.Fatal("two scenes have different commits, so the fault would meet nothing")
			}
			if err := s.world.Fault(fakegithub.Fault{Match: "^GET .*" + regexp.QuoteMeta(path) + `(\?|$)`, Status: 403, Times: 99, Body: `{"message":"Resource not accessible by integration","documentation_url":"https://docs.github.com/rest"}`}); err != nil {
				t.Fatal(err)
			}
			code := Main(context.Background(), s.options())
			// Of the order of what is posted, of times, and of a tree that nothing expected is looked for in.
			harmless := strings.HasSuffix(path, "/statuses") || strings.Contains(path, "/attempts/") || strings.HasSuffix(path, "/git/trees/"+s.head)
			on := s.shown()
			switch {
			case name == "comment" && (code == 0 || on.status == "success" || on.status == "pending"):
				t.Errorf("%s without GET %s: exit %d, %+v\n%s", name, path, code, on, s.log.String())
			case name == "push" && code == 0 && !(harmless && want == 0 && s.receipt().Reason == "nothing_expected"):
				t.Errorf("%s without GET %s: exit %d, %s", name, path, code, s.receipt().Reason)
			}
		}
		if len(seen) < 8 {
			t.Errorf("%s: only %d calls", name, len(seen))
		}
	}
}
