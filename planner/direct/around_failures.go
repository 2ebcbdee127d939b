package direct

import (
	"cmp"
	"context"
	"errors"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/mended"
	"github.com/lightpath-net/lightpath/topology"
)

// Limits on the work around failures.
const (
	aroundNodes = 1 << 10 // GPUs: a schedule without symmetry takes O(n^2) and more
	aroundWork  = 1 << 12 // total GPUs of the schedules compared
)

// around plans for a fabric on which links or ports have failed, or whose switches do not
// connect all GPUs. It mends the topology that it would choose without failures, and the base,
// and computes a breadth-first-broadcast schedule on each, in which a GPU that has lost ports
// receives as much as it still can. It returns the fastest of these plans and of the plan on
// the base without the failed circuits.
func around(ctx context.Context, r planner.Request) (*plan.Plan, error) {
	var best *plan.Plan
	var reason error
	take := func(g *topology.Graph, s *source) error {
		made, err := onSource(ctx, r, g, s)
		var late, before *planner.Beyond
		switch {
		case errors.As(err, &late):
			if !errors.As(reason, &before) || late.Least < before.Least {
				reason = err
			}
		case errors.Is(err, planner.ErrInfeasible):
			reason = cmp.Or(reason, err)
		case err != nil:
			return err
		case best == nil || made.Cost.Total() < best.Cost.Total():
			best, r.Limit = made, made.Cost.Total()
		}
		return nil
	}
	if base, err := r.Fabric.BaseTopology(); err == nil {
		if err := take(base, nil); err != nil {
			return nil, err
		}
	} else {
		reason = errors.Join(planner.ErrInfeasible, err)
	}
	if mixed := r.Fabric.Mixed(); mixed != nil && r.Fabric.Base == "" {
		for _, g := range append([]*topology.Graph{mixed}, r.Fabric.MixedNarrow()...) {
			if err := take(g, nil); err != nil {
				return nil, err
			}
		}
	}
	graphs, err := wholeGraphs(ctx, r)
	if err != nil {
		return nil, err
	}
	for _, g := range graphs {
		other, s, err := mend(ctx, &r, g)
		if err != nil {
			return nil, err
		}
		if other == nil {
			continue
		}
		if err := take(other, s); err != nil {
			return nil, err
		}
	}
	if best == nil {
		return nil, reason
	}
	return best, nil
}

// wholeGraphs returns the topologies that around would use without failures. It returns none if
// schedules around the failures would take too long to compute or the request names a base.
func wholeGraphs(ctx context.Context, r planner.Request) ([]*topology.Graph, error) {
	if r.Fabric.Base != "" || r.Fabric.Nodes > aroundNodes || r.Fabric.Alive() != nil {
		return nil, nil
	}
	r.Fabric.Avoid = fabric.Failures{}
	chosen, err := topologyFor(ctx, &r)
	if errors.Is(err, planner.ErrInfeasible) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return withBase(chosen, &r.Fabric), nil
}

// withBase returns the chosen topology and, if it is a different one, the base topology.
func withBase(chosen *topology.Graph, f *fabric.Fabric) []*topology.Graph {
	graphs := []*topology.Graph{chosen}
	if base, err := f.BaseTopology(); err == nil && !base.Equal(chosen) {
		graphs = append(graphs, base)
	}
	return graphs
}

// mend returns the fastest topology without the failed circuits and ports, of several ways to
// reconnect around GPUs that have lost ports, and its schedule. It returns nil if it finds
// none.
func mend(ctx context.Context, r *planner.Request, g *topology.Graph) (best *topology.Graph, its *source, err error) {
	f := &r.Fabric
	tries := 1
	if f.LostPorts() {
		tries = min(f.Ports*f.Ports, max(1, aroundWork/f.Nodes))
	}
	for try := range tries {
		other := mended.Graph(f, g, func(_ int, from, to []int) (i, j int) {
			return try % len(from), try / f.Ports % len(to)
		})
		if other == nil {
			continue
		}
		s, err := bestOn(ctx, r, other)
		if errors.Is(err, planner.ErrInfeasible) {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		if its == nil || s.least(r) < its.least(r) {
			best, its = other, &s
		}
	}
	return best, its, nil
}
