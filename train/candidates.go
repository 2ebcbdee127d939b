package train

import (
	"context"
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// candidates are the plans that a collective may have.
type candidates struct {
	choices  []Choice
	least    units.Time                    // of plans without a reconfiguration
	changing map[units.Duration]units.Time // of plans with some, made for a delay, with that delay
}

// delaysFrom lists the delays for which plans are made: 0, 1us, 3us, 10us .. 1s, from the last
// one that is at most the given one.
func delaysFrom(delay units.Duration) []units.Duration {
	all := []units.Duration{0}
	for d := units.Microsecond; d <= units.Second; d *= 10 {
		all = append(all, d, 3*d)
	}
	for len(all) > 1 && all[1] <= delay {
		all = all[1:]
	}
	return all
}

// candidates returns the plans for a collective.
func (s *search) candidates(ctx context.Context, key planKey) (*candidates, error) {
	if c, ok := s.known[key]; ok {
		return c, nil
	}
	c := &candidates{least: units.Time(math.Inf(1)), changing: map[units.Duration]units.Time{}}
	add := func(p *plan.Plan, err error) error {
		if err == nil && p != nil {
			first, last := p.Stages[0].Topology, p.Stages[len(p.Stages)-1].Topology
			c.choices = append(c.choices, Choice{First: first, Last: last, Time: p.Cost.Total(), Changes: p.Reconfigurations})
			if p.Reconfigurations == 0 {
				c.least = min(c.least, p.Cost.Total())
			}
		}
		return err
	}
	if err := add(s.plans.Static(ctx, key.op, key.size)); err != nil {
		return nil, err
	}
	for _, g := range s.stay {
		if err := add(s.plans.On(ctx, g, key.op, key.size)); err != nil {
			return nil, err
		}
	}
	if err := add(s.plans.Hold(ctx, key.op, key.size)); err != nil {
		return nil, err
	}
	for _, delay := range delaysFrom(s.fabric.Reconfig.Base) {
		limit := c.least
		if math.IsInf(float64(limit), 0) {
			limit = 0
		}
		made, err := s.plans.For(ctx, delay, key.op, key.size, limit)
		if err != nil {
			return nil, err
		}
		if made == nil || made.Reconfigurations == 0 || limit > 0 && made.Cost.Total() >= limit {
			break // the same as for longer delays
		}
		c.changing[delay] = made.Cost.Total()
		priced := *made
		priced.Fabric = *s.fabric
		priced.Fabric.Initial = fabric.InitialFree
		if err := add(&priced, priced.PriceContext(ctx)); err != nil {
			return nil, err
		}
	}
	if len(c.choices) == 0 {
		return nil, fmt.Errorf("%s of %v: %w", key.op, key.size, ErrNoPlan)
	}
	s.known[key] = c
	return c, nil
}

// prepare finds the candidates of all collectives of a lineup.
func (s *search) prepare(ctx context.Context, u *lineup) error {
	for i := range u.items {
		if _, err := s.candidates(ctx, planKey{u.items[i].Op, units.Bytes(u.items[i].Bytes)}); err != nil {
			return err
		}
	}
	return nil
}
