package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/lightpath-net/lightpath/command"
)

// Form is a form in which answers are written. Adding one is adding a file to this package
// and a line to Forms.
type Form interface {
	Name() string
	About() string // in a few words
	// Write writes an answer, as lightpath.Show returns it. An error that wraps ErrNoForm means
	// that this kind of answer has no such form.
	Write(w io.Writer, answer command.Shown) error
}

// ErrNoForm marks an answer that a form cannot show.
var ErrNoForm = command.ErrNotShown

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
