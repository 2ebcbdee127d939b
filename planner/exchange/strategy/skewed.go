package strategy

import (
	"context"
	"iter"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/routing"
)

// skewed is what solvers for any demand know of their problem.
type skewed struct {
	demand       model.Demand
	nodes, ports int
	name         string
	relay        bool              // chunks may use several topologies
	rows         *model.DemandRows // once floor needs them
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

func (s *skewed) limit() int { return model.CeilDiv(s.nodes-1, s.ports) }

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
		hops := model.LoadHops
		if s.relay {
			hops = model.RelayHops
		}
		return model.CeilDiv(hops(s.nodes, s.ports, d)*each, s.ports)
	}
	if s.rows == nil {
		s.rows = model.NewDemandRows(s.demand)
	}
	return s.rows.Slots(s.ports, func(n int) iter.Seq[int] {
		if s.relay {
			return model.AcrossAll(s.ports, d, n)
		}
		return model.InOne(s.ports, d, n)
	})
}

// routed finds ways over topologies and puts them in order. It returns nil if some chunk
// cannot reach its destination, or if shortest ways alone take the given number of slots.
func (s *skewed) routed(ctx context.Context, stages [][][]int, below int) (*draft, error) {
	r := routing.NewRouter(stages, s.demand, s.relay)
	if hops, ok := r.LeastHops(); !ok || model.CeilDiv(hops, s.nodes*s.ports) >= below {
		return nil, ctx.Err()
	}
	if err := r.Solve(ctx); err != nil {
		return nil, err
	}
	return scheduled(r.Schedule(s.name, s.ports)), nil
}

// scheduled makes a draft of a schedule that is there.
func scheduled(s *model.Schedule) *draft {
	return &draft{strategy: s.Strategy, stages: len(s.Stages), slots: s.Slots(), build: func(ctx context.Context) (*model.Schedule, error) {
		return s, ctx.Err()
	}}
}
