package plan

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// WriteFile writes the whole plan, compressed if the name ends in .gz. The file
// appears under its name only when it is complete, so that an interrupted or failed
// write loses nothing that was there before.
func (p *Plan) WriteFile(name string) (err error) {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return p.writeInto(name) // a device or pipe cannot be replaced
	}
	temp, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		var path *os.PathError
		if errors.As(err, &path) { // the reader knows the name that was asked for
			err = fmt.Errorf("%s: %w", name, path.Err)
		}
		return err
	}
	defer func() {
		err = errors.Join(err, temp.Close())
		if err == nil {
			err = os.Rename(temp.Name(), name)
		}
		if err != nil {
			os.Remove(temp.Name())
		}
	}()
	if err := temp.Chmod(0o644); err != nil {
		return err
	}
	return p.encodeAs(name, temp)
}

func (p *Plan) writeInto(name string) error {
	file, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(p.encodeAs(name, file), file.Close())
}

func (p *Plan) encodeAs(name string, w io.Writer) error {
	if !strings.HasSuffix(name, ".gz") {
		return p.Encode(w)
	}
	zip := gzip.NewWriter(w)
	return errors.Join(p.Encode(zip), zip.Close())
}

// ReadFile reads a plan, compressed if the name ends in .gz. Errors name the file.
func ReadFile(name string) (*Plan, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var r io.Reader = bufio.NewReaderSize(file, 1<<16)
	if strings.HasSuffix(name, ".gz") {
		if r, err = gzip.NewReader(r); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	p, err := Decode(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return p, nil
}
