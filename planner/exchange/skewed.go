package exchange

import (
	"context"
	"iter"
)

// skewed is what solvers for demands that differ from pair to pair know of their problem.
type skewed struct {
	demand       Demand
	nodes, ports int
	name         string
	relay        bool // chunks may use several topologies
	rows         *demandRows
}

// newSkewed returns false if pairs do not differ in demand.
func newSkewed(p *Problem, name string, relay bool) (skewed, bool) {
	s := skewed{demand: p.Demand, nodes: p.Demand.Nodes(), ports: p.ports(), name: name, relay: relay}
	if _, equal := p.Demand.Each(); equal {
		return s, false
	}
	s.rows = newDemandRows(p.Demand)
	return s, true
}

func (s *skewed) limit() int { return ceilDiv(s.nodes-1, s.ports) }

func (s *skewed) floor(d int) int {
	return s.rows.slots(s.ports, func(n int) iter.Seq[int] {
		if s.relay {
			return acrossAll(s.ports, d, n)
		}
		return inOne(s.ports, d, n)
	})
}

// routed finds ways over topologies and puts them in order. It returns nil if some chunk
// cannot reach its destination.
func (s *skewed) routed(ctx context.Context, stages [][][]int) (*draft, error) {
	r := newRouter(stages, s.demand, s.relay)
	ok, err := r.solve(ctx)
	if err != nil || !ok {
		return nil, err
	}
	return scheduled(r.schedule(s.name, s.ports)), nil
}

// scheduled makes a draft of a schedule that is there.
func scheduled(s *Schedule) *draft {
	return &draft{s.Strategy, len(s.Stages), s.Slots(), func(ctx context.Context) (*Schedule, error) {
		return s, ctx.Err()
	}}
}
