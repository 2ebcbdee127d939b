package report

import (
	"encoding/json"
	"io"

	"github.com/lightpath-net/lightpath/plan"
)

// JSON is for programs: one document.
type JSON struct{}

// Name of the form.
func (JSON) Name() string { return "json" }

// About the form.
func (JSON) About() string { return "one document" }

// Write writes any answer; of a plan the summary, without circuits and transfers.
func (JSON) Write(w io.Writer, answer any) error {
	if p, ok := answer.(*plan.Plan); ok {
		return p.EncodeSummary(w)
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(answer)
}
