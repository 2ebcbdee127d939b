package units

import (
	"bufio"
	"io"
)

// SkipMark returns a reader of r without the byte order mark that some programs put before the
// first line of a CSV file.
func SkipMark(r io.Reader) io.Reader {
	const mark = "\ufeff"
	buffered := bufio.NewReader(r)
	if start, err := buffered.Peek(len(mark)); err == nil && string(start) == mark {
		_, _ = buffered.Discard(len(mark)) // these bytes were peeked at, so they are there
	}
	return buffered
}
