package disk

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/transition"
)

// TestWaiting holds that a run that waits is judged at each delivery, and keeps only its newest receipt.
func TestWaiting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "task.json")
	var j judge
	d := delivery(1)
	for i, end := range []string{"waits", "waits", "blind", "waits", "success", "failure"} {
		a, err := New(path).Deliver(t.Context(), d, j.of(d, end))
		if err != nil {
			t.Fatal(err)
		}
		f, on := sound(t, path)
		want := transition.Waiting
		if i > 3 {
			want = transition.Verified
		}
		if run := f.Find(d.ID()); a.State != want || run.State != want || on[d.ID()] != 1 || len(f.Runs) != 1 {
			t.Errorf("%d %s: %+v, %+v, %d receipts", i, end, a.State, run, on[d.ID()])
		}
	}
	if j.n[d.ID()] != 5 {
		t.Errorf("judged %d times", j.n[d.ID()])
	}
}

// TestNoConclusion holds that where nothing was concluded the claim stands, and is judged at the next delivery; and that
// an admission is no claim.
func TestNoConclusion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "task.json")
	admission := delivery(1)
	admission.Admission = true
	var j judge
	a, err := New(path).Deliver(t.Context(), admission, j.of(admission, "success"))
	if f, on := sound(t, path); err != nil || a.State != transition.Running || f.State != transition.Running || len(on) > 0 {
		t.Errorf("an admission: %+v, %v, %v", a, err, on)
	}
	d := delivery(1)
	a, err = New(path).Deliver(t.Context(), d, j.of(d, "blind"))
	if f, on := sound(t, path); err != nil || a.State != transition.Claimed || f.State != transition.Claimed || len(f.Runs) != 1 || len(on) > 0 {
		t.Errorf("an error: %+v, %v, %v", a, err, on)
	}
	if _, err := New(path).Deliver(t.Context(), d, func(context.Context) (*receipt.Receipt, error) { return nil, fs.ErrPermission }); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("%v", err)
	}
	a, err = New(path).Deliver(t.Context(), d, j.of(d, "success"))
	if f, on := sound(t, path); err != nil || a.State != transition.Verified || f.State != transition.Verified || len(on) != 1 {
		t.Errorf("%+v, %v, %v", a, err, on)
	}
	// An older run that comes again does not become the newest.
	e := delivery(2)
	if _, err := New(path).Deliver(t.Context(), e, j.of(e, "failure")); err != nil {
		t.Fatal(err)
	}
	a, err = New(path).Deliver(t.Context(), d, j.of(d, "failure"))
	if f, _ := sound(t, path); err != nil || !a.Known || a.State != transition.Verified || f.State != "validator_failed" {
		t.Errorf("%+v, %v, %s", a, err, f.State)
	}
}

// TestFull holds that a file with as many runs as it takes refuses another, and still answers for those that it has.
func TestFull(t *testing.T) {
	k := New(filepath.Join(t.TempDir(), "task.json"))
	f := &transition.File{}
	for n := range transition.MaxRuns {
		if _, err := f.Begin(delivery(n)); err != nil {
			t.Fatal(err)
		}
	}
	if err := k.write(f); err != nil {
		t.Fatal(err)
	}
	var j judge
	if _, err := k.Deliver(t.Context(), delivery(-1), j.of(delivery(-1), "success")); !errors.Is(err, transition.ErrFull) || len(j.n) > 0 {
		t.Errorf("%v", err)
	}
	if a, err := k.Deliver(t.Context(), delivery(3), j.of(delivery(3), "success")); err != nil || a.State != transition.Verified {
		t.Errorf("%+v, %v", a, err)
	}
}

// TestForeign holds that what is torn, of something else, edited or no file is named and stays as it is.
func TestForeign(t *testing.T) {
	d := delivery(1)
	var j judge
	whole := filepath.Join(t.TempDir(), "task.json")
	if _, err := New(whole).Deliver(t.Context(), d, j.of(d, "success")); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ text, want string }{
		"torn":    {string(good[:len(good)/2]), "cut short"},
		"empty":   {"", "it is empty"},
		"foreign": {`{"name": "left-pad"}`, "something else"},
		"edited":  {strings.ReplaceAll(string(good), `"state": "verified"`, `"state": "missing"`), "the state of its run came from"},
	} {
		path := filepath.Join(t.TempDir(), "task.json")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(path+".receipts", os.DirFS(whole+".receipts")); err != nil {
			t.Fatal(err)
		}
		_, err := New(path).Deliver(t.Context(), d, j.of(d, "success"))
		if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if left, err := os.ReadFile(path); err != nil || string(left) != c.text {
			t.Errorf("%s: it was written over: %q, %v", name, left, err)
		}
	}
	dir := t.TempDir()
	for name, put := range map[string]func(path string) error{
		"folder": func(p string) error { return os.Mkdir(p, 0o755) },
		"link":   func(p string) error { return os.Symlink(whole, p) },
	} {
		path := filepath.Join(dir, name)
		if err := put(path); err != nil {
			t.Fatal(err)
		}
		if _, err := New(path).Deliver(t.Context(), d, j.of(d, "success")); err == nil || !strings.Contains(err.Error(), "no regular file") {
			t.Errorf("a %s: %v", name, err)
		}
	}
	if again, err := os.ReadFile(whole); err != nil || string(again) != string(good) {
		t.Errorf("the whole one changed: %v", err)
	}
	if j.n[d.ID()] != 1 {
		t.Errorf("judged %d times", j.n[d.ID()])
	}
}

