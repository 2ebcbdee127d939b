package report

import (
	"io"

	"github.com/lightpath-net/lightpath/command"
)

// JSON is for programs: one document.
type JSON struct{}

// Name of the form.
func (JSON) Name() string { return "json" }

// About the form.
func (JSON) About() string { return "one document" }

// Write writes any answer; of a plan the summary, without circuits and transfers.
func (JSON) Write(w io.Writer, answer command.Rendering) error { return answer.JSON(w) }
