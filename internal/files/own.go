package files

import (
	"errors"
	"io"
	"os"
)

// ErrInUse means that another process owns a file.
var ErrInUse = errors.New("in use by another process")

// Own locks a file for this process until it is closed or the process ends, however that ends:
// the file stays, the lock does not. It returns ErrInUse if another process has the lock. Without
// support for locks, every process succeeds.
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
