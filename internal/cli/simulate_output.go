package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// outputFile is a file that appears under its name only when it is complete, so that a
// run that fails leaves what was there before.
type outputFile struct {
	flag, name string
	file       *os.File
	direct     bool // a device or pipe, which cannot be replaced
}

// createOutput begins the file that a flag asks for.
func createOutput(flag, name string) (*outputFile, error) {
	if err := checkOutput(name); err != nil {
		return nil, fmt.Errorf("--%s: %w", flag, err)
	}
	o := &outputFile{flag: flag, name: name}
	var err error
	if info, statErr := os.Stat(name); statErr == nil && !info.Mode().IsRegular() {
		o.direct = true
		o.file, err = os.OpenFile(name, os.O_WRONLY, 0)
	} else {
		o.file, err = os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	}
	if err != nil {
		var path *os.PathError
		if errors.As(err, &path) { // the reader knows the name that was asked for
			err = path.Err
		}
		return nil, fmt.Errorf("--%s: %s: %w", flag, name, err)
	}
	return o, nil
}

// writer returns where to write, or nil if there is no file.
func (o *outputFile) writer() io.Writer {
	if o == nil {
		return nil
	}
	return o.file
}

// end puts the file in its place, or throws it away if something has failed before.
func (o *outputFile) end(failed error) error {
	if o == nil {
		return nil
	}
	if o.direct {
		return o.explain(o.file.Close())
	}
	if failed != nil {
		o.file.Close()
		os.Remove(o.file.Name())
		return nil
	}
	err := errors.Join(o.file.Chmod(0o644), o.file.Close())
	if err == nil {
		err = os.Rename(o.file.Name(), o.name)
	}
	if err != nil {
		os.Remove(o.file.Name())
	}
	return o.explain(err)
}

func (o *outputFile) explain(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("--%s: %s: %w", o.flag, o.name, err)
}
