package stage

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/fakegithub"
	"github.com/outcome-gate/outcome-gate/internal/mishap"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
)

// stageVar names the stage that this test program runs in the place of its tests.
const stageVar = "STAGE_OF_THE_TEST_PROGRAM"

func TestMain(m *testing.M) {
	stages := map[string]func(context.Context, Options) int{"main": Main, "post": Post}
	if run := stages[os.Getenv(stageVar)]; run != nil {
		os.Exit(run(context.Background(), Options{Version: "test", Getenv: os.Getenv, Log: os.Stdout, Clock: time.Now}))
	}
	os.Exit(m.Run())
}

// victim is a scene whose main stage is a process of its own.
type victim struct {
	*scene
	exe, output string
	hub         *hub
}

// hub is the way to the world. It kills the process at one request.
type hub struct {
	world *fakegithub.World
	mu    sync.Mutex
	seen  atomic.Int64
	at    int    // the request at which it kills, counted from 1; 0 is none
	after bool   // once the request was carried out, before it is answered
	kill  func() // the process; it was started when the first request comes
}

func (h *hub) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	hit, kill := h.seen.Add(1) == int64(h.at), h.kill
	h.mu.Unlock()
	if !hit {
		h.world.ServeHTTP(rw, r)
		return
	}
	if h.after {
		h.world.ServeHTTP(httptest.NewRecorder(), r)
	}
	kill()
	panic(http.ErrAbortHandler)
}

func newVictim(t *testing.T, xml string) *victim {
	t.Helper()
	v := &victim{scene: newScene(t), output: filepath.Join(t.TempDir(), "log")}
	v.hub = &hub{world: v.world}
	server := httptest.NewServer(v.hub)
	t.Cleanup(server.Close)
	v.env["GITHUB_API_URL"], v.env["GITHUB_SERVER_URL"] = server.URL+"/api/v3", server.URL
	v.write("out/junit.xml", xml)
	var err error
	if v.exe, err = os.Executable(); err != nil {
		t.Fatal(err)
	}
	if v.temp, err = filepath.EvalSymlinks(v.temp); err != nil {
		t.Fatal(err)
	}
	return v
}

func (v *victim) environment() []string {
	_ = v.options() // names the command files
	env := []string{stageVar + "=main"}
	for name, value := range v.env {
		env = append(env, name+"="+value)
	}
	return env
}

// atRequest runs the main stage and kills it at a request. It reports whether there was one, else the exit code.
func (v *victim) atRequest(n int, after bool) (killed bool, code int) {
	v.t.Helper()
	c := exec.Command(v.exe)
	c.Env, c.Dir = v.environment(), v.dir
	v.hub.mu.Lock()
	v.hub.at, v.hub.after, v.hub.kill = n, after, func() { _ = c.Process.Kill() }
	err := c.Start()
	v.hub.mu.Unlock()
	if err != nil {
		v.t.Fatal(err)
	}
	var ended *exec.ExitError
	if err := c.Wait(); err != nil && !errors.As(err, &ended) {
		v.t.Fatal(err)
	}
	return c.ProcessState.ExitCode() < 0, c.ProcessState.ExitCode()
}

// atStep runs the main stage and lets something go wrong at a change of a file in the runner's temporary folder.
func (v *victim) atStep(n int, what mishap.Kind) *mishap.Ended {
	v.t.Helper()
	p := &mishap.Program{Path: v.exe, Env: v.environment(), Dir: v.dir, Output: v.output, Folders: []string{v.temp}}
	e, err := p.Run(n, what)
	if errors.Is(err, mishap.ErrUnsupported) {
		v.t.Skip(err)
	}
	if err != nil {
		v.t.Fatal(err)
	}
	return e
}

// pairs reads a command file as the runner does: what stands before a mistake counts.
func pairs(text string) (out map[string]string, whole bool) {
	out = map[string]string{}
	lines := strings.SplitAfter(text, "\n")
	for i := 0; i < len(lines) && lines[i] != ""; {
		name, end, ok := strings.Cut(strings.TrimSuffix(lines[i], "\n"), "<<")
		if !ok {
			return out, false
		}
		value, found := "", false
		for i++; i < len(lines) && !found; i++ {
			if found = strings.TrimSuffix(lines[i], "\n") == end; !found {
				value += lines[i]
			}
		}
		if !found {
			return out, false
		}
		out[name] = strings.TrimSuffix(value, "\n")
	}
	return out, true
}

// expected is what the evidence of a scene comes to, on each surface.
type expected struct {
	xml                        string
	code                       int
	result, status, conclusion string
}

func sound() expected { return expected{green, 0, "pass", "success", "success"} }
func lie() expected   { return expected{red, 1, "block", "failure", "failure"} }

