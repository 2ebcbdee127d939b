package iteration

import (
	"context"

	"github.com/lightpath-net/lightpath/units"
)

// Explanation says what an iteration spends its time on, and what would make it shorter.
type Explanation struct {
	Name      string     `json:"name,omitempty"` // of the workload
	Ranks     int        `json:"ranks"`
	Policy    string     `json:"policy"`
	Iteration units.Time `json:"iteration_ns"`
	Bound     units.Time `json:"bound_ns"`
	// Path is the longest chain of the plan. Its parts add up to Iteration.
	Path Budget `json:"path"`
	// Classes is how the ranks of each class spend the iteration. Every budget adds up to it.
	Classes []ClassBudget `json:"classes"`
	// Delay says what delays would cost, and Port what one more port would buy: found by planning
	// again. Absent if nothing was planned again.
	Delay *DelayCost `json:"delay,omitempty"`
	Port  *PortGain  `json:"port,omitempty"`
}

// DelayCost is how long an iteration takes at other delays.
type DelayCost struct {
	Now units.Duration `json:"now_ns"` // the delay that the plan is for
	// Policy is that by which the iteration was planned again.
	Policy string `json:"policy"`
	// Best is the time of its best plan at this delay, and Free that at delay 0.
	Best units.Time `json:"best_ns"`
	Free units.Time `json:"free_ns"`
	// Thresholds are delays at which rewiring costs nothing, and little.
	Thresholds []Threshold `json:"thresholds"`
}

// PortGain is what one more port of every GPU would buy.
type PortGain struct {
	Ports     int        `json:"ports"`
	Iteration units.Time `json:"iteration_ns"`
	Saved     units.Time `json:"saved_ns"`
	Bound     units.Time `json:"bound_ns"`
}

// Explain says what the time of an iteration is spent on. The document has been verified.
func (d *Document) Explain(ctx context.Context) (*Explanation, error) {
	g, err := d.Workload.Graph(ctx)
	if err != nil {
		return nil, err
	}
	l, err := newLedger(d, g)
	if err != nil {
		return nil, err
	}
	if err := l.readPlans(ctx); err != nil {
		return nil, err
	}
	return &Explanation{
		Name: d.Name, Ranks: d.Ranks, Policy: d.Policy, Iteration: d.Iteration, Bound: d.Bound,
		Path: l.budget(l.path()), Classes: l.classes(),
	}, nil
}
