package designing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/iterating"
	"github.com/lightpath-net/lightpath/command/wiring"
	"github.com/lightpath-net/lightpath/envelope"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/fabric/parts"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/threads"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/planner/portfolio/column"
	"github.com/lightpath-net/lightpath/sweep"
	"github.com/lightpath-net/lightpath/units"
)

// MakeDesign finds which fabric to buy: it wires, prices and plans every combination, and packet
// fabrics beside them. Every time is that of a plan, found by the usual search.
func MakeDesign(ctx context.Context, r DesignRequest, options ...command.Option) (*Design, error) {
	e := command.NewRun(options)
	if err := r.Complete(); err != nil {
		return nil, err
	}
	d := &designer{DesignRequest: &r, e: e, groups: map[string]*group{}}
	if err := d.prepare(options); err != nil {
		return nil, err
	}
	if err := d.lay(); err != nil {
		return nil, err
	}
	if err := d.plan(ctx); err != nil {
		return nil, e.Unfinished(ctx, err, func() (any, string) {
			a, known := d.answer()
			if known == 0 {
				return nil, ""
			}
			return a, fmt.Sprintf("%d of %d choices were planned", known, len(a.Choices))
		})
	}
	a, _ := d.answer()
	return a, nil
}

// designer is the state of a design in progress.
type designer struct {
	*DesignRequest
	e       *command.Run
	parts   *parts.Catalogue
	mix     []MixedOperation
	solver  sweep.Solver
	choices []Choice
	groups  map[string]*group // by fabric without its delay
	order   []*group
}

// group is the choices on one fabric: they differ only in the delay and are planned together.
type group struct {
	fabric  fabric.Fabric
	choices []int
	times   [][]units.Time // by operation and choice
	done    int            // number of operations
	reasons []string       // of choices
	ways    [][]string     // by operation and choice: the algorithm and the planner of its plan
	// segments are the times of each operation as functions of the delay, if they are traced.
	segments [][]envelope.Segment
}

// prepare computes what all choices have in common.
func (d *designer) prepare(options []command.Option) (err error) {
	if d.parts, err = parts.With(d.Parts); err != nil {
		return field.In("parts", err)
	}
	if d.Workload != nil {
		d.solver = &iterating.Columns{Workload: d.Workload, Options: options}
		return nil
	}
	if d.mix, err = d.mixed(); err != nil {
		return err
	}
	d.solver = sweep.NewColumns(d.e.Search, column.Options{FewSizes: true, OnlyFastest: true}, nil)
	return nil
}

// lay lists the choices with their bills, and groups those that are planned together.
func (d *designer) lay() error {
	for _, ports := range d.Ports {
		for _, island := range d.Island {
			f, err := d.machine(ports, island)
			if err != nil {
				return err
			}
			m := parts.Machine{Nodes: f.Nodes, Ports: ports, Bandwidth: f.Bandwidth, Island: f.Island.Size, IslandBandwidth: f.Island.Bandwidth}
			for _, name := range d.Technology {
				d.optical(f, m, name)
			}
			trees := map[string]func(endpoints, radix int) (parts.Tree, error){FatTree: parts.FatTree}
			if island > 1 {
				trees[RailOptimised], trees[RailOnly] = parts.RailOptimised(island), parts.RailOnly(island)
			}
			for _, kind := range d.Packet {
				if plan := trees[kind]; plan != nil {
					d.electrical(f, m, kind, plan)
				}
			}
		}
	}
	return nil
}

// add adds a choice that is planned on a fabric.
func (d *designer) add(c Choice, f *fabric.Fabric) {
	d.choices = append(d.choices, c)
	if c.Reason != "" {
		return
	}
	key := fmt.Sprint(f.Key())
	if d.groups[key] == nil {
		d.groups[key] = &group{fabric: *f}
		d.order = append(d.order, d.groups[key])
	}
	d.groups[key].choices = append(d.groups[key].choices, len(d.choices)-1)
	d.choices[len(d.choices)-1].group = d.groups[key]
}

// bought fills in the bill of a choice.
func (c *Choice) bought(b *parts.Bill, err error) {
	if err != nil {
		c.Reason = err.Error()
		return
	}
	c.CostUSD, c.PowerW, c.Bill = &b.CostUSD, &b.PowerW, b.Lines
}

// working fills in the share of time in which all parts of the bill work.
func (c *Choice) working(all *parts.Catalogue) {
	if up := all.Up(c.Bill); c.Bill != nil && up.High > 0 {
		c.Availability = &up
	}
}

