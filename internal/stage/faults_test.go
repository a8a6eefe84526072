package stage

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/fakegithub"
)

// tryBound is how long a try may take in these tests, slow how long what is slow takes.
const (
	tryBound = 120 * time.Millisecond
	slow     = 4000 // milliseconds
)

// faults are what may go wrong with one request, by name. Where they meet a request they meet its repeats too.
func faults() []struct {
	name string
	fakegithub.Fault
} {
	return []struct {
		name string
		fakegithub.Fault
	}{
		{"403", fakegithub.Fault{Status: 403, Body: `{"message":"Resource not accessible by integration","documentation_url":"https://docs.github.com/rest"}`}},
		{"404", fakegithub.Fault{Status: 404, Body: `{"message":"Not Found"}`}},
		{"422", fakegithub.Fault{Status: 422, Body: `{"message":"Validation Failed","errors":[{"resource":"X","field":"y","code":"invalid"}]}`}},
		{"429", fakegithub.Fault{Status: 429, Headers: map[string]string{"Retry-After": "30"}, Body: `{"message":"API rate limit exceeded"}`}},
		{"500", fakegithub.Fault{Status: 500, Body: `{"message":"Server Error"}`}},
		{"time-out", fakegithub.Fault{Status: 200, DelayMS: slow, Body: `{}`}},
		{"cut", fakegithub.Fault{Cut: true}},
		{"slow body", fakegithub.Fault{Status: 200, StallMS: slow, Body: `{"id":1}`}},
		{"HTML", fakegithub.Fault{Status: 200, Headers: map[string]string{"Content-Type": "text/html"}, Body: "<!DOCTYPE html><html><body>Unicorn!</body></html>"}},
		{"half JSON", fakegithub.Fault{Status: 200, Body: `[{"id":1,"number":7,"state":"op`}},
	}
}

// clock is a clock that waiting moves on at once, ahead of the machine's.
type clock struct {
	mu    sync.Mutex
	ahead time.Duration
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.ahead)
}

func (c *clock) pause(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead += d
	return ctx.Err()
}

// ask is one request of a run, told apart from the same one before it.
type ask struct {
	line  string // METHOD /path, with names in place of what differs
	match string
	skip  int
	write bool
}

// asks are the requests of a plain run, in their order.
func asks(t *testing.T) []ask {
	t.Helper()
	s := newScene(t)
	if code := Main(context.Background(), s.options()); code != 0 {
		t.Fatalf("a plain run exits %d\n%s", code, s.log.String())
	}
	short := strings.NewReplacer("/repos/"+repository+"/", "")
	sha, number, branch := regexp.MustCompile(`[0-9a-f]{40}`), regexp.MustCompile(`/[0-9]+\b`), regexp.MustCompile(`heads/main$`)
	var out []ask
	before := map[string]int{}
	for _, q := range s.world.Requests() {
		path, _, _ := strings.Cut(q.URI, "?")
		line := q.Method + " " + path
		plain := number.ReplaceAllString(branch.ReplaceAllString(sha.ReplaceAllString(short.Replace(line), "SHA"), "heads/BRANCH"), "/N")
		out = append(out, ask{line: plain, match: "^" + regexp.QuoteMeta(line) + `(\?|$)`, skip: before[line], write: q.Method != http.MethodGet})
		before[line]++
	}
	return append(out, ask{line: everything, match: "."})
}

// everything is all requests together.
const everything = "every request"

// met is what a run under a fault left.
type met struct {
	code                       int
	result, reason             string
	status, conclusion, posted string
}

func (m met) String() string {
	return fmt.Sprintf("%d %s (status %q, check %q, comment %q)", m.code, m.reason, m.status, m.conclusion, m.posted)
}

var reVerdict = regexp.MustCompile(`"result": "([a-z]+)"`)

// meet runs the main stage while one request of it meets a fault, and holds what holds whatever happens.
func meet(t *testing.T, xml string, at ask, f fakegithub.Fault) met {
	t.Helper()
	s := newScene(t)
	s.write("out/junit.xml", xml)
	f.Match, f.Skip, f.Times = at.match, at.skip, -1
	if err := s.world.Fault(f); err != nil {
		t.Fatal(err)
	}
	o, c := s.options(), &clock{}
	o.Clock, o.Pause, o.Try = c.now, c.pause, tryBound
	began := time.Now()
	m := met{code: Main(context.Background(), o)}
	if took := time.Since(began); c.ahead > total+posting || took > 30*time.Second {
		t.Errorf("it waited %s, and took %s", c.ahead, took)
	}
	r, on := s.receipt(), s.shown()
	m.result, m.reason, m.status, m.conclusion = string(r.Result), string(r.Reason), on.status, on.conclusion
	if said := reVerdict.FindStringSubmatch(on.comment); said != nil {
		m.posted = said[1]
	}
	if strings.Contains(s.log.String()+r.Scope.Look, "internal error") || !strings.Contains(s.file("GITHUB_STEP_SUMMARY"), "## ") {
		t.Errorf("it broke, or left no summary: %s", s.log.String())
	}
	if m.posted != "" && m.posted != m.result {
		t.Errorf("the comment says %s, the receipt %s", m.posted, m.result)
	}
	want := map[string][2]string{"pass": {"success", "success"}, "block": {"failure", "failure"}, "error": {"error", "failure"}, "wait": {"pending", "action_required"}}[m.result]
	if m.status != "" && m.status != want[0] || m.conclusion != "" && m.conclusion != want[1] || m.code == 0 != (m.result == "pass") {
		t.Errorf("the receipt says %s, and there is %s", m.result, m)
	}
	if m.conclusion == "" && on.checks > 0 && s.file("GITHUB_STATE") == "" {
		t.Error("a check run is left in progress, and nobody told the post stage")
	}
	return m
}

