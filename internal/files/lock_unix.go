//go:build unix

package files

import (
	"errors"
	"os"
	"syscall"
)

// lock marks a file as being written. The lock ends with the process, however that ends. If the
// file system has no locks, only the mark is lost.
func lock(f *os.File) { _ = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }

// free reports whether no process has locked a file.
func free(f *os.File) bool { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil }

// taken locks a file, or reports that another process has locked it.
func taken(f *os.File) bool {
	return errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}
