package strategy

import (
	"context"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/planner/exchange/jumpset"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/routing"
)

// uniform is what solvers of rotational schedules know of their problem: the demand is
// the same for all pairs.
type uniform struct {
	nodes, ports, each int
	name               string
	fluid              bool
	hops               func(n, k, d int) int // bound on the hops of a source's chunks
}

// newUniform returns false if pairs differ.
func newUniform(p *Problem, name string, hops func(n, k, d int) int) (uniform, bool) {
	each, ok := p.even()
	return uniform{nodes: p.Demand.Nodes(), ports: p.ports(), each: each, name: name, fluid: p.Fluid, hops: hops}, ok
}

// limit is the number of topologies with which every chunk has a circuit of its own.
func (u *uniform) limit() int { return arithmetic.CeilDiv(u.nodes-1, u.ports) }

func (u *uniform) worth() []int { return jumpset.UpTo(u.limit()) }

func (u *uniform) floor(d int) int { return u.fewestSlots(u.hops(u.nodes, u.ports, d)) }

// fewestSlots returns the slots for the given hops of a source's chunks if all ports carry the
// same.
func (u *uniform) fewestSlots(hops int) int {
	if u.fluid {
		return hops * u.each / u.ports
	}
	return arithmetic.CeilDiv(hops*u.each, u.ports)
}

// slots returns the slots that ways take.
func (u *uniform) slots(r *routing.Ways) int {
	if u.fluid {
		return r.MostLoaded(u.each)
	}
	return r.Slots(u.each)
}

// routed makes a candidate of ways.
func (u *uniform) routed(r *routing.Ways) *Candidate {
	return &Candidate{
		Strategy: u.name, Stages: len(r.Generators), Slots: u.slots(r),
		route: func(ctx context.Context) (Route, error) { return Route{Ways: r}, ctx.Err() },
		schedule: func(ctx context.Context) (*model.Schedule, error) {
			return r.Schedule(u.name, u.each), ctx.Err()
		},
	}
}
