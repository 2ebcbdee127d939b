package compile

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/compile/timetable"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/plan"
)

// TimetableOptions are the options of a timetable.
type TimetableOptions struct {
	Style string `json:"style,omitempty"` // of a timetable: json, csv or scpi; "": json
	// PortMap says where ports are plugged in; the timetable then uses the map's switch names
	// and port numbers.
	PortMap timetable.PortMap `json:"port_map,omitempty" help:"use the switches and port numbers in ${FILE}.csv: gpu,port,switch,ingress,egress"`
}

// Complete reports the first invalid field.
func (o *TimetableOptions) Complete() error {
	switch o.Style {
	case "", "json", "csv", "scpi":
	default:
		return field.Errorf("style", "%q is not json, csv or scpi", o.Style)
	}
	return field.In("port_map", o.PortMap.Check())
}

// File returns the file of a table, in the style of the options and with their port map.
func (o *TimetableOptions) File(table *timetable.Table) (File, error) {
	if o.PortMap != nil {
		mapped, err := table.WithPortMap(o.PortMap)
		if err != nil {
			return File{}, field.In("port_map", err)
		}
		table = mapped
	}
	switch o.Style {
	case "csv":
		return File{Write: table.WriteCSV}, nil
	case "scpi":
		return File{Write: table.WriteSCPI}, nil
	}
	return File{Write: table.WriteJSON}, nil
}

var timetableTarget = target[TimetableOptions, *TimetableOptions]{
	Timetable,
	"cross-connects of the optical switches; JSON, CSV or SCPI, chosen by the ending of PATH (.json, .csv, .scpi)",
	Transfers,
	compileTimetable,
}

func compileTimetable(_ context.Context, p *plan.Plan, o *TimetableOptions) (*Result, error) {
	table, err := timetable.Of(p)
	if err != nil {
		return nil, err
	}
	changes := each.Sum(table.Stages, func(s timetable.Stage) int { return len(s.Changes) })
	r := &Result{Notes: []string{fmt.Sprintf("switches: %d, stages: %d, commands: %d", table.Switches, len(table.Stages), changes)}}
	r.Notes = append(r.Notes, cutsThrough(p)...)
	file, err := o.File(table)
	r.Files = []File{file}
	return r, err
}
