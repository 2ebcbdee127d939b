package sweep

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// Table is the cells of a spec with their results from a store, in the order of the grid.
type Table struct {
	Spec    *Spec
	Cells   []Cell
	Missing int // cells without an answer
	// Alike makes Findings compare with the static plan of each cell's own algorithm.
	Alike bool
}

// Cell is a cell of a grid.
type Cell struct {
	Request
	Params  []Param // parameters that vary or were requested
	Known   bool    // there is an answer
	Outcome         // the answer
}

// Param is the value of a parameter, as a number if it is one.
type Param struct {
	Name   string // with its unit: size_bytes, reconfig_ns
	Number float64
	Text   string // instead of Number, if not ""
}

// String returns the value in the form of CSV.
func (p Param) String() string {
	if p.Text != "" {
		return p.Text
	}
	return strconv.FormatFloat(p.Number, 'f', -1, 64)
}

// MarshalJSON writes the value: a number, or text.
func (p Param) MarshalJSON() ([]byte, error) {
	if p.Text != "" {
		return json.Marshal(p.Text)
	}
	return json.Marshal(p.Number)
}

// UnmarshalJSON reads either form. It does not set the name, which is the name of the JSON
// member.
func (p *Param) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		return json.Unmarshal(data, &p.Text)
	}
	return json.Unmarshal(data, &p.Number)
}

// Load returns the cells of a spec.
func (s *Store) Load(ctx context.Context, spec *Spec) (*Table, error) {
	known, err := s.all(ctx)
	if err != nil {
		return nil, err
	}
	t := &Table{Spec: spec, Cells: make([]Cell, 0, spec.Cells())}
	height := spec.height()
	for c := range spec.Columns() {
		column := make([]Request, height)
		for i := range column {
			if column[i], err = spec.Request(c*height + i); err != nil {
				return nil, err
			}
		}
		for i, key := range keys(spec.Version, column) {
			o, ok := known[key]
			if !ok {
				t.Missing++
			}
			t.Cells = append(t.Cells, Cell{Request: column[i], Params: spec.params(&column[i]), Known: ok, Outcome: o})
		}
	}
	return t, nil
}

// MarshalJSON writes the JSON form: see Answer.
func (t *Table) MarshalJSON() ([]byte, error) { return json.Marshal(t.Answer()) }

// params lists the parameters of a request that have an axis. The requested algorithm and
// planner are listed only if they vary; the outcome names those found.
func (s *Spec) params(r *Request) []Param {
	var list []Param
	for _, a := range s.Axes {
		if (a.Name == AxisAlgorithm || a.Name == AxisPlanner) && len(a.Values) == 1 {
			continue
		}
		list = append(list, r.param(a.Name))
		if a.Name == AxisOp && s.OwnSizes() && s.Workload == "" {
			list = append(list, r.param(AxisSize))
		}
	}
	return list
}

// param returns the value of a parameter.
func (r *Request) param(name string) Param {
	switch name {
	case AxisOp:
		return Param{Name: "op", Text: string(r.Op)}
	case AxisAlgorithm:
		if r.Workload != "" {
			return Param{Name: "policy", Text: r.Algorithm}
		}
		return Param{Name: "asked_algorithm", Text: r.Algorithm}
	case AxisPlanner:
		return Param{Name: "asked_planner", Text: r.Planner}
	case AxisSize:
		return Param{Name: "size_bytes", Number: float64(r.Size)}
	}
	f := &r.Fabric
	k := slices.IndexFunc(fabric.Settings(), func(s fabric.Setting) bool { return s.Name == name })
	text := fabric.Settings()[k].Get(f)
	q := quantityOf(name)
	v, err := q.parse(text)
	switch {
	case q == wordValue || err != nil:
		if text == "" { // a default, such as that of the base
			text = "default"
		}
		return Param{Name: name, Text: text}
	case q == timeValue:
		return Param{Name: name + "_ns", Number: float64(units.Duration(v).Time())}
	case q == rateValue:
		return Param{Name: name + "_bps", Number: float64(v)}
	}
	return Param{Name: name, Number: float64(v)}
}

// Metric is a number, or a name, of a cell.
type Metric struct {
	Name  string
	About string
	Value func(c *Cell) (v float64, ok bool)   // nil for names
	Words func(c *Cell) (text string, ok bool) // nil for numbers
}

