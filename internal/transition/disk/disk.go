// Package disk is the edge of package transition: it keeps a task's file and its receipts so that nothing is lost,
// whenever a process is killed and however often an answer is delivered.
//
// It decides nothing. Whoever holds the lock beside the file is alone with it. A receipt is on disk, whole and synced,
// before the state that it gives is: after a kill the next delivery takes the receipt that lies there for its own. It
// trusts nothing that it finds: a file that is torn or of something else is named and stays as it is.
package disk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/transition"
)

// Bounds in time: a delivery that waits for another one waits for its judgement too, which may look at an address for
// minutes.
const (
	lockWait  = 10 * time.Minute
	lockPause = 5 * time.Millisecond // between two looks at the lock, growing to the next
	lockLong  = 200 * time.Millisecond
)

// maxReceipt bounds a receipt that is read back, in bytes.
const maxReceipt = 64 << 20

// Keeper keeps the runs of one task.
type Keeper struct {
	path string
	wait time.Duration
	// before is called before each thing that is done to the disk; an error ends the delivery there, as a kill would.
	before func(what, path string) error
}

// New is the keeper of the file at path. Beside it lie path.lock, which is never removed, and the folder path.receipts.
func New(path string) *Keeper {
	return &Keeper{path: path, wait: lockWait, before: func(string, string) error { return nil }}
}

// Answer is what a delivery comes to.
type Answer struct {
	Receipt *receipt.Receipt
	State   transition.State // of the delivery's run
	// Known says that the run was judged by an earlier delivery, and the receipt is the one of then.
	Known bool
}

// Deliver enters a delivery, has it judged if nobody did, and gives the receipt. Deliveries that are equal are one run
// and have one receipt, whoever comes first; a run that waits is judged anew at each delivery, and keeps the newest
// receipt. An error leaves the state as it was, or as a claim that the next equal delivery brings to its end.
func (k *Keeper) Deliver(ctx context.Context, d *transition.Delivery, judge func(context.Context) (*receipt.Receipt, error)) (a Answer, err error) {
	unlock, err := k.lock(ctx)
	if err != nil {
		return Answer{}, fmt.Errorf("lock the transition %s: %w", k.path, err)
	}
	defer func() { err = errors.Join(err, unlock()) }()
	f, err := k.read()
	if err != nil {
		return Answer{}, fmt.Errorf("read the transition %s: %w; it stays as it is", k.path, err)
	}
	run := f.Find(d.ID())
	if run != nil && run.Settled() {
		r, err := k.kept(run)
		if err == nil {
			err = k.dropBefore(run)
		}
		return Answer{Receipt: r, State: run.State, Known: true}, err
	}
	if run == nil {
		if run, err = f.Begin(d); err != nil {
			return Answer{}, fmt.Errorf("write the transition %s: %w: begin another file", k.path, err)
		}
		if err := k.write(f); err != nil {
			return Answer{}, err
		}
	}
	if run.State == transition.Running { // nothing is claimed, so nothing is concluded
		r, err := judge(ctx)
		return Answer{Receipt: r, State: run.State}, err
	}
	return k.conclude(ctx, f, run, judge)
}

// conclude brings a run that is claimed, or waits, to its next state.
func (k *Keeper) conclude(ctx context.Context, f *transition.File, run *transition.Run, judge func(context.Context) (*receipt.Receipt, error)) (Answer, error) {
	if err := k.dropBefore(run); err != nil { // an earlier delivery was killed before it did
		return Answer{}, err
	}
	name := transition.ReceiptName(run.ID, run.Judged+1)
	r, err := k.load(name)
	known := err == nil
	if known && r.Subject.HeadSHA != run.HeadSHA {
		err = fmt.Errorf("read the receipt %s: it is of another commit", name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		if r, err = judge(ctx); err == nil && transition.StateOf(r) != "" {
			err = k.save(name, r)
		}
	}
	if err != nil {
		return Answer{}, err
	}
	if run.Conclude(r) {
		if err := k.write(f); err != nil {
			return Answer{}, err
		}
		if err := k.dropBefore(run); err != nil {
			return Answer{}, err
		}
	}
	return Answer{Receipt: r, State: run.State, Known: known}, nil
}

// read reads the file; one that is not there has no runs.
func (k *Keeper) read() (*transition.File, error) {
	data, err := readRegular(k.path, transition.MaxFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &transition.File{}, nil
	case err != nil:
		return nil, err
	}
	return transition.Parse(data)
}

// write puts the file in its place.
func (k *Keeper) write(f *transition.File) error {
	data, err := f.Bytes()
	if err != nil {
		return err
	}
	if err := k.place(k.path, data); err != nil {
		return fmt.Errorf("write the transition %s: %w", k.path, err)
	}
	return nil
}

// folder is where the receipts lie.
func (k *Keeper) folder() string { return k.path + ".receipts" }

// kept reads the receipt of a run that is settled: without it there is no state.
func (k *Keeper) kept(run *transition.Run) (*receipt.Receipt, error) {
	r, err := k.load(run.Receipt)
	if err == nil && !run.Agrees(r) {
		err = fmt.Errorf("read the receipt %s: it is not the one that the state of its run came from", run.Receipt)
	}
	if err != nil {
		return nil, fmt.Errorf("read the transition %s: a run is %s and its receipt cannot be used: %w", k.path, run.State, err)
	}
	return r, nil
}

// load reads a receipt and replays it.
func (k *Keeper) load(name string) (*receipt.Receipt, error) {
	data, err := readRegular(filepath.Join(k.folder(), name), maxReceipt)
	if err != nil {
		return nil, fmt.Errorf("read the receipt %s: %w", name, err)
	}
	r, err := receipt.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("read the receipt %s: %w", name, err)
	}
	if diff, err := receipt.Replay(r); err != nil || diff != nil {
		return nil, errors.Join(fmt.Errorf("read the receipt %s: its replay differs", name), err)
	}
	return r, nil
}

