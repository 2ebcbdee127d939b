package report

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// Form is a form in which answers are written. Adding one is adding a file to this package
// and a line to Forms.
type Form interface {
	Name() string
	About() string // in a few words
	// Write writes an answer of package lightpath. An error that wraps ErrNoForm means that
	// this kind of answer has no such form.
	Write(w io.Writer, answer any) error
}

// ErrNoForm marks an answer that a form cannot show.
var ErrNoForm = errors.New("there is no such form of this answer")

// Forms lists the forms in the order of their documentation.
func Forms() []Form { return []Form{Text{}, JSON{}, CSV{}, SQL{}} }

// FormOf returns the form of that name.
func FormOf(name string) (Form, error) {
	var names []string
	for _, f := range Forms() {
		if f.Name() == name {
			return f, nil
		}
		names = append(names, f.Name())
	}
	return nil, fmt.Errorf("unknown form %q; use %s", name, strings.Join(names, ", "))
}
