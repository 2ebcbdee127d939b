// Package rows reads CSV a row at a time. Errors name the line.
package rows

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"

	"github.com/lightpath-net/lightpath/units"
)

// Reader reads rows with any number of fields, after the byte order mark that some programs put
// first. A row is valid until the next one is read.
type Reader struct{ csv.Reader }

// New returns a reader of the text in r.
func New(r io.Reader) *Reader {
	in := &Reader{*csv.NewReader(units.SkipMark(r))}
	in.ReuseRecord = true
	in.FieldsPerRecord = -1
	return in
}

// Line returns the line on which the last row begins, from 1.
func (r *Reader) Line() int {
	line, _ := r.FieldPos(0)
	return line
}

// Heading reads the first row. If the text is empty, the error says what the row should be.
func (r *Reader) Heading(want string) ([]string, error) {
	row, err := r.Read()
	if err == io.EOF {
		return nil, fmt.Errorf("line 1: empty; want %s", want)
	}
	return row, atLine(err)
}

// Each reads the remaining rows.
func (r *Reader) Each(read func(row []string) error) error {
	for {
		row, err := r.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return atLine(err)
		}
		if err := read(row); err != nil {
			return fmt.Errorf("line %d: %w", r.Line(), err)
		}
	}
}

// atLine puts the line number first in an error.
func atLine(err error) error {
	var syntax *csv.ParseError
	if errors.As(err, &syntax) {
		return fmt.Errorf("line %d: %w", syntax.Line, syntax.Err)
	}
	return err
}
