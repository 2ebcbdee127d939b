// Package journal keeps frames of bytes in a file that only grows.
//
//	file   = head, frames
//	head   = the line that says what the file is, ending in a newline
//	frame  = length (uint32), CRC of the data, CRC of the 8 bytes before, data
//
// Numbers are little-endian, and the CRC is Castagnoli's. A frame is written by one call and
// reaches the disk before Append returns. So whenever a process is killed, the file has only
// whole frames and at most the beginning of another one, which the next writer cuts off. Any
// other deviation is damage, and is reported instead of being cut off.
//
// Any number of processes may read while others append. Readers need no lock, because what they
// have read never changes; writers hold a lock only while they append.
package journal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"os"
	"sync"
)

// ErrOther is the error for a file with another head, ErrEmpty for one that has none yet, and
// ErrHeld for one that another process holds.
var (
	ErrOther = errors.New("something else")
	ErrEmpty = errors.New("empty")
	ErrHeld  = errors.New("held by another process")
)

// headBytes is the number of bytes before the data of a frame.
const headBytes = 12

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// file is the storage of a journal.
type file interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Truncate(size int64) error
	Sync() error
	Stat() (fs.FileInfo, error)
}

// Journal is an open file of frames. It is safe for concurrent use.
type Journal struct {
	mu   sync.Mutex
	file file
	head string
	lock func() (unlock func(), err error)
	// end is how much of the file is known to be whole frames.
	end int64
}

// Create opens a journal for appending and creates the file if there is none. alone says that no
// other process appends to it meanwhile, so that the file system need not support locks.
func Create(name, head string, alone bool) (*Journal, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, cause(err)
	}
	j := &Journal{file: f, head: head, lock: func() (func(), error) { return lock(f) }}
	if alone {
		j.lock = func() (func(), error) { return func() {}, nil }
	}
	if err := j.begin(); err != nil {
		return nil, errors.Join(cause(err), f.Close())
	}
	return j, nil
}

// Open opens an existing journal for reading.
func Open(name, head string) (*Journal, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, cause(err)
	}
	j := &Journal{file: f, head: head, lock: func() (func(), error) { return nil, fs.ErrPermission }}
	if err := j.check(); err != nil {
		return nil, errors.Join(cause(err), f.Close())
	}
	return j, nil
}

// Hold keeps other processes from holding the file until this one closes it or ends. The journal
// must have been opened by Create with alone.
func (j *Journal) Hold() error {
	if f, ok := j.file.(*os.File); ok {
		return hold(f)
	}
	return nil
}

// InMemory returns a journal that ends with the process.
func InMemory(head string) *Journal {
	return &Journal{file: &memory{data: []byte(head)}, head: head, end: int64(len(head)),
		lock: func() (func(), error) { return func() {}, nil }}
}

// check reads the head.
func (j *Journal) check() error {
	got := make([]byte, len(j.head))
	n, err := j.file.ReadAt(got, 0)
	switch {
	case n == len(got) && string(got) == j.head:
		j.end = int64(n)
		return nil
	case err != nil && !errors.Is(err, io.EOF):
		return err
	case string(got[:n]) == j.head[:n]:
		return ErrEmpty // also if a process was killed while writing the head
	}
	return ErrOther
}

// begin reads the head, or writes it if there is none yet.
func (j *Journal) begin() error {
	unlock, err := j.lock()
	if err != nil {
		return err
	}
	defer unlock()
	if err := j.check(); !errors.Is(err, ErrEmpty) {
		return err
	}
	if _, err := j.file.WriteAt([]byte(j.head), 0); err != nil {
		return err
	}
	j.end = int64(len(j.head))
	return j.file.Sync()
}

// Each calls visit with every whole frame, in the order in which they were appended. visit may
// keep the data.
func (j *Journal) Each(visit func(data []byte) error) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	end, err := j.scan(int64(len(j.head)), visit)
	j.end = max(j.end, end)
	return err
}

// scan reads frames from an offset on, and returns where the last whole frame ends.
func (j *Journal) scan(at int64, visit func(data []byte) error) (end int64, err error) {
	info, err := j.file.Stat()
	if err != nil {
		return at, cause(err)
	}
	size := info.Size()
	var head [headBytes]byte
	for at+headBytes <= size {
		if _, err := j.file.ReadAt(head[:], at); err != nil {
			return at, cause(err)
		}
		length, sum := binary.LittleEndian.Uint32(head[:]), binary.LittleEndian.Uint32(head[4:])
		next := at + headBytes + int64(length)
		if crc32.Checksum(head[:8], castagnoli) != binary.LittleEndian.Uint32(head[8:]) {
			return at, j.blank(at, size)
		}
		if next > size {
			return at, nil // the beginning of a frame
		}
		data := make([]byte, length)
		if _, err := j.file.ReadAt(data, at+headBytes); err != nil {
			return at, cause(err)
		}
		if crc32.Checksum(data, castagnoli) != sum {
			if next == size {
				return at, nil // the disk lost part of a frame that was not promised yet
			}
			return at, damaged(at)
		}
		if err := visit(data); err != nil {
			return at, err
		}
		at = next
	}
	return at, nil
}

// blank reports damage, unless the rest is only zeros: the machine stopped after the file was
// lengthened and before its data was written.
func (j *Journal) blank(at, size int64) error {
	buf := make([]byte, 1<<16)
	for from := at; from < size; {
		n, err := j.file.ReadAt(buf[:min(int64(len(buf)), size-from)], from)
		if err != nil && !errors.Is(err, io.EOF) {
			return cause(err)
		}
		if len(bytes.Trim(buf[:n], "\x00")) > 0 || n == 0 {
			return damaged(at)
		}
		from += int64(n)
	}
	return nil
}

func damaged(at int64) error { return fmt.Errorf("damaged at byte %d", at) }

// Append adds a frame. If there is no room for it, the file does not change.
func (j *Journal) Append(data []byte) error {
	if len(data) > math.MaxUint32 {
		return fmt.Errorf("a frame of %d bytes, want at most %d", len(data), math.MaxUint32)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	unlock, err := j.lock()
	if err != nil {
		return cause(err)
	}
	defer unlock()
	end, err := j.scan(j.end, func([]byte) error { return nil }) // what others have appended
	if err != nil {
		return err
	}
	if err := j.file.Truncate(end); err != nil {
		return cause(err)
	}
	frame := make([]byte, headBytes, headBytes+len(data))
	binary.LittleEndian.PutUint32(frame, uint32(len(data)))
	binary.LittleEndian.PutUint32(frame[4:], crc32.Checksum(data, castagnoli))
	binary.LittleEndian.PutUint32(frame[8:], crc32.Checksum(frame[:8], castagnoli))
	_, err = j.file.WriteAt(append(frame, data...), end)
	if err == nil {
		err = j.file.Sync()
	}
	if err != nil {
		return errors.Join(cause(err), cause(j.file.Truncate(end)))
	}
	j.end = end + int64(len(frame)+len(data))
	return nil
}

// Close ends the use of the file.
func (j *Journal) Close() error { return cause(j.file.Close()) }

// cause removes the name of the file, which the caller knows, and the name of the system call.
func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
