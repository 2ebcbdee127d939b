package exchange

import "context"

// uniform is what solvers of rotational schedules know of their problem: the demand is
// the same for all pairs.
type uniform struct {
	nodes, ports, each int
	name               string
	hops               func(n, k, d int) int // bound on the hops of a source's chunks
}

// newUniform returns false if pairs differ in demand.
func newUniform(p *Problem, name string, hops func(n, k, d int) int) (uniform, bool) {
	each, ok := p.Demand.Each()
	return uniform{p.Demand.Nodes(), p.ports(), each, name, hops}, ok
}

// limit is the number of topologies with which every chunk has a circuit of its own.
func (u *uniform) limit() int { return ceilDiv(u.nodes-1, u.ports) }

func (u *uniform) worth() []int { return counts(u.limit()) }

// counts returns 1, 2, .., most.
func counts(most int) []int {
	list := make([]int, most)
	for i := range list {
		list[i] = i + 1
	}
	return list
}

func (u *uniform) floor(d int) int {
	return ceilDiv(u.hops(u.nodes, u.ports, d)*u.each, u.ports)
}

// routed makes a draft of a routing.
func (u *uniform) routed(r *routing) *draft {
	return &draft{u.name, len(r.generators), r.slots(u.each), func(ctx context.Context) (*Schedule, error) {
		return r.schedule(u.name, u.each), ctx.Err()
	}}
}
