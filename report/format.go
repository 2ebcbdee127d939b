package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/lightpath-net/lightpath/command"
)

// Format is a form in which answers are written. Adding one is adding a file to this package
// and a line to Formats.
type Format interface {
	Name() string
	About() string // in a few words
	// Write writes a rendering of an answer. An error that wraps ErrNoFormat means that this
	// kind of answer has no such form.
	Write(w io.Writer, answer command.Rendering) error
}

// ErrNoFormat means that an answer cannot be shown in a form.
var ErrNoFormat = command.ErrNotRendered

// Formats lists the forms in the order of their documentation.
func Formats() []Format { return []Format{Text{}, JSON{}, CSV{}, SQL{}} }

// FormatOf returns the format of that name.
func FormatOf(name string) (Format, error) {
	var names []string
	for _, f := range Formats() {
		if f.Name() == name {
			return f, nil
		}
		names = append(names, f.Name())
	}
	return nil, fmt.Errorf("unknown form %q; use %s", name, strings.Join(names, ", "))
}
