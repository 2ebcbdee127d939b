package journal

import (
	"io"
	"io/fs"
	"time"
)

// memory is a file without a disk.
type memory struct{ data []byte }

func (m *memory) ReadAt(p []byte, off int64) (int, error) {
	if off >= int64(len(m.data)) {
		return 0, io.EOF
	}
	n := copy(p, m.data[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (m *memory) WriteAt(p []byte, off int64) (int, error) {
	m.data = append(m.data[:off], p...) // a journal writes at its end
	return len(p), nil
}

func (m *memory) Truncate(size int64) error {
	m.data = m.data[:size]
	return nil
}

func (*memory) Sync() error  { return nil }
func (*memory) Close() error { return nil }

func (m *memory) Stat() (fs.FileInfo, error) { return info(len(m.data)), nil }

// info says how large a file in memory is.
type info int64

func (i info) Size() int64      { return int64(i) }
func (info) Name() string       { return "" }
func (info) Mode() fs.FileMode  { return 0 }
func (info) ModTime() time.Time { return time.Time{} }
func (info) IsDir() bool        { return false }
func (info) Sys() any           { return nil }
