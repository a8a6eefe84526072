//go:build !linux && !darwin

package collect

import "os"

// changeTime is not known on this system: size, modification time and identity have to do.
func changeTime(os.FileInfo) int64 { return 0 }
