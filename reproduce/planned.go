package reproduce

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/units"
)

// work is a collective on a fabric.
type work struct {
	fabric    fabric.Fabric
	op        collective.Op
	algorithm string
	size      units.Bytes
	// ports that the algorithm uses; 0: all of the fabric
	ports int
}

func (w work) request() (planner.Request, error) {
	ports := w.ports
	if ports == 0 {
		ports = w.fabric.Ports
	}
	c, err := collective.New(w.op, w.algorithm, w.fabric.Nodes, ports)
	return planner.Request{Fabric: w.fabric, Collective: c, Size: w.size}, err
}

// plan makes a plan and verifies it: a value that is compared is that of a correct plan.
func (w work) plan(ctx context.Context, with string) (*plan.Plan, error) {
	r, err := w.request()
	if err != nil {
		return nil, err
	}
	by, err := planner.Registry(staged.Planners()).Lookup(with)
	if err != nil {
		return nil, err
	}
	p, err := by.Plan(ctx, r)
	if err != nil {
		return nil, err
	}
	if w.ports != 0 {
		p.Bound = 0 // a verifier takes the algorithm's name for that on all ports; no bound is claimed
	}
	report, err := verify.Plan(ctx, p)
	if err != nil {
		return nil, err
	}
	if bad := report.First(); bad != nil {
		return nil, fmt.Errorf("plan of %s: %s: %s", with, bad.Name, bad.Detail)
	}
	return p, nil
}

// curve has the times of a collective at every reconfiguration delay: that of the best plan
// for each number of changes, of the static one, and of one change before every step.
type curve struct {
	best   []staged.FrontierPoint
	static units.Time
	every  staged.FrontierPoint
	steps  int // of the algorithm
}

func (w work) curve(ctx context.Context) (*curve, error) {
	w.fabric.Reconfig = fabric.Reconfig{Model: fabric.Constant}
	r, err := w.request()
	if err != nil {
		return nil, err
	}
	c := &curve{steps: len(r.Collective.Steps)}
	if c.best, err = staged.Frontier(ctx, r); err != nil {
		return nil, err
	}
	static, err := w.plan(ctx, "static")
	if err != nil {
		return nil, err
	}
	every, err := w.plan(ctx, "every-step")
	if err != nil {
		return nil, err
	}
	c.static = static.Cost.Total()
	c.every = staged.FrontierPoint{Communication: every.Cost.Total(), Reconfigurations: every.Reconfigurations}
	return c, nil
}

// choose returns which of the best plans takes the least at a delay.
func (c *curve) choose(delay units.Duration) int {
	best := 0
	for i := range c.best {
		if c.time(i, delay) < c.time(best, delay) {
			best = i
		}
	}
	return best
}

func (c *curve) time(i int, delay units.Duration) units.Time {
	return c.best[i].Communication + units.Time(c.best[i].Reconfigurations)*delay.Time()
}

// at returns the time of the best plan at a delay.
func (c *curve) at(delay units.Duration) units.Time { return c.time(c.choose(delay), delay) }

// everyStep returns the time with a change before every step whose circuits differ.
func (c *curve) everyStep(delay units.Duration) units.Time {
	return c.every.Communication + units.Time(c.every.Reconfigurations)*delay.Time()
}