// save puts a receipt into the folder.
func (k *Keeper) save(name string, r *receipt.Receipt) error {
	data, err := r.Bytes()
	if err != nil {
		return err
	}
	if err := k.before("mkdir", k.folder()); err != nil {
		return err
	}
	err = os.Mkdir(k.folder(), 0o700)
	switch {
	case err == nil:
		err = syncFolder(filepath.Dir(k.folder()))
	case errors.Is(err, fs.ErrExist):
		err = nil
	}
	if err == nil {
		err = k.place(filepath.Join(k.folder(), name), append(data, '\n'))
	}
	if err != nil {
		return fmt.Errorf("write the receipt %s: %w", name, err)
	}
	return nil
}

// dropBefore removes the receipt that the newest one of a run took the place of.
func (k *Keeper) dropBefore(run *transition.Run) error {
	if run.Judged < 2 {
		return nil
	}
	name := transition.ReceiptName(run.ID, run.Judged-1)
	path := filepath.Join(k.folder(), name)
	if err := k.before("remove", path); err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the receipt %s: %w", name, err)
	}
	return nil
}

// place puts data at path in one step, and has it on the disk when it returns. It is written beside the path, where
// what an earlier delivery left when it was killed goes first.
func (k *Keeper) place(path string, data []byte) error {
	fresh := path + ".new"
	for _, s := range []struct {
		what string
		do   func() error
	}{
		{"clear", func() error {
			if err := os.Remove(fresh); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			return nil
		}},
		{"create", func() error { return k.fill(fresh, data) }},
		{"rename", func() error { return os.Rename(fresh, path) }},
		{"sync folder", func() error { return syncFolder(filepath.Dir(path)) }},
	} {
		if err := k.before(s.what, path); err != nil {
			return err
		}
		if err := s.do(); err != nil {
			return err
		}
	}
	return nil
}

// fill creates a file that was not there, with data that is on the disk.
func (k *Keeper) fill(path string, data []byte) error {
	t, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	half := len(data) / 2 // a kill between the two leaves a torn file, which never gets its name
	_, err = t.Write(data[:half])
	if stop := k.before("write", path); stop != nil {
		return errors.Join(stop, t.Close())
	}
	if err == nil {
		_, err = t.Write(data[half:])
	}
	return errors.Join(err, t.Sync(), t.Close())
}

// readRegular reads at most limit bytes of a regular file: never through a link, and never what would block.
func readRegular(path string, limit int64) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is no regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("it has over %d bytes", limit)
	}
	return data, nil
}

// errBusy says that another process or goroutine holds the lock.
var errBusy = errors.New("another delivery holds it")

// lock waits until no other delivery is at the file. The system lets the lock go when its holder ends, however it does.
func (k *Keeper) lock(ctx context.Context) (unlock func() error, err error) {
	end := time.NewTimer(k.wait)
	defer end.Stop()
	for pause := lockPause; ; pause = min(2*pause, lockLong) {
		f, err := tryLock(k.path + ".lock")
		if err == nil {
			return f.Close, nil
		}
		if !errors.Is(err, errBusy) {
			return nil, err
		}
		// Many that look at the same moments would let it lie between them.
		again := time.NewTimer(rand.N(2 * pause)) //nolint:gosec // G404: nobody gains by guessing it
		select {
		case <-again.C:
		case <-end.C:
			again.Stop()
			return nil, fmt.Errorf("%w, and has for %s", err, k.wait)
		case <-ctx.Done():
			again.Stop()
			return nil, context.Cause(ctx)
		}
	}
}