// left holds what a run that did not come to its end may leave: parts of what it would have said, and nothing before the
// receipt, which is whole or not there. torn says that its last write may be in pieces.
func (v *victim) left(want expected, torn bool) {
	v.t.Helper()
	var r *receipt.Receipt
	if text := v.file(receiptName); text != "" {
		r = v.receipt()
		if string(r.Result) != want.result {
			v.t.Errorf("the receipt says %s", r.Result)
		}
	}
	on := v.shown()
	posted := on.status != "" || on.conclusion != "" || on.comments > 0
	said := reVerdict.FindStringSubmatch(on.comment)
	switch {
	case on.status != "" && on.status != want.status, on.conclusion != "" && on.conclusion != want.conclusion, on.comments > 0 && (len(said) < 2 || said[1] != want.result):
		v.t.Errorf("not what the evidence comes to: %+v", on)
	case on.checks > 1 || on.comments > 1:
		v.t.Errorf("%d check runs, %d comments", on.checks, on.comments)
	case posted && r == nil:
		v.t.Error("a verdict is posted, and there is no receipt")
	}
	outputs, whole := pairs(v.file("GITHUB_OUTPUT"))
	if got, there := outputs["result"]; there && (got != want.result || r == nil || outputs["receipt-digest"] != "" && outputs["receipt-digest"] != r.Digest) || !whole && !torn {
		v.t.Errorf("outputs %v, whole %t, receipt %t", outputs, whole, r != nil)
	}
}

// open lists the check runs that are not completed, and counts all.
func (v *victim) open() (open []string, all int) {
	v.change(func(r *fakegithub.Repository) {
		for _, k := range r.CheckRuns {
			if all++; k.Status != "completed" {
				open = append(open, k.ExternalID)
			}
		}
	})
	return open, all
}

// last runs the last stage with what the runner knows of the main stage.
func (v *victim) last(want expected) {
	v.t.Helper()
	state, _ := pairs(v.file("GITHUB_STATE"))
	v.env["STATE_"+stateCheck] = state[stateCheck]
	if code := Post(context.Background(), v.options()); code != 0 {
		v.t.Errorf("the last stage exits %d\n%s", code, v.log.String())
	}
	if open, _ := v.open(); len(open) > 0 {
		v.t.Errorf("after the last stage is still open: %v", open)
	}
	if on := v.shown(); on.conclusion != "" && on.conclusion != want.conclusion && on.conclusion != "cancelled" {
		v.t.Errorf("after the last stage: %+v", on)
	}
}

// again runs the whole gate once more, as the next attempt, on the same machine or another, and holds that everything is as
// if nothing had happened.
func (v *victim) again(want expected, another bool) {
	v.t.Helper()
	for _, name := range []string{"GITHUB_OUTPUT", "GITHUB_STATE", "GITHUB_STEP_SUMMARY"} {
		_ = os.Remove(filepath.Join(v.temp, name)) // the runner gives each step its own
	}
	v.attempt++
	if another {
		v.temp = v.t.TempDir()
		v.env["RUNNER_TEMP"] = v.temp
	}
	code := Main(context.Background(), v.options())
	r, on := v.receipt(), v.shown()
	if code != want.code || string(r.Result) != want.result || on.status != want.status || on.conclusion != want.conclusion || on.comments != 1 {
		v.t.Errorf("the next run: exit %d, receipt %s, %+v\n%s", code, r.Result, on, v.log.String())
	}
	if said := reVerdict.FindStringSubmatch(on.comment); len(said) < 2 || said[1] != want.result {
		v.t.Errorf("after the next run the comment says %v", said)
	}
	if open, all := v.open(); len(open) > 0 || all > 2 {
		v.t.Errorf("after the next run are open: %v of %d", open, all)
	}
}

// tally counts what a loop over injected points met.
type tally struct {
	all                    int // points, of which one in a stride is tried
	mu                     sync.Mutex
	points, survived, lost int
}

// point runs one injected point in a test of its own; it is lost if that fails.
func (y *tally) point(t *testing.T, name string, f func(t *testing.T)) {
	if y.all++; y.all%stride != 0 {
		return
	}
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		ok := false
		defer func() {
			y.mu.Lock()
			defer y.mu.Unlock()
			if y.points++; ok && !t.Failed() {
				y.survived++
			} else if !t.Skipped() {
				y.lost++
			}
		}()
		f(t)
		ok = true
	})
}

// sum shows the figures and holds that nothing was lost, of at least so many points.
func (y *tally) sum(t *testing.T, least int, format string, args ...any) {
	t.Helper()
	t.Logf("%s: %d points, %d tried, %d survived, %d lost", fmt.Sprintf(format, args...), y.all, y.points, y.survived, y.lost)
	if y.all < least || y.points != y.all/stride || y.survived != y.points || y.lost > 0 {
		t.Error("not every point is survived")
	}
}

