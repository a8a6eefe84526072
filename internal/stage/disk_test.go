package stage

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/outcome-gate/outcome-gate/internal/mishap"
	"github.com/outcome-gate/outcome-gate/internal/render"
)

// whole holds what a run with a bad disk may end with: the verdict of the evidence with its receipt, or that it could not
// look, on every surface alike; and nothing in pieces.
func (v *victim) whole(want expected, e *mishap.Ended) {
	v.t.Helper()
	if _, ok := pairs(v.file("GITHUB_STATE")); !ok {
		v.t.Errorf("the state is in pieces: %q", v.file("GITHUB_STATE"))
	}
	outputs, ok := pairs(v.file("GITHUB_OUTPUT"))
	if !ok {
		v.t.Errorf("the outputs are in pieces: %q", v.file("GITHUB_OUTPUT"))
	}
	on, summary := v.shown(), v.file("GITHUB_STEP_SUMMARY")
	log, err := os.ReadFile(v.output)
	if err != nil {
		v.t.Fatal(err)
	}
	if open, _ := v.open(); len(open) > 0 || on.comments != 1 {
		v.t.Errorf("left open: %v, %d comments", open, on.comments)
	}
	said := reVerdict.FindStringSubmatch(on.comment)
	if v.file(receiptName) == "" {
		if e.Code != 3 || on.status != "error" || on.conclusion != "failure" || said == nil || said[1] != "error" || outputs["result"] != "" && outputs["result"] != "error" || outputs["receipt-path"] != "" {
			v.t.Errorf("without a receipt: exit %d, %+v, outputs %v", e.Code, on, outputs)
		}
		if !strings.Contains(string(log), "publish: failed: receipt file:") || summary != "" && !strings.Contains(summary, "could not be written") {
			v.t.Errorf("nobody says why: %s", log)
		}
		return
	}
	r := v.receipt()
	if string(r.Result) != want.result || on.status != want.status || on.conclusion != want.conclusion || said == nil || said[1] != want.result {
		v.t.Errorf("receipt %s, %+v", r.Result, on)
	}
	if summary != "" && summary != strings.TrimRight(render.Markdown(r), "\n")+"\n" {
		v.t.Errorf("the summary is in pieces:\n%s", summary)
	}
	if wrote := outputs["result"] != ""; wrote && outputs["result"] != want.result || e.Code != 3 && (e.Code != want.code || !wrote) || wrote && e.Code != want.code {
		v.t.Errorf("exit %d, outputs %v", e.Code, outputs)
	}
}

// TestBadDisk lets the disk be full, broken or read-only from each change of a file on that the main stage makes.
func TestBadDisk(t *testing.T) {
	v := newVictim(t, green)
	first := v.atStep(0, mishap.Nothing)
	v.whole(sound(), first)
	steps, y, codes := len(first.Steps), &tally{}, map[string]int{}
	t.Run("each", func(t *testing.T) {
		for name, want := range map[string]expected{"sound": sound(), "lie": lie()} {
			for n := 1; n <= steps; n++ {
				for _, what := range []mishap.Kind{mishap.Full, mishap.Broken, mishap.ReadOnly} {
					if name == "lie" && what != mishap.Full {
						continue // it is posted as what is sound is
					}
					y.point(t, fmt.Sprintf("%s %d %s %s", name, n, first.Steps[n-1].Call, what), func(t *testing.T) {
						v := newVictim(t, want.xml)
						e := v.atStep(n, what)
						if e.Killed || e.Code != want.code && e.Code != 3 {
							t.Fatalf("killed %t, exit %d", e.Killed, e.Code)
						}
						v.whole(want, e)
						if left, _ := os.ReadDir(v.temp); what == mishap.Full && len(left) > 4 {
							t.Errorf("drafts are left: %v", left)
						}
						y.mu.Lock()
						defer y.mu.Unlock()
						codes[fmt.Sprintf("exit %d of a %s", e.Code, name)]++
					})
				}
			}
		}
	})
	y.sum(t, 4*steps, "a full, a broken and a read-only disk from each of %d changes of a file on, and %v", steps, codes)
}
