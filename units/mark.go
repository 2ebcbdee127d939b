package units

import (
	"bufio"
	"io"
)

// SkipMark returns a reader of what r holds after the byte order mark that some programs
// put before the first line of a CSV file.
func SkipMark(r io.Reader) io.Reader {
	const mark = "\ufeff"
	buffered := bufio.NewReader(r)
	if start, err := buffered.Peek(len(mark)); err == nil && string(start) == mark {
		_, _ = buffered.Discard(len(mark)) // what was peeked at is there
	}
	return buffered
}
