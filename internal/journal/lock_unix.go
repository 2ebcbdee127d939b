//go:build unix

package journal

import (
	"errors"
	"os"
	"syscall"
)

// lock waits until no other process appends. The lock ends with the process, however that ends.
// On a file system without locks, a file must have only one writer in any case.
func lock(f *os.File) (unlock func(), err error) {
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.ENOLCK) || errors.Is(err, syscall.ENOSYS) {
		return func() {}, nil
	}
	return func() { _ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }, err
}

// hold takes the lock until the file is closed, without waiting for it.
func hold(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return ErrHeld
	case errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.ENOLCK) || errors.Is(err, syscall.ENOSYS):
		return nil
	}
	return err
}
