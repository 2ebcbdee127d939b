package collective

import (
	"errors"
	"fmt"
	"io"

	"github.com/lightpath-net/lightpath/internal/strict"
)

// readJSON reads the one value in a file; what describes it in errors.
func readJSON(r io.Reader, into any, what string) error {
	d := strict.NewReader(r)
	err := d.Value(into)
	if err == nil {
		if err = d.End(); err == nil {
			return nil
		}
	}
	if d.Empty() {
		return fmt.Errorf("the file is empty; want %s", what)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the file ends in the middle of %s", what)
	}
	return fmt.Errorf("line %d: %w", d.Line(), err)
}
