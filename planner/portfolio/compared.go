package portfolio

import (
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/idle"
	"github.com/lightpath-net/lightpath/planner/islands"
)

// allWays lists every algorithm with every planner, and the planners that make their own
// steps.
func (t *Task) allWays(registry planner.Registry) ([]Way, error) {
	var all []Way
	var reason error
	for _, p := range registry {
		traits := planner.TraitsOf(p)
		if traits.Best {
			continue
		}
		ways, err := t.Ways(p)
		if err == nil && traits.Variants != nil {
			ways, err = t.variants(traits.Variants(t.fabric))
		}
		if err == nil {
			all = append(all, ways...)
		} else if reason == nil {
			reason = err
		}
	}
	if len(all) == 0 {
		return nil, reason
	}
	return all, nil
}

// Compared lists the rows of a comparison. Each row is an algorithm with a planner and a
// strategy. It has the way that uses the whole fabric and those that leave ports unused, as
// planning with that planner by name has them.
func (r *Request) Compared(s *Search) ([][]Way, error) {
	if !r.Fabric.Island.IsZero() {
		var err error
		if r, err = r.drawn(); err != nil {
			return nil, err
		}
	}
	type name struct{ algorithm, planner, strategy string }
	place := map[name]int{}
	var all [][]Way
	add := func(w Way) {
		key := name{w.Algorithm, w.Planner.Name(), w.Strategy}
		k, known := place[key]
		if !known {
			k = len(all)
			place[key], all = k, append(all, nil)
		}
		all[k] = append(all[k], w)
	}
	ways, reason := r.comparedOn(&r.Fabric, s)
	for _, w := range ways {
		add(w)
	}
	for _, less := range idle.Of(&r.Fabric, r.exchanges()) {
		narrow := less.On(r.Fabric)
		ways, err := r.comparedOn(&narrow, s)
		if err != nil {
			continue // they do not support fabrics that allow so little
		}
		for _, w := range ways {
			w.Planner = less.Planner(w.Planner)
			add(w)
		}
	}
	addCore := func(of *Request, c islands.Core) {
		inner := of.onCore(c)
		ways, err := inner.comparedOn(&inner.Fabric, s)
		if err != nil {
			return // they do not support so few nodes
		}
		for _, w := range ways {
			lift := islands.Lifting{Core: c, Fabric: of.Fabric, Still: Still(c.Fabric), Size: r.first().Size}
			w.Planner, w.Core = lift.Planner(w.Planner), &c
			add(w)
		}
	}
	for _, f := range simpler(r.Fabric) {
		other := *r
		other.Fabric = f
		for _, c := range other.cores() {
			addCore(&other, c)
		}
	}
	for _, c := range r.uneven() {
		addCore(r, c)
	}
	if len(all) == 0 {
		return nil, reason
	}
	return all, nil
}

// comparedOn lists the ways to compare that use the whole fabric f.
func (r *Request) comparedOn(f *fabric.Fabric, s *Search) ([]Way, error) {
	if r.Pattern == nil {
		t, err := NewTask(r.Operations[0], f, s)
		if err != nil {
			return nil, field.In("operation", err)
		}
		ways, err := t.allWays(s.Planners())
		return ways, field.In("operation", err)
	}
	var all []Way
	for _, p := range s.Planners() {
		if Takes(p, f) {
			all = append(all, patternWay(r.Pattern, p))
		}
	}
	return all, nil
}

// variants lists each of the ways that a planner chooses from.
func (t *Task) variants(list []planner.Variant) ([]Way, error) {
	var all []Way
	for _, v := range list {
		ways, err := t.Ways(v.Planner)
		if err != nil {
			return nil, err
		}
		for i := range ways {
			ways[i].Strategy = v.Strategy
		}
		all = append(all, ways...)
	}
	return all, nil
}
