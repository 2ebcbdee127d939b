package compile

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/compile/timetable"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/plan"
)

// TimetableOptions are the options of a timetable.
type TimetableOptions struct {
	Style string `json:"style,omitempty"` // of a timetable: json, csv or scpi; "": json
}

// Complete reports the first field that makes no sense.
func (o *TimetableOptions) Complete() error {
	switch o.Style {
	case "", "json", "csv", "scpi":
		return nil
	}
	return field.Errorf("style", "%q is not json, csv or scpi", o.Style)
}

type timetableTarget struct{}

func (timetableTarget) Format() Format { return Timetable }
func (timetableTarget) About() string {
	return "cross-connects of the optical switches; JSON, CSV or SCPI, chosen by the ending of PATH (.json, .csv, .scpi)"
}
func (timetableTarget) Options() Options { return &TimetableOptions{} }

func (timetableTarget) Compile(_ context.Context, p *plan.Plan, options Options) (*Result, error) {
	o, err := own[*TimetableOptions](Timetable, options)
	if err != nil {
		return nil, err
	}
	table, err := timetable.Of(p)
	if err != nil {
		return nil, err
	}
	changes := 0
	for _, s := range table.Stages {
		changes += len(s.Changes)
	}
	r := &Result{Notes: []string{fmt.Sprintf("switches: %d, stages: %d, commands: %d", table.Switches, len(table.Stages), changes)}}
	r.Notes = append(r.Notes, cutsThrough(p)...)
	switch o.Style {
	case "csv":
		r.Files = []File{{Write: table.WriteCSV}}
	case "scpi":
		r.Files = []File{{Write: table.WriteSCPI}}
	default:
		r.Files = []File{{Write: table.WriteJSON}}
	}
	return r, nil
}
