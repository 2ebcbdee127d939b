package sweep

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"

	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// CSV writes the cells that have an answer: a heading, then one line each. Columns are the
// parameters and the outcome, as plain numbers in the unit of their name, empty if absent, so that
// pandas and DuckDB can read them without options.
func (t *Table) CSV(w io.Writer) error {
	out := csv.NewWriter(w)
	var head []string
	if len(t.Cells) > 0 {
		head = append(head, each.Of(t.Cells[0].Params, func(p Param) string { return p.Name })...)
	}
	head = append(head, "algorithm", "planner", "total_ns", "simulated_ns", "reconfigurations",
		"static_ns", "every_step_ns", "same_static_ns", "same_every_step_ns", "operation_bound_ns", "reason")
	iterations := t.Spec.Workload != ""
	if iterations {
		head = append(head, "exposed_ns", "phases_ns", "phases_ahead_ns", "each_ns", "one_ns")
	}
	if err := out.Write(head); err != nil {
		return err
	}
	for i := range t.Cells {
		c := &t.Cells[i]
		if !c.Known {
			continue
		}
		row := each.Of(c.Params, Param.String)
		changes := strconv.Itoa(c.Reconfigurations)
		if !c.Planned() {
			changes = ""
		}
		row = append(row, c.Outcome.Algorithm, c.Outcome.Planner, plain(c.Total), plain(c.Simulated), changes,
			plain(c.Baselines.Static), plain(c.Baselines.EveryStep), plain(c.Same.Static), plain(c.Same.EveryStep), plain(c.OperationBound), c.Reason)
		if i := c.Iteration; i != nil {
			row = append(row, plain(c.Total-i.Compute), plain(i.Policies["phases"]), plain(i.Policies["phases-ahead"]), plain(i.Policies["each"]), plain(i.Policies["one"]))
		} else if iterations {
			row = append(row, "", "", "", "", "")
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// plain writes a time with all its digits, and nothing for no time.
func plain(t units.Time) string {
	if t == 0 {
		return ""
	}
	return strconv.FormatFloat(float64(t), 'f', -1, 64)
}

// Schema names the JSON form of a sweep and its version.
const Schema = "lightpath.sweep/v1"

// Answer is the JSON form of a table.
type Answer struct {
	Schema  string       `json:"schema"`
	Version string       `json:"version"` // of the planner
	Missing int          `json:"missing"` // cells without an answer
	Cells   []AnswerCell `json:"cells"`
}

// AnswerCell is a cell that has an answer.
type AnswerCell struct {
	Params           map[string]Param      `json:"params"`
	Algorithm        string                `json:"algorithm,omitempty"`
	Planner          string                `json:"planner,omitempty"`
	TotalNs          units.Time            `json:"total_ns,omitempty"`
	SimulatedNs      units.Time            `json:"simulated_ns,omitempty"`
	Reconfigurations int                   `json:"reconfigurations"`
	BaselinesNs      map[string]units.Time `json:"baselines_ns"`
	SameAlgorithmNs  map[string]units.Time `json:"same_algorithm_ns"`
	OperationBoundNs units.Time            `json:"operation_bound_ns,omitempty"`
	// ExposedNs is the part of an iteration that is not compute.
	ExposedNs *units.Time `json:"exposed_ns,omitempty"`
	Reason    string      `json:"reason,omitempty"` // why there is no plan
}

// Answer returns the JSON form.
func (t *Table) Answer() *Answer {
	a := &Answer{Schema: Schema, Version: t.Spec.Version, Missing: t.Missing, Cells: []AnswerCell{}}
	for i := range t.Cells {
		c := &t.Cells[i]
		if !c.Known {
			continue
		}
		cell := AnswerCell{
			Params: map[string]Param{}, Algorithm: c.Outcome.Algorithm, Planner: c.Outcome.Planner, TotalNs: c.Total, SimulatedNs: c.Simulated,
			Reconfigurations: c.Reconfigurations, BaselinesNs: c.Baselines.named(), SameAlgorithmNs: c.Same.named(),
			OperationBoundNs: c.OperationBound, Reason: c.Reason,
		}
		for _, p := range c.Params {
			cell.Params[p.Name] = p
		}
		if i := c.Iteration; i != nil {
			exposed := c.Total - i.Compute
			cell.ExposedNs, cell.BaselinesNs = &exposed, i.Policies
		}
		a.Cells = append(a.Cells, cell)
	}
	return a
}

func (b Baselines) named() map[string]units.Time {
	m := map[string]units.Time{}
	if b.Static > 0 {
		m[string(plan.Static)] = b.Static
	}
	if b.EveryStep > 0 {
		m[string(plan.EveryStep)] = b.EveryStep
	}
	return m
}

// JSON writes the JSON form.
func (t *Table) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(t.Answer())
}
