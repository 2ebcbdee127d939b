package finder

import (
	"context"
	"math/big"

	"github.com/lightpath-net/lightpath/topology"
)

// A larger choice must not give a worse answer. That is true by definition, but a search may
// find a topology of the smaller choice and miss it in the larger one. The functions below make
// it true.

// addTwoWayTopologies adds two-way topologies to a pool of one-way ones, since they are one-way
// topologies too. It searches for them anew, since most need not be built: only those count
// that cost less than the one-way ones.
func (f *Finder) addTwoWayTopologies(ctx context.Context, k key, p *pool) error {
	if k.twoWay {
		return nil
	}
	k.twoWay = true
	least, ok := topology.MooreDiameter(k.nodes, k.degree, true)
	if !ok || p.covers(f.floor(k, least), 0) || f.beyondDiameter(k, least) {
		return nil
	}
	rivals := p.clone()
	for i := range rivals.members {
		c := &rivals.members[i]
		c.traits = ^balanced // no trait but this makes a two-way topology useful
		if c.cost.Bandwidth.Cmp(leastBandwidth(f.halves, k.nodes)) == 0 {
			c.traits |= balanced
		}
	}
	if err := f.collectAll(ctx, k, rivals); err != nil {
		return err
	}
	for _, c := range rivals.members {
		c.traits = 0
		p.add(c)
	}
	return nil
}

// addIdle adds topologies of smaller degrees, which leave some ports unused. Bandwidth is in
// units of M/B, where B is what all ports of a node carry, including the idle ones.
func (f *Finder) addIdle(ctx context.Context, k key, p *pool) error {
	for idle := 1; idle < k.degree; idle++ {
		smaller := key{k.nodes, k.degree - idle, k.twoWay}
		least, ok := f.leastSteps(smaller)
		growth := big.NewRat(int64(k.degree), int64(smaller.degree))
		floor := new(big.Rat).Mul(f.leastBandwidth(smaller), growth)
		if !ok || p.covers(Cost{least, floor}, 0) || f.beyond(k, Cost{least, floor}) {
			continue
		}
		with := p.ofFewerPorts(growth)
		if err := f.collectAll(ctx, smaller, with); err != nil {
			return err
		}
		if !f.idleCovered(smaller, p, growth) {
			if err := f.addTwoWayTopologies(ctx, smaller, with); err != nil {
				return err
			}
		}
		for _, c := range with.frontier() {
			if c.method == rival {
				continue
			}
			c.expr = operator("Idle", c.expr, idle)
			c.cost = Cost{c.cost.Steps, new(big.Rat).Mul(c.cost.Bandwidth, growth)}
			c.traits = 0
			f.met(k, c.cost)
			p.add(c)
		}
	}
	return nil
}

// rival is the method of topologies that are in a pool only to keep costlier topologies from
// being built.
const rival Method = ""

// ofFewerPorts returns a pool of rivals: a topology with fewer ports must cost less than these
// to be of use for this pool, whose topologies have growth times as many ports.
func (p *pool) ofFewerPorts(growth *big.Rat) *pool {
	rivals := &pool{}
	for _, c := range p.members {
		cost := Cost{c.cost.Steps, new(big.Rat).Quo(c.cost.Bandwidth, growth)}
		rivals.members = append(rivals.members, candidate{cost: cost, method: rival, traits: ^traits(0)})
	}
	return rivals
}

// idleCovered reports whether two-way topologies of a smaller degree are of no use for the
// pool, whose topologies have growth times as many ports.
func (f *Finder) idleCovered(smaller key, p *pool, growth *big.Rat) bool {
	smaller.twoWay = true
	least, ok := f.leastSteps(smaller)
	return !ok || p.covers(Cost{least, new(big.Rat).Mul(f.leastBandwidth(smaller), growth)}, 0)
}
