package plan

import (
	"bufio"
	"compress/gzip"
	"context"
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
func (p *Plan) WriteFile(ctx context.Context, name string) (err error) {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return p.writeInto(ctx, name) // a device or pipe cannot be replaced
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
	return p.encodeAs(ctx, name, temp)
}

func (p *Plan) writeInto(ctx context.Context, name string) error {
	file, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(p.encodeAs(ctx, name, file), file.Close())
}

func (p *Plan) encodeAs(ctx context.Context, name string, w io.Writer) error {
	w = whileLive{ctx: ctx, w: w}
	if !strings.HasSuffix(name, ".gz") {
		return p.Encode(w)
	}
	zip := gzip.NewWriter(w)
	return errors.Join(p.Encode(zip), zip.Close())
}

// ReadFile reads a plan, compressed if its name or its first bytes say so. Errors name
// the file.
func ReadFile(ctx context.Context, name string) (*Plan, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	buffered := bufio.NewReaderSize(whileLive{ctx: ctx, r: file}, 1<<16)
	var r io.Reader = buffered
	if magic, err := buffered.Peek(2); strings.HasSuffix(name, ".gz") || err == nil && magic[0] == 0x1f && magic[1] == 0x8b {
		if err == io.EOF {
			return nil, fmt.Errorf("%s: the file is empty", name)
		}
		if r, err = gzip.NewReader(buffered); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	p, err := Decode(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return p, nil
}

// whileLive reads or writes until its context ends.
type whileLive struct {
	ctx context.Context
	r   io.Reader
	w   io.Writer
}

func (l whileLive) Read(buf []byte) (int, error) {
	if err := l.ctx.Err(); err != nil {
		return 0, err
	}
	return l.r.Read(buf)
}

func (l whileLive) Write(data []byte) (int, error) {
	if err := l.ctx.Err(); err != nil {
		return 0, err
	}
	return l.w.Write(data)
}