// Has reports whether cells have a metric: those that are whole iterations, or the others.
func (m *Metric) Has(iterations bool) bool {
	if m.Value == nil {
		return true
	}
	c := &Cell{Outcome: Outcome{Total: 1, Simulated: 1, OperationBound: 1, Baselines: Baselines{Static: 1}}}
	if iterations {
		c.Iteration = &Iteration{Compute: 1, Policies: map[string]units.Time{phases: 1}}
	} else {
		c.Baselines.EveryStep, c.Same = 1, Baselines{Static: 1, EveryStep: 1}
	}
	_, ok := m.Value(c)
	return ok
}

// phases is the policy with which iterations are compared.
const phases = "phases"

// over returns the metric "how many times as fast as".
func over(name, about string, baseline func(c *Cell) units.Time) Metric {
	return Metric{Name: name, About: about, Value: func(c *Cell) (float64, bool) {
		b := baseline(c)
		return float64(b / c.Total), b > 0 && c.Total > 0
	}}
}

// Ratio is the metric "time over the bound", which pictures show as curves.
const Ratio = "ratio"

// Simulated is the metric "time in packets", for a sweep that requested it.
const Simulated = "simulated"

// Exposed is the metric "share that is exposed", for a sweep of iterations.
const Exposed = "exposed"

// Metrics lists the metrics of a cell.
func Metrics() []Metric {
	return []Metric{
		{Name: "time", About: "time in the model", Value: func(c *Cell) (float64, bool) { return float64(c.Total), c.Total > 0 }},
		over("speedup:static", "speed-up over the best static plan, of any planner", func(c *Cell) units.Time { return c.Baselines.Static }),
		over("speedup:every-step", "speed-up over the best plan of any algorithm that reconfigures before every step", func(c *Cell) units.Time { return c.Baselines.EveryStep }),
		over("speedup:best", "speed-up over the better of static and every-step, any algorithm", func(c *Cell) units.Time { return c.Baselines.Best() }),
		over("speedup:same-static", "speed-up over the same algorithm on static circuits", func(c *Cell) units.Time { return c.Same.Static }),
		over("speedup:same-every-step", "speed-up over the same algorithm, reconfigured before every step", func(c *Cell) units.Time { return c.Same.EveryStep }),
		over("speedup:same-best", "speed-up over the better of both with the same algorithm", func(c *Cell) units.Time { return c.Same.Best() }),
		{Name: "reconfigurations", About: "changes of circuits that are charged", Value: func(c *Cell) (float64, bool) { return float64(c.Reconfigurations), c.Planned() }},
		{Name: "gap", About: "time over the bound of any algorithm, minus 1", Value: func(c *Cell) (float64, bool) {
			return max(0, float64(c.Total/c.OperationBound)-1), c.Total > 0 && c.OperationBound > 0
		}},
		{Name: Ratio, About: "time over the bound of any algorithm", Value: func(c *Cell) (float64, bool) {
			return max(1, float64(c.Total/c.OperationBound)), c.Total > 0 && c.OperationBound > 0
		}},
		{Name: Simulated, About: "time in packets", Value: func(c *Cell) (float64, bool) { return float64(c.Simulated), c.Simulated > 0 }},
		{Name: Exposed, About: "share of an iteration that is exposed communication and reconfiguring", Value: func(c *Cell) (float64, bool) {
			if c.Iteration == nil {
				return 0, false
			}
			return (c.Total - c.Iteration.Compute).Share(c.Total), true
		}},
		over("speedup:phases", "speed-up of an iteration over ports that move at phase boundaries", func(c *Cell) units.Time {
			if c.Iteration == nil {
				return 0
			}
			return c.Iteration.Policies[phases]
		}),
		{Name: "winner", About: "the fastest algorithm", Words: func(c *Cell) (string, bool) { return c.Outcome.Algorithm, c.Planned() }},
		{Name: "planner", About: "the fastest planner", Words: func(c *Cell) (string, bool) { return c.Outcome.Planner, c.Planned() }},
	}
}

// MetricOf returns the metric with a name.
func MetricOf(name string) (Metric, error) {
	var names []string
	for _, m := range Metrics() {
		if m.Name == name {
			return m, nil
		}
		names = append(names, m.Name)
	}
	return Metric{}, fmt.Errorf("unknown metric %q; use one of %v", name, names)
}
