// Package files opens and writes files as a command should: errors begin with the given name,
// and a file appears under its name only when it is complete.
package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Open opens a file to read it. Its error begins with the file's name; errors of reading do not,
// because the reader knows the name.
func Open(name string) (io.ReadCloser, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, named(name, err)
	}
	return reader{f}, nil
}

// reader is a file whose errors do not name it.
type reader struct{ *os.File }

func (r reader) Read(buf []byte) (int, error) {
	n, err := r.File.Read(buf)
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return n, err
}

// Size returns the size of the file, 0 if it has none.
func (r reader) Size() int64 {
	if info, err := r.Stat(); err == nil && info.Mode().IsRegular() {
		return info.Size()
	}
	return 0
}

// named makes an error name its file exactly once, without the name of a system call.
func named(name string, err error) error {
	if err == nil {
		return nil
	}
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		err = path.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// Writer is a file that is being written. It replaces the old file when it is complete; until
// then, and if it never is, nothing is lost.
type Writer struct {
	name   string // as given
	target string // behind symbolic links
	file   *os.File
	direct bool // a device or pipe, which cannot be replaced
	ended  bool
}

// Check checks that a file of that name can be created.
func Check(name string) error {
	if name == "" || name == "-" {
		return fmt.Errorf("%q is not a file name; write e.g. plan.json", name)
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return fmt.Errorf("%s: is a directory", name)
	}
	target, err := follow(name)
	if err != nil {
		return err
	}
	if info, err := os.Stat(filepath.Dir(target)); err != nil || !info.IsDir() {
		return fmt.Errorf("%s: there is no directory %s", name, filepath.Dir(target))
	}
	return nil
}

// maxLinks is how many symbolic links are followed, as many as the kernel follows.
const maxLinks = 40

// follow returns the target of a symbolic link, which need not exist yet.
func follow(name string) (string, error) {
	target := name
	for range maxLinks {
		info, err := os.Lstat(target)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return target, nil
		}
		next, err := os.Readlink(target)
		if err != nil {
			return "", named(name, err)
		}
		if !filepath.IsAbs(next) {
			next = filepath.Join(filepath.Dir(target), next)
		}
		target = next
	}
	return "", fmt.Errorf("%s: too many symbolic links", name)
}

// Create begins a file. A symbolic link stays; its target is written.
func Create(name string) (*Writer, error) {
	if err := Check(name); err != nil {
		return nil, err
	}
	target, err := follow(name)
	if err != nil {
		return nil, err
	}
	w := &Writer{name: name, target: target}
	if info, err := os.Stat(target); err == nil && !info.Mode().IsRegular() {
		w.direct = true
		if w.file, err = os.OpenFile(target, os.O_WRONLY, 0); err != nil {
			return nil, named(name, err)
		}
		return w, nil
	}
	if w.file, err = os.CreateTemp(filepath.Dir(target), temporary(target)); err != nil {
		return nil, named(name, err)
	}
	lock(w.file)
	return w, nil
}

// Write writes a file as a whole.
func Write(name string, write func(io.Writer) error) error {
	w, err := Create(name)
	if err != nil {
		return err
	}
	defer w.Abort()
	if err := write(w); err != nil {
		return err
	}
	return w.Commit()
}

// temporary is the pattern of the names under which a file is written.
func temporary(target string) string { return "." + filepath.Base(target) + ".*" }

// Write writes to the file.
func (w *Writer) Write(data []byte) (int, error) {
	n, err := w.file.Write(data)
	return n, named(w.name, err)
}

// Commit moves the file to its place.
func (w *Writer) Commit() error {
	if w.ended {
		return nil
	}
	w.ended = true
	if w.direct {
		return named(w.name, w.file.Close())
	}
	err := w.file.Chmod(w.mode())
	if err == nil {
		err = os.Rename(w.file.Name(), w.target)
	}
	err = errors.Join(err, w.file.Close())
	if err != nil {
		os.Remove(w.file.Name())
		return named(w.name, err)
	}
	w.clean()
	return nil
}

// mode returns the mode of the file to replace, or the default mode.
func (w *Writer) mode() fs.FileMode {
	if info, err := os.Stat(w.target); err == nil {
		return info.Mode().Perm()
	}
	return 0o644
}

// Abort discards the file, unless it has been committed.
func (w *Writer) Abort() {
	if w.ended {
		return
	}
	w.ended = true
	w.file.Close()
	if !w.direct {
		os.Remove(w.file.Name())
	}
}

// staleAfter is the age from which a temporary file may be taken for one left behind by a killed
// run. A younger file may belong to a run that has not locked it yet.
const staleAfter = time.Second

// clean removes the temporary files of runs that were killed before they could. Files that other
// runs are still writing are locked.
func (w *Writer) clean() {
	left, err := filepath.Glob(filepath.Join(escape(filepath.Dir(w.target)), escape("."+filepath.Base(w.target)+".")+"*"))
	if err != nil {
		return
	}
	for _, name := range left {
		suffix := name[len(filepath.Join(filepath.Dir(w.target), "."+filepath.Base(w.target)+".")):]
		if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() || !digits(suffix) || time.Since(info.ModTime()) < staleAfter {
			continue
		}
		if f, err := os.OpenFile(name, os.O_RDWR, 0); err == nil {
			if free(f) {
				os.Remove(name)
			}
			f.Close()
		}
	}
}

// digits reports whether a name ends like one of os.CreateTemp.
func digits(suffix string) bool {
	for _, r := range suffix {
		if r < '0' || r > '9' {
			return false
		}
	}
	return suffix != ""
}

// escape quotes a name so that it is not a pattern.
func escape(name string) string {
	var out []rune
	for _, r := range name {
		switch r {
		case '*', '?', '[', '\\':
			out = append(out, '\\')
		}
		out = append(out, r)
	}
	return string(out)
}