// optical adds the choice with switches of a technology.
func (d *designer) optical(f fabric.Fabric, m parts.Machine, name string) {
	of := d.parts.Switches[name]
	c := Choice{Kind: Optical, Technology: name, Ports: m.Ports, Island: max(1, f.Island.Size), ReconfigNs: of.Switching.Time()}
	l, p, err := wiring.Fewest(&f, of.Ports)
	if err != nil {
		c.Reason = err.Error()
		d.add(c, &f)
		return
	}
	c.Layout = cmp.Or(l.String(), layout.Ideal)
	c.buy = func(all *parts.Catalogue) (*parts.Bill, error) { return all.Optical(m, p, name, of.Ports) }
	c.bought(c.buy(d.parts))
	c.working(d.parts)
	if light, err := d.parts.Light(m.Bandwidth, name); err == nil {
		c.Stages, c.Light = &light.Stages, lit(light.Stages)
		loss := light.SwitchDB.Plus(light.FibreDB.Times(2))
		c.LossDB = &loss
		if c.Light == Never {
			c.Reason = cmp.Or(c.Reason, fmt.Sprintf("no light: a link loses %.3g dB at best, more than its transceivers bridge", loss.Low))
		}
	}
	if l.Equal(layout.Rails()) && !f.Duplex {
		l = layout.Layout{} // rails have every circuit that the ideal switch has (Kőnig)
	}
	f.Layout = l
	d.add(c, &f)
}

// electrical adds the choice of packet fabrics, planned as circuits that change in no time:
// whatever goes over circuits can be sent as packets, and no two flows share a link of a
// non-blocking fabric. If every rail is a network of its own, circuits stay on the rails.
func (d *designer) electrical(f fabric.Fabric, m parts.Machine, kind string, plan func(endpoints, radix int) (parts.Tree, error)) {
	c := Choice{Kind: kind, Ports: m.Ports, Island: max(1, f.Island.Size)}
	b, tree, err := d.parts.Electrical(m, plan)
	c.buy = func(all *parts.Catalogue) (*parts.Bill, error) {
		b, _, err := all.Electrical(m, plan)
		return b, err
	}
	c.Tiers = tree.Tiers
	c.bought(b, err)
	c.working(d.parts)
	if kind == RailOnly && f.Islands() > 1 {
		f.Layout = layout.Places(f.Island.Size, 1)
	}
	d.add(c, &f)
}

