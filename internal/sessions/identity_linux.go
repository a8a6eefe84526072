package sessions

import (
	"fmt"
	"io/fs"
	"syscall"
	"time"
)

// identity is what tells a file from another in its place, and when its attributes changed last, which nobody can set back.
func identity(info fs.FileInfo) (id string, changed time.Time, ok bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", time.Time{}, false
	}
	changed = time.Unix(s.Ctim.Unix())
	return fmt.Sprintf("%d %d %d", s.Dev, s.Ino, changed.UnixNano()), changed, true
}