// TestFaults meets each request of a plain run with each fault: never a pass that the run without it would not give,
// never a panic, never over the deadline, and whatever is posted says the same. The table is shown with -v, and the
// documentation's is made of it.
func TestFaults(t *testing.T) {
	all, kinds := asks(t), faults()
	table := make([][]met, len(all))
	t.Run("each", func(t *testing.T) {
		for i, at := range all {
			table[i] = make([]met, len(kinds))
			for k, f := range kinds {
				t.Run(fmt.Sprintf("%d %s %s", i, at.line, f.name), func(t *testing.T) {
					t.Parallel()
					m := meet(t, green, at, f.Fault)
					table[i][k] = m
					switch {
					case m.code != 0 && m.code != 1 && m.code != 3:
						t.Errorf("exit %s", m)
					case at.write && m.code != 0:
						t.Errorf("what could not be posted changed the verdict: %s", m)
					case m.code == 0 && !at.write && !passes(at, f.name) || m.code == 0 && at.line == everything:
						t.Errorf("it passes without what it did not read: %s", m)
					}
					if f.StallMS > 0 {
						return // to the client it is a time-out, as the table shows
					}
					if m = meet(t, red, at, f.Fault); m.code != 1 && m.code != 3 || m.result == "pass" {
						t.Errorf("a false success: %s", m)
					}
				})
			}
		}
	})
	var b strings.Builder
	for i, at := range all {
		fmt.Fprintf(&b, "%s\n", at.line)
		for k, f := range kinds {
			fmt.Fprintf(&b, "    %-10s %s\n", f.name, table[i][k])
		}
	}
	t.Logf("one request of a sound run meets a fault:\n%s", b.String())
	documented(t, all, table)
}

// passes reports whether a run may pass although this read failed: what it says is known from elsewhere, or only what
// may be posted hangs on it.
func passes(at ask, fault string) bool {
	switch at.line {
	case "GET actions/runs/N/attempts/N/jobs": // the run attempt's own start is no later
		return true
	case "GET compare/SHA...SHA": // commits that cannot be compared: the pull request's own lists are held against the tree
		return fault == "404" || fault == "422" || fault == "500"
	case "GET commits/SHA/statuses": // whether a later run has spoken
		return true
	case "GET issues/N/comments": // again, before the comment is posted
		return at.skip > 0
	}
	return false
}

var update = flag.Bool("update", false, "write the table of the documentation anew")

// documented holds the table of docs/action.md against what was met.
func documented(t *testing.T, all []ask, table [][]met) {
	t.Helper()
	var b strings.Builder
	b.WriteString("\n| request | what goes wrong | exit | posted |\n|---|---|---|---|\n")
	kinds := faults()
	for i, at := range all {
		name := "`" + at.line + "`"
		switch before := slices.ContainsFunc(all[:i], func(a ask) bool { return a.line == at.line }); {
		case at.skip > 0:
			name += ", again"
		case before:
			name += " of the head commit"
		}
		if at.line == everything {
			name = at.line
		}
		for k := range kinds {
			if slices.ContainsFunc(table[i][:k], func(m met) bool { return m == table[i][k] }) {
				continue
			}
			var what []string
			for l := k; l < len(kinds); l++ {
				if table[i][l] == table[i][k] {
					what = append(what, kinds[l].name)
				}
			}
			wrong := strings.Join(what, ", ")
			if len(what) == len(kinds) {
				wrong = "anything"
			}
			fmt.Fprintf(&b, "| %s | %s | %d | %s |\n", name, wrong, table[i][k].code, table[i][k].surfaces())
		}
	}
	const file, begin, end = "../../docs/action.md", "<!-- faults:begin -->", "<!-- faults:end -->"
	doc, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := strings.Cut(string(doc), begin)
	said, tail, ended := strings.Cut(rest, end)
	switch {
	case !found || !ended:
		t.Errorf("%s has no place for the table", file)
	case said != b.String() && *update:
		if err := os.WriteFile(file, []byte(head+begin+b.String()+end+tail), 0o600); err != nil {
			t.Fatal(err)
		}
	case said != b.String():
		t.Errorf("%s has another table, run go test ./internal/stage -run TestFaults -update:\n%s", file, b.String())
	}
}

// surfaces names those that say the verdict.
func (m met) surfaces() string {
	var out []string
	for _, on := range [][2]string{{m.status, "status"}, {m.conclusion, "check run"}, {m.posted, "comment"}} {
		if on[0] != "" {
			out = append(out, on[1])
		}
	}
	if len(out) == 0 {
		return "nothing"
	}
	return strings.Join(out, ", ")
}
