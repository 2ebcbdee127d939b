//go:build unix

package files

import (
	"errors"
	"os"
	"syscall"
)

// lock marks a file as being written. It ends with the process, however that ends. Where
// the file system knows no locks, nothing is lost but the mark.
func lock(f *os.File) { _ = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }

// free reports whether nobody has locked a file.
func free(f *os.File) bool { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil }

// taken locks a file, unless another has; then it reports that.
func taken(f *os.File) bool {
	return errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}
