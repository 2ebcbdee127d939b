package staggered

import (
	"context"
	"errors"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staggered/planes"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// task is a request in the form of package planes: the sets of circuits of one plane, and how
// long each step takes over them.
type task struct {
	request  *planner.Request
	circuits []*topology.Graph
	planes.Problem
}

// newTask finds the circuits that match the steps and how long steps take over them. It looks at
// steps with the same transfers once.
func newTask(ctx context.Context, r *planner.Request) (*task, error) {
	f := &r.Fabric
	t := &task{request: r, Problem: planes.Problem{Planes: f.Ports}}
	for i, step := range r.Collective.Steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := t.addCircuits(i, step); err != nil {
			return nil, err
		}
	}
	first := map[*collective.Transfer]int{} // steps that share their transfers
	for i, step := range r.Collective.Steps {
		if f.Gamma != (fabric.Gamma{}) {
			t.Reducing = append(t.Reducing, f.Gamma.Of(t.reduced(step)))
		}
		if same, ok := first[&step.Base[0]]; ok {
			t.Services = append(t.Services, t.Services[same])
			continue
		}
		first[&step.Base[0]] = i
		row := make([]planes.Service, len(t.circuits))
		for c, g := range t.circuits {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			var err error
			if row[c], err = t.service(step, g); err != nil {
				return nil, err
			}
		}
		t.Services = append(t.Services, row)
	}
	return t, t.delays()
}

// addCircuits adds the circuits that match a step, unless the task has them.
func (t *task) addCircuits(i int, step collective.Step) error {
	f := &t.request.Fabric
	g, err := topology.Matched(f.Nodes, 1, f.Duplex, step.Pairs(), fmt.Sprintf("matched:%d", i+1))
	if errors.Is(err, topology.ErrTooManyPorts) {
		return fmt.Errorf("%w: step %d is not a matching that one plane could serve: %w", planner.ErrInfeasible, i+1, err)
	}
	if err != nil {
		return err
	}
	if f.Without(g) != g {
		return fmt.Errorf("%w: step %d needs circuits that have failed", planner.ErrInfeasible, i+1)
	}
	for _, other := range t.circuits {
		if other.Equal(g) {
			return nil
		}
	}
	t.circuits = append(t.circuits, g)
	return nil
}

// service returns how long a plane with the circuits takes for a step.
func (t *task) service(step collective.Step, g *topology.Graph) (planes.Service, error) {
	space := t.request.Collective.Space
	group := step.Group.Within(g)
	under := step.Under(space, group)
	lanes := []plan.Lane{{Circuits: g, Share: 1}}
	demands := make([]flow.Demand, len(under.Base))
	routes := make([][]flow.Route, len(under.Base))
	for i, x := range under.Base {
		var err error
		if routes[i], err = plan.LaneRoutes(lanes, x.Src, x.Dst); err != nil {
			return planes.Service{}, nil // the circuits do not connect the pair
		}
		demands[i] = flow.Demand{Src: x.Src, Dst: x.Dst, Amount: space.Bytes(float64(t.request.Size), x.Chunks)}
	}
	load, err := flow.LoadOf(g, group, demands, routes)
	if err != nil {
		return planes.Service{}, err
	}
	cost := plan.CostOf(&t.request.Fabric, load, load.Peak, t.reduced(step))
	return planes.Service{Fixed: cost.Startup + cost.Propagation + cost.Reduction, Whole: cost.Transmission}, nil
}

// reduced returns the most bytes that a GPU reduces in a step.
func (t *task) reduced(step collective.Step) float64 {
	r := t.request
	return plan.Reduced(&r.Fabric, step, func(c collective.Chunks) float64 { return r.Collective.Space.Bytes(float64(r.Size), c) })
}

// delays fills in how long changes take.
func (t *task) delays() error {
	f := &t.request.Fabric
	model := f.Reconfig.Remembering()
	t.Change = make([][]units.Time, len(t.circuits))
	for c, from := range t.circuits {
		t.Change[c] = make([]units.Time, len(t.circuits))
		for d, to := range t.circuits {
			if c != d {
				t.Change[c][d] = f.WaitAlone(model.Delay(from, to))
			}
		}
	}
	if up, err := f.InitialTopology(); err != nil || up == nil {
		return err
	}
	dark := topology.New(f.Nodes, "dark", nil)
	for _, g := range t.circuits {
		t.Initial = append(t.Initial, f.WaitAlone(model.Delay(dark, g)))
	}
	return nil
}
