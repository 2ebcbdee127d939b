package controlling

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/strict"
)

// MaxEvent is the longest line of a feed, and the largest body of a request, in bytes.
const MaxEvent = 64 << 20

// Event is an entry of a feed: the demand of the next step, or a stage of the current one.
type Event struct {
	Step   int // -1: not given
	Demand collective.Demand
	Stage  int // if there is no demand
}

// eventForm describes the accepted forms.
const eventForm = `want a matrix of bytes, [[0,10],[20,0]], or {"step":0,"demand":[[0,10],[20,0]]}, or {"stage":1}`

// ParseEvent reads an event: a matrix, or an object with a demand or a stage, and the number of the
// step if the sender counts them.
func ParseEvent(data []byte) (Event, error) {
	e := Event{Step: -1}
	data = bytes.TrimSpace(data)
	if len(data) == 0 {
		return e, errors.New("empty; " + eventForm)
	}
	if data[0] == '[' {
		if err := strict.Unmarshal(data, &e.Demand); err != nil {
			return e, fmt.Errorf("%w; %s", err, eventForm)
		}
		return e, e.check()
	}
	var form struct {
		Step   *int              `json:"step"`
		Demand collective.Demand `json:"demand"`
		Stage  *int              `json:"stage"`
	}
	if err := strict.Unmarshal(data, &form); err != nil {
		return e, fmt.Errorf("%w; %s", err, eventForm)
	}
	switch e.Demand = form.Demand; {
	case (form.Demand == nil) == (form.Stage == nil):
		return e, errors.New("neither a demand nor a stage, or both; " + eventForm)
	case form.Step != nil && *form.Step < 0, form.Stage != nil && *form.Stage < 0:
		return e, errors.New("a step or stage below 0; " + eventForm)
	}
	if form.Step != nil {
		e.Step = *form.Step
	}
	if form.Stage != nil {
		e.Stage = *form.Stage
		return e, nil
	}
	return e, e.check()
}

// check returns an error if the demand is invalid.
func (e *Event) check() error {
	if len(e.Demand) < collective.MinNodes {
		return fmt.Errorf("a demand of %d rows; %s", len(e.Demand), eventForm)
	}
	return e.Demand.Check(len(e.Demand))
}

// Position is a place in a feed: everything after it has not been handled yet.
type Position struct {
	Bytes int64 `json:"bytes"`
	Line  int   `json:"line"` // number of lines before
}

// Feed is a file to which others append lines.
type Feed struct {
	Name  string
	Every time.Duration // between checks for new lines
	End   bool          // stop at the end of the file, instead of waiting for more
}

// errShorter means that a feed was cut off or replaced.
var errShorter = errors.New("shorter than it was")

// Follow yields every line from a position on, with its line ending, and where the next line
// begins. A line without an ending is incomplete, except at the end of the file if End is set.
// Follow calls tell for anomalies: a line that is too long, which it skips; a file that does not
// exist yet; and a file that has become shorter, which it reads from its beginning. It returns
// when the context ends or yield returns an error.
func (f *Feed) Follow(ctx context.Context, from Position, yield func(line []byte, next Position) error, tell func(Position, error)) error {
	missing := false
	for {
		next, err := f.read(ctx, from, yield, tell)
		from = next
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, errShorter):
			tell(from, fmt.Errorf("%w: read from its beginning", err))
			from = Position{}
			continue
		case errors.Is(err, os.ErrNotExist) && !f.End:
			if !missing {
				tell(from, errors.New("not there yet"))
			}
			missing = true
		case err != nil:
			return err
		default:
			missing = false
		}
		if f.End {
			return nil
		}
		select {
		case <-time.After(f.Every):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// read yields the available lines and returns where the next one will be.
func (f *Feed) read(ctx context.Context, at Position, yield func([]byte, Position) error, tell func(Position, error)) (Position, error) {
	file, err := os.Open(f.Name)
	if err != nil {
		return at, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return at, err
	}
	if info.Size() < at.Bytes {
		return at, errShorter
	}
	if _, err := file.Seek(at.Bytes, io.SeekStart); err != nil {
		return at, err
	}
	in := bufio.NewReaderSize(file, 1<<16)
	for ctx.Err() == nil {
		line, length, err := readLine(in)
		if err != nil && !errors.Is(err, io.EOF) {
			return at, err
		}
		if length == 0 || err != nil && !f.End {
			return at, nil // the line is not complete yet
		}
		next := Position{at.Bytes + length, at.Line + 1}
		switch {
		case line == nil:
			tell(next, fmt.Errorf("a line of %d bytes; want at most %d", length, MaxEvent))
		case len(bytes.TrimSpace(line)) > 0:
			if err := yield(line, next); err != nil {
				return at, err
			}
		}
		at = next
	}
	return at, ctx.Err()
}

// readLine returns a line with its ending, and its length. A line that is too long is nil.
func readLine(in *bufio.Reader) (line []byte, length int64, err error) {
	line = []byte{}
	for {
		part, err := in.ReadSlice('\n')
		length += int64(len(part))
		if line != nil {
			line = append(line, part...)
		}
		if len(line) > MaxEvent {
			line = nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, length, err
		}
	}
}