// TestKilledAtEachRequest kills the main stage at each request of its run, before and after GitHub carries it out. A lie
// is then judged again on another machine, without the last stage; what is sound has the last stage run first.
func TestKilledAtEachRequest(t *testing.T) {
	whole := newVictim(t, green)
	if killed, code := whole.atRequest(0, false); killed || code != 0 {
		t.Fatalf("undisturbed it exits %d", code)
	}
	requests, y := int(whole.hub.seen.Load()), &tally{}
	t.Run("each", func(t *testing.T) {
		for name, want := range map[string]expected{"sound": sound(), "lie": lie()} {
			for n := 1; n <= requests+1; n++ {
				for _, after := range []bool{false, true} {
					y.point(t, fmt.Sprintf("%s %d %t", name, n, after), func(t *testing.T) {
						v := newVictim(t, want.xml)
						killed, code := v.atRequest(n, after)
						if killed != (n <= requests) || !killed && code != want.code {
							t.Fatalf("killed %t, exit %d", killed, code)
						}
						v.left(want, false)
						if name == "sound" {
							v.last(want)
						}
						v.again(want, name == "lie")
					})
				}
			}
		}
	})
	y.sum(t, 4*requests, "kill -9 at each of %d requests, before and after it is carried out", requests)
}

// TestKilledAtEachWrite kills the main stage before each change of a file in the runner's temporary folder, and halfway
// through it.
func TestKilledAtEachWrite(t *testing.T) {
	whole := newVictim(t, green)
	e := whole.atStep(0, mishap.Nothing)
	if e.Killed || e.Code != 0 {
		t.Fatalf("undisturbed it exits %d", e.Code)
	}
	steps, y := len(e.Steps), &tally{}
	t.Run("each", func(t *testing.T) {
		for name, want := range map[string]expected{"sound": sound(), "lie": lie()} {
			for n := 1; n <= steps+1; n++ {
				for _, what := range []mishap.Kind{mishap.Kill, mishap.Tear} {
					if what == mishap.Tear && (n > steps || e.Steps[n-1].Call != "write") {
						continue // there is no half of it
					}
					y.point(t, fmt.Sprintf("%s %d %s", name, n, what), func(t *testing.T) {
						v := newVictim(t, want.xml)
						e := v.atStep(n, what)
						if e.Killed != (n <= steps) || !e.Killed && e.Code != want.code {
							t.Fatalf("killed %t, exit %d, %d steps", e.Killed, e.Code, len(e.Steps))
						}
						v.left(want, what == mishap.Tear)
						if name == "sound" {
							v.last(want)
						}
						v.again(want, name == "lie")
					})
				}
			}
		}
	})
	y.sum(t, 2*steps, "kill -9 at each of %d changes of a file, and halfway through a write", steps)
}

// TestKilledWithTheCommentAlone is the same for a gate that posts nothing but the comment, and learns from it alone whose
// the token is: for a while there are two of them, and a killed run leaves both.
func TestKilledWithTheCommentAlone(t *testing.T) {
	begin := func(t *testing.T) *victim {
		v := newVictim(t, red)
		v.env["INPUT_CHECK-RUN"], v.env["INPUT_STATUS"] = "off", "off"
		if code := Main(context.Background(), v.options()); code != 1 {
			t.Fatalf("exit %d", code)
		}
		v.attempt = 2
		v.hub.seen.Store(0)
		return v
	}
	whole := begin(t)
	if killed, code := whole.atRequest(0, false); killed || code != 1 {
		t.Fatalf("undisturbed it exits %d", code)
	}
	requests, y := int(whole.hub.seen.Load()), &tally{}
	t.Run("each", func(t *testing.T) {
		for n := 1; n <= requests; n++ {
			for _, after := range []bool{false, true} {
				y.point(t, fmt.Sprintf("%d %t", n, after), func(t *testing.T) {
					v := begin(t)
					if killed, code := v.atRequest(n, after); !killed {
						t.Fatalf("exit %d", code)
					}
					v.attempt = 3
					if code := Main(context.Background(), v.options()); code != 1 {
						t.Errorf("the next run: exit %d", code)
					}
					if on := v.shown(); on.comments != 1 || !strings.Contains(on.comment, `"run_attempt": 3`) {
						t.Errorf("the next run left %d comments, the newest: %s", on.comments, on.comment)
					}
				})
			}
		}
	})
	y.sum(t, 2*requests, "kill -9 at each of %d requests of a run that posts the comment alone", requests)
}
