package disk

import (
	"errors"
	"os"
	"syscall"
)

// sharing is ERROR_SHARING_VIOLATION: somebody has the file open and shares it with nobody.
const sharing syscall.Errno = 32

// tryLock opens a file, which it creates if it must, and shares it with nobody until it is closed. errBusy: another
// has it open.
func tryLock(path string) (*os.File, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil, syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, sharing) {
		return nil, errBusy
	}
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(h), path), nil
}

// syncFolder does nothing: Windows opens no folder to sync it, and writes its names with the file's own.
func syncFolder(string) error { return nil }
