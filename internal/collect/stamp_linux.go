package collect

import (
	"os"
	"syscall"
)

// changeTime is the time of the last change of a file's bytes or attributes, which no program can set, in
// nanoseconds since 1970.
func changeTime(fi os.FileInfo) int64 {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return 0
	}
	return st.Ctim.Nano()
}
