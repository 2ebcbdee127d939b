package claim

import (
	"cmp"
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/units"
)

// Work is a collective on a fabric.
type Work struct {
	Fabric    fabric.Fabric
	Op        collective.Op
	Algorithm string
	Size      units.Bytes
	// ports used by the algorithm; 0: all of the fabric
	Ports int
}

// Request returns the request for a plan of the work.
func (w Work) Request() (planner.Request, error) {
	ports := cmp.Or(w.Ports, w.Fabric.Ports)
	c, err := algorithms.New(w.Op, w.Algorithm, w.Fabric.Nodes, ports)
	return planner.Request{Fabric: w.Fabric, Collective: c, Size: w.Size}, err
}

// Plan makes a plan and verifies it, because only values of correct plans may be compared.
func (w Work) Plan(ctx context.Context, with string) (*plan.Plan, error) {
	by, err := planner.Registry(staged.Planners()).Lookup(with)
	if err != nil {
		return nil, err
	}
	return w.PlanBy(ctx, by)
}

// Time returns the time of a plan, which is verified.
func (w Work) Time(ctx context.Context, with string) (units.Time, error) {
	p, err := w.Plan(ctx, with)
	if err != nil {
		return 0, err
	}
	return p.Cost.Total(), nil
}

// PlanBy makes a plan by a planner, and verifies it.
func (w Work) PlanBy(ctx context.Context, by planner.Planner) (*plan.Plan, error) {
	r, err := w.Request()
	if err != nil {
		return nil, err
	}
	p, err := by.Plan(ctx, r)
	if err != nil {
		return nil, err
	}
	if w.Ports != 0 {
		p.Bound = 0 // the verifier would bound the algorithm on all ports; no bound is claimed
	}
	report, err := verify.Plan(ctx, p)
	if err != nil {
		return nil, err
	}
	if bad := report.First(); bad != nil {
		return nil, fmt.Errorf("plan of %s: %s: %s", by.Name(), bad.Name, bad.Detail)
	}
	return p, nil
}

// Curve has the times of a collective at every reconfiguration delay: of the best plan for each
// number of changes, of the static plan, and of the plan with a change before every step.
type Curve struct {
	Best   []staged.FrontierPoint
	Static units.Time
	Every  staged.FrontierPoint
	Steps  int // of the algorithm
}

// Curve plans the work for every delay.
func (w Work) Curve(ctx context.Context) (*Curve, error) {
	w.Fabric.Reconfig = fabric.Reconfig{Model: fabric.Constant}
	r, err := w.Request()
	if err != nil {
		return nil, err
	}
	c := &Curve{Steps: len(r.Collective.Steps)}
	if c.Best, err = staged.Frontier(ctx, r); err != nil {
		return nil, err
	}
	if c.Static, err = w.Time(ctx, "static"); err != nil {
		return nil, err
	}
	every, err := w.Plan(ctx, "every-step")
	if err != nil {
		return nil, err
	}
	c.Every = staged.FrontierPoint{Communication: every.Cost.Total(), Reconfigurations: every.Reconfigurations}
	return c, nil
}

// choose returns which of the best plans is fastest at a delay.
func (c *Curve) choose(delay units.Duration) int {
	best := 0
	for i := range c.Best {
		if c.Time(i, delay) < c.Time(best, delay) {
			best = i
		}
	}
	return best
}

// Time returns the time of line i of the curve at a delay.
func (c *Curve) Time(i int, delay units.Duration) units.Time {
	return c.Best[i].Communication + units.Time(c.Best[i].Reconfigurations)*delay.Time()
}

// At returns the time of the best plan at a delay.
func (c *Curve) At(delay units.Duration) units.Time { return c.Time(c.choose(delay), delay) }

// Changes returns how many changes the best plan has at a delay.
func (c *Curve) Changes(delay units.Duration) int { return c.Best[c.choose(delay)].Reconfigurations }

// EveryStep returns the time with a change before every step whose circuits differ.
func (c *Curve) EveryStep(delay units.Duration) units.Time {
	return c.Every.Communication + units.Time(c.Every.Reconfigurations)*delay.Time()
}
