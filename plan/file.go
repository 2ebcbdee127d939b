package plan

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/lightpath-net/lightpath/internal/files"
	"github.com/lightpath-net/lightpath/units"
)

// FileOption configures how a file is read or written.
type FileOption func(*fileOptions)

type fileOptions struct {
	maxExpand units.Bytes
	progress  func(done, total int)
	foreign   *foreign
}

// foreign is a file format other than our own.
type foreign struct {
	recognise func(beginning []byte) bool
	read      func(io.Reader) (*Plan, error)
}

// Foreign adds a reader for another format, used when recognise accepts the (uncompressed)
// beginning of the file.
func Foreign(recognise func(beginning []byte) bool, read func(io.Reader) (*Plan, error)) FileOption {
	return func(o *fileOptions) { o.foreign = &foreign{recognise, read} }
}

// beginningLength is how many bytes of a file are used to recognise its format.
const beginningLength = 256

// decode reads a plan in our own format or a foreign one.
func (o *fileOptions) decode(r io.Reader) (*Plan, error) {
	if o.foreign == nil {
		return Decode(r)
	}
	buffered := bufio.NewReaderSize(r, 1<<16)
	if beginning, _ := buffered.Peek(beginningLength); o.foreign.recognise(beginning) {
		return o.foreign.read(buffered)
	}
	return Decode(buffered)
}

// MaxExpand limits the uncompressed size of a compressed file. 0 is the default: DefaultExpand
// times the size of the file, but at least LeastExpand.
func MaxExpand(size units.Bytes) FileOption { return func(o *fileOptions) { o.maxExpand = size } }

// FileProgress sets a function that is called from time to time with the work done and the
// total.
func FileProgress(progress func(done, total int)) FileOption {
	return func(o *fileOptions) { o.progress = progress }
}

// Plans shrink to a tenth or a twentieth, so a file that grows a hundredfold is not a plan.
// Small files are always read.
const (
	DefaultExpand = 100
	LeastExpand   = 256 * units.MiB
)

func fileOptionsOf(options []FileOption) *fileOptions {
	o := &fileOptions{}
	for _, option := range options {
		option(o)
	}
	return o
}

// WriteFile writes the whole plan, compressed if the name ends in .gz. The file
// appears under its name only when it is complete, so that an interrupted or failed
// write loses nothing that was there before. A symbolic link stays and is written through.
func (p *Plan) WriteFile(ctx context.Context, name string, options ...FileOption) error {
	o := fileOptionsOf(options)
	w, err := files.Create(name)
	if err != nil {
		return err
	}
	defer w.Abort()
	if !strings.HasSuffix(name, ".gz") {
		err = p.encode(whileLive{ended: ctx.Err, w: w}, true, o.progress)
	} else {
		zip := gzip.NewWriter(w)
		// The context is checked before compression, not after it, because the compressor writes
		// rarely.
		err = errors.Join(p.encode(whileLive{ended: ctx.Err, w: zip}, true, o.progress), zip.Close())
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return err
	}
	return w.Commit()
}

// ReadFile reads a plan, decompressing it if its name or its first bytes say that it is
// compressed. Errors name the file.
func ReadFile(ctx context.Context, name string, options ...FileOption) (*Plan, error) {
	file, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	p, err := decodeFile(ctx, name, file, fileOptionsOf(options))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return p, nil
}

func decodeFile(ctx context.Context, name string, file io.Reader, o *fileOptions) (*Plan, error) {
	counted := &counter{r: whileLive{ended: ctx.Err, r: file}, options: o, total: sizeOf(file)}
	buffered := bufio.NewReaderSize(counted, 1<<16)
	magic, err := buffered.Peek(2)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	isGzip := len(magic) == 2 && magic[0] == 0x1f && magic[1] == 0x8b
	switch {
	case isGzip:
		zip, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, err
		}
		return o.decode(&expanding{r: zip, ended: ctx.Err, compressed: counted, options: o})
	case strings.HasSuffix(name, ".gz") && len(magic) == 0:
		return nil, errors.New("the file is empty")
	case strings.HasSuffix(name, ".gz"):
		return nil, errors.New("not compressed by gzip, as its name says")
	}
	return o.decode(buffered)
}

// sizeOf returns the size of a file, 0 if it is unknown.
func sizeOf(r io.Reader) int64 {
	if s, ok := r.(interface{ Size() int64 }); ok {
		return s.Size()
	}
	return 0
}

// counter counts the bytes read from a file and reports progress.
type counter struct {
	r       io.Reader
	options *fileOptions
	n       int64
	total   int64
}

// progressParts is how many times the reading of a file is reported.
const progressParts = 1000

func (c *counter) Read(buf []byte) (int, error) {
	n, err := c.r.Read(buf)
	c.n += int64(n)
	if c.options.progress != nil && c.total > 0 {
		c.options.progress(int(float64(c.n)/float64(c.total)*progressParts), progressParts)
	}
	return n, err
}

// errTooLarge says that a compressed file expands to more than the limit.
var errTooLarge = errors.New("larger than a compressed plan may become")

// expanding reads the decompressed file, up to a limit.
type expanding struct {
	r          io.Reader
	ended      func() error // from the caller's context
	compressed *counter
	options    *fileOptions
	n          int64
}

func (e *expanding) Read(buf []byte) (int, error) {
	if err := e.ended(); err != nil {
		return 0, err
	}
	n, err := e.r.Read(buf)
	e.n += int64(n)
	limit := int64(e.options.maxExpand)
	if limit == 0 {
		limit = max(int64(LeastExpand), DefaultExpand*max(e.compressed.n, e.compressed.total))
	}
	if e.n > limit {
		return 0, fmt.Errorf("%w: more than %v; raise `max_expand` if that is right", errTooLarge, units.Bytes(limit))
	}
	return n, err
}

// whileLive reads or writes until the caller's context has ended.
type whileLive struct {
	ended func() error
	r     io.Reader
	w     io.Writer
}

func (l whileLive) Read(buf []byte) (int, error) {
	if err := l.ended(); err != nil {
		return 0, err
	}
	return l.r.Read(buf)
}

func (l whileLive) Write(data []byte) (int, error) {
	if err := l.ended(); err != nil {
		return 0, err
	}
	return l.w.Write(data)
}
