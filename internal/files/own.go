package files

import (
	"errors"
	"io"
	"os"
)

// ErrInUse means that another process owns a file.
var ErrInUse = errors.New("in use by another process")

// Own makes a file the process's own until it is closed, or until the process ends, however
// that ends: the file stays, the lock on it does not. It is ErrInUse if another has it. Where
// the system or the file system knows no locks, everybody owns the file.
func Own(name string) (io.Closer, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, named(name, err)
	}
	if taken(f) {
		return nil, errors.Join(ErrInUse, f.Close())
	}
	return f, nil
}
