package collect

import (
	"context"
	"os"
	"time"
)

// How long after a file's last change another one may get the same time: the longest tick of the systems that this runs
// on is 16 ms, and some file systems count seconds, which shows as a time without a fraction.
const (
	tick   = 20 * time.Millisecond
	coarse = time.Second + tick
)

// unsettled is how long it takes until a change of the file would show in its times; 0 if it would already. The clock
// may be another one's than that of the file system, so a time that lies a little ahead is as new as one can be.
func unsettled(changed, now time.Time) time.Duration {
	needs := tick
	if changed.Nanosecond() == 0 {
		needs = coarse
	}
	switch age := now.Sub(changed); {
	case age >= needs, age <= -coarse: // a change now would set it back
		return 0
	case age < 0:
		return needs
	default:
		return needs - age
	}
}

// settle waits until a change of the file shows in its times: what is written while it is read would not, where it was
// written just before.
func settle(ctx context.Context, info os.FileInfo) error {
	changed := info.ModTime()
	if t := changeTime(info); t != 0 {
		changed = time.Unix(0, t)
	}
	d := unsettled(changed, time.Now())
	if d == 0 {
		return nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