// plan plans the groups in parallel.
func (d *designer) plan(ctx context.Context) error {
	type task struct {
		g *group
		o int
	}
	var tasks []task
	operations := max(1, len(d.mix))
	for o := range operations {
		for _, g := range d.order {
			g.times, g.reasons = make([][]units.Time, operations), make([]string, len(g.choices))
			g.segments, g.ways = make([][]envelope.Segment, operations), make([][]string, operations)
			tasks = append(tasks, task{g, o})
		}
	}
	var mutex sync.Mutex
	var failed error
	next := 0
	take := func() (t task, ok bool) {
		mutex.Lock()
		defer mutex.Unlock()
		if failed != nil || next == len(tasks) {
			return t, false
		}
		d.e.Report(next, len(tasks))
		next++
		return tasks[next-1], true
	}
	workers := min(threads.Of(ctx), max(1, len(tasks)))
	threads.Each(ctx, workers, func(int) {
		for t, ok := take(); ok; t, ok = take() {
			outcomes, segments, err := d.solve(threads.Split(ctx, workers), t.g, t.o)
			mutex.Lock()
			if err != nil {
				failed = errors.Join(failed, err)
			} else {
				t.g.note(t.o, outcomes, segments)
			}
			mutex.Unlock()
		}
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return failed
}

// solve plans an operation of the mix, or the iteration, for the choices of a group, and traces it
// over the delay.
func (d *designer) solve(ctx context.Context, g *group, operation int) ([]sweep.Outcome, []envelope.Segment, error) {
	delays := make([]units.Duration, len(g.choices))
	for k, i := range g.choices {
		if c := &d.choices[i]; c.Kind == Optical {
			delays[k] = d.parts.Switches[c.Technology].Switching
		}
	}
	traced := d.traced(g)
	if traced {
		delays = append(delays, 0)
	}
	outcomes, err := d.solver.Solve(ctx, d.cells(g, operation, delays))
	if err != nil || !traced {
		return outcomes, nil, err
	}
	known := map[units.Duration]envelope.Line{}
	for k, o := range outcomes {
		if o.Reason != "" {
			return outcomes[:len(g.choices)], nil, nil
		}
		line := lineOf(o.Total, o.Reconfigurations, delays[k])
		if known[delays[k]] = line; line.Slope == 0 {
			known[far] = line // a plan without changes takes the same time at any delay
		}
	}
	segments, err := d.trace(ctx, g, operation, known)
	return outcomes[:len(g.choices)], segments, err
}

// cells are the requests of a group for one operation of the mix, or for the iteration, with some
// delays.
func (d *designer) cells(g *group, operation int, delays []units.Duration) []sweep.Request {
	cells := make([]sweep.Request, len(delays))
	for k, delay := range delays {
		f := g.fabric
		f.Reconfig.Base = delay
		cells[k] = sweep.Request{Fabric: f, Algorithm: iteration.Best}
		if d.Workload == nil {
			o := d.mix[operation]
			cells[k].Op, cells[k].Size, cells[k].Algorithm, cells[k].Planner = o.Op, units.Bytes(o.SizeBytes), o.Algorithm, d.Planner
		}
	}
	return cells
}

// note records the times of an operation.
func (g *group) note(operation int, outcomes []sweep.Outcome, segments []envelope.Segment) {
	g.done++
	g.times[operation], g.segments[operation], g.ways[operation] = make([]units.Time, len(outcomes)), segments, make([]string, len(outcomes))
	for k, o := range outcomes {
		g.ways[operation][k] = o.Algorithm + " by " + o.Planner
		g.times[operation][k] = o.Total
		g.reasons[k] = cmp.Or(g.reasons[k], o.Reason)
	}
}

// traces adds the times of the load as functions of the delay, and what a port is worth
// according to them.
func (d *designer) traces(a *Design) {
	var all []bought
	for _, g := range d.order {
		if g.done < len(d.mix) || d.Workload != nil || slices.ContainsFunc(g.segments, func(s []envelope.Segment) bool { return s == nil }) {
			continue
		}
		a.Curves = append(a.Curves, d.curve(g))
	}
	for k := range a.Curves {
		curve := &a.Curves[k]
		for i := range a.Choices {
			if c := &a.Choices[i]; c.possible() && c.on(curve) {
				rest, _ := c.split()
				all = append(all, bought{curve, rest, float64(c.plugged())})
				break
			}
		}
	}
	delays := make([]units.Time, len(d.Technology))
	for i, name := range d.Technology {
		delays[i] = d.parts.Switches[name].Switching.Time()
	}
	a.BreakEven = a.breakEven(all, delays)
}

// answer assembles what is known, and returns for how many choices.
func (d *designer) answer() (*Design, int) {
	a := &Design{Schema: DesignSchema, Fabric: d.Fabric, Mix: d.mix, BudgetCost: d.BudgetCost, BudgetPower: d.BudgetPower, Best: -1, Value: -1, Worth: []Worth{}}
	if d.Workload != nil {
		a.Workload = cmp.Or(d.Workload.Name, "workload")
	}
	all := slices.Clone(d.choices)
	known := 0
	for _, g := range d.order {
		for k, i := range g.choices {
			c := &all[i]
			switch {
			case g.done < max(1, len(d.mix)):
				c.Reason = "not planned yet"
				continue
			case g.reasons[k] != "":
				c.Reason = g.reasons[k]
			default:
				for o, times := range g.times {
					once := 1
					if d.Workload == nil {
						c.TimesNs, c.Plans = append(c.TimesNs, times[k]), append(c.Plans, g.ways[o][k])
						once = d.mix[o].Times
					}
					c.IterationNs += times[k] * units.Time(once)
				}
				c.WithinCost, c.WithinPower = within(c.CostUSD, d.BudgetCost), within(c.PowerW, d.BudgetPower)
				c.OverBudget = d.BudgetCost > 0 && c.CostUSD.Likely > d.BudgetCost || d.BudgetPower > 0 && c.PowerW.Likely > d.BudgetPower
			}
			known++
		}
	}
	slices.SortStableFunc(all, func(x, y Choice) int {
		switch {
		case x.possible() != y.possible():
			return cmp.Compare(len(x.Reason), len(y.Reason))
		case !x.possible():
			return 0
		}
		p, q := x.criteria(), y.criteria()
		return slices.Compare(p[:], q[:])
	})
	a.Choices = all
	a.Frontier = frontier(all)
	a.Best = slices.IndexFunc(all, func(c Choice) bool { return c.possible() && !c.OverBudget })
	a.Value = a.decided(func(i int) [3]float64 { return a.Choices[i].criteria() })[1]
	a.worth(d)
	d.traces(a)
	a.Changes = a.sensitivity(d)
	a.Answer = a.sentence()
	return a, known
}
