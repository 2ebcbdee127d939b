package exchange

import (
	"context"
	"iter"
)

// skewed is what solvers for any demand know of their problem.
type skewed struct {
	demand       Demand
	nodes, ports int
	name         string
	relay        bool        // chunks may use several topologies
	rows         *demandRows // once floor needs them
}

// newAnyDemand is for solvers that do not mind whether pairs differ in demand.
func newAnyDemand(p *Problem, name string, relay bool) skewed {
	return skewed{demand: p.Demand, nodes: p.Demand.Nodes(), ports: p.ports(), name: name, relay: relay}
}

// newSkewed returns false if pairs do not differ in demand.
func newSkewed(p *Problem, name string, relay bool) (skewed, bool) {
	_, equal := p.Demand.Each()
	return newAnyDemand(p, name, relay), !equal
}

func (s *skewed) limit() int { return ceilDiv(s.nodes-1, s.ports) }

// worth lists 1, 2, 3, 4, 6, 8, 12, 16, ..: finding ways for any demand takes long, and
// between these numbers costs change little.
func (s *skewed) worth() []int {
	var list []int
	for d := 1; d < s.limit(); d *= 2 {
		list = append(list, d)
		if more := d + d/2; d > 1 && more < s.limit() {
			list = append(list, more)
		}
	}
	return append(list, s.limit())
}

func (s *skewed) floor(d int) int {
	if each, equal := s.demand.Each(); equal {
		hops := loadHops
		if s.relay {
			hops = relayHops
		}
		return ceilDiv(hops(s.nodes, s.ports, d)*each, s.ports)
	}
	if s.rows == nil {
		s.rows = newDemandRows(s.demand)
	}
	return s.rows.slots(s.ports, func(n int) iter.Seq[int] {
		if s.relay {
			return acrossAll(s.ports, d, n)
		}
		return inOne(s.ports, d, n)
	})
}

// routed finds ways over topologies and puts them in order. It returns nil if some chunk
// cannot reach its destination, or if shortest ways alone take the given number of slots.
func (s *skewed) routed(ctx context.Context, stages [][][]int, below int) (*draft, error) {
	r := newRouter(stages, s.demand, s.relay)
	if hops, ok := r.leastHops(); !ok || ceilDiv(hops, s.nodes*s.ports) >= below {
		return nil, ctx.Err()
	}
	if err := r.solve(ctx); err != nil {
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