// TestReceiptsNotBelieved holds that a receipt that lies in the way is believed only if it replays and is of this commit.
func TestReceiptsNotBelieved(t *testing.T) {
	d := delivery(1)
	made := func(change func(*receipt.Receipt)) *receipt.Receipt {
		r, err := judgement("success", time.Now())
		if err != nil {
			t.Fatal(err)
		}
		change(r)
		return r
	}
	for name, c := range map[string]struct {
		r  *receipt.Receipt
		ok bool
	}{
		"sound":  {made(func(*receipt.Receipt) {}), true},
		"forged": {made(func(r *receipt.Receipt) { r.Verdict = "EXITED" }), false},
		"of another commit": {made(func(r *receipt.Receipt) {
			r.Subject.HeadSHA = strings.Repeat("b", 40)
			if err := r.Complete(); err != nil {
				t.Fatal(err)
			}
		}), false},
	} {
		k := New(filepath.Join(t.TempDir(), "task.json"))
		if err := k.save(transition.ReceiptName(d.ID(), 1), c.r); err != nil {
			t.Fatal(err)
		}
		var j judge
		a, err := k.Deliver(t.Context(), d, j.of(d, "failure"))
		if (err == nil) != c.ok || len(j.n) != 0 || c.ok && (a.State != transition.Verified || !a.Known) {
			t.Errorf("%s: %+v, %v", name, a.State, err)
		}
		if f, _ := sound(t, k.path); !c.ok && f.State != transition.Claimed {
			t.Errorf("%s: %s", name, f.State)
		}
	}
	// A state whose receipt is gone is none.
	k := New(filepath.Join(t.TempDir(), "task.json"))
	var j judge
	if _, err := k.Deliver(t.Context(), d, j.of(d, "success")); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(k.folder()); err != nil {
		t.Fatal(err)
	}
	if _, err := k.Deliver(t.Context(), d, j.of(d, "success")); err == nil || j.n[d.ID()] != 1 {
		t.Errorf("%v, judged %d times", err, j.n[d.ID()])
	}
}

// TestNoPlace holds that a delivery that cannot be kept is not judged.
func TestNoPlace(t *testing.T) {
	var j judge
	d := delivery(1)
	if _, err := New(filepath.Join(t.TempDir(), "absent", "task.json")).Deliver(t.Context(), d, j.of(d, "success")); !errors.Is(err, fs.ErrNotExist) || len(j.n) > 0 {
		t.Errorf("%v", err)
	}
	path := filepath.Join(t.TempDir(), "task.json")
	if err := os.WriteFile(path+".receipts", nil, 0o600); err != nil { // where the folder has to be
		t.Fatal(err)
	}
	if _, err := New(path).Deliver(t.Context(), d, j.of(d, "success")); err == nil {
		t.Error("there is no receipt, and no error")
	}
	if f, err := New(path).read(); err != nil || f.State != transition.Claimed {
		t.Errorf("%+v, %v", f, err)
	}
}

// TestLock holds that a delivery waits for another one, not without end, and not longer than its caller.
func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "task.json")
	d := delivery(1)
	inside, leave := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		if _, err := New(path).Deliver(t.Context(), d, func(context.Context) (*receipt.Receipt, error) {
			close(inside)
			<-leave
			return judgement("success", time.Now())
		}); err != nil {
			t.Error(err)
		}
	})
	<-inside
	k := New(path)
	k.wait = 30 * time.Millisecond
	var j judge
	if _, err := k.Deliver(t.Context(), d, j.of(d, "success")); !errors.Is(err, errBusy) {
		t.Errorf("%v", err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer stop()
	if _, err := New(path).Deliver(ctx, d, j.of(d, "success")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	close(leave)
	wg.Wait()
	if a, err := New(path).Deliver(t.Context(), d, j.of(d, "success")); err != nil || !a.Known || len(j.n) != 0 {
		t.Errorf("%+v, %v", a, err)
	}
}
