// Package report prints answers for people: tables for an 80-column terminal.
package report

import (
	"bufio"
	"io"

	"github.com/lightpath-net/lightpath/command"
)

// Text is for people: tables and sentences that fit a terminal.
type Text struct {
	// Verbose writes everything about a plan, not just what matters most.
	Verbose bool
}

// Name of the form.
func (Text) Name() string { return "text" }

// About the form.
func (Text) About() string { return "for people" }

// Write writes any answer.
func (t Text) Write(to io.Writer, answer command.Rendering) error {
	w := bufio.NewWriter(to)
	if err := answer.Text(w, t.Verbose); err != nil {
		return err
	}
	return w.Flush()
}

// JSON is for programs: one document.
type JSON struct{}

// Name of the form.
func (JSON) Name() string { return "json" }

// About the form.
func (JSON) About() string { return "one document" }

// Write writes any answer; for a plan, the summary without circuits and transfers.
func (JSON) Write(w io.Writer, answer command.Rendering) error { return answer.JSON(w) }
