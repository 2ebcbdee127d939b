package portfolio

import (
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/exchange"
	"github.com/lightpath-net/lightpath/planner/exchange/strategy"
	"github.com/lightpath-net/lightpath/planner/idle"
)

// allWays lists every algorithm with every planner, and the planners that make their own
// steps.
func (t *Task) allWays(registry planner.Registry) ([]Way, error) {
	var all []Way
	var reason error
	for _, p := range registry {
		if p.Name() == collective.Auto {
			continue
		}
		ways, err := t.Ways(p)
		if err == nil && p.Name() == exchange.Name {
			ways, err = t.strategies()
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

// Compared lists what is compared: of each algorithm with a planner and a strategy the way that
// has all of the fabric, and those that leave ports unused, as planning with it by name has
// them.
func (r *Request) Compared(s *Search) ([][]Way, error) {
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
	for _, less := range idle.Of(&r.Fabric) {
		narrow := less.On(r.Fabric)
		ways, err := r.comparedOn(&narrow, s)
		if err != nil {
			continue // they are not for fabrics that allow so little
		}
		for _, w := range ways {
			w.Planner = less.Planner(w.Planner)
			add(w)
		}
	}
	if len(all) == 0 {
		return nil, reason
	}
	return all, nil
}

// comparedOn lists what is compared, with all of a fabric.
func (r *Request) comparedOn(f *fabric.Fabric, s *Search) ([]Way, error) {
	if r.Pattern == nil {
		t, err := NewTask(r.Operations[0], f, s)
		if err != nil {
			return nil, field.In("operation", err)
		}
		ways, err := t.allWays(s.Planners)
		return ways, field.In("operation", err)
	}
	var all []Way
	for _, p := range s.Planners {
		if Takes(p, f) {
			all = append(all, patternWay(r.Pattern, p))
		}
	}
	return all, nil
}

// strategies lists every strategy of planner exchange, but the complete search only where
// auto includes it.
func (t *Task) strategies() ([]Way, error) {
	var all []Way
	for _, name := range strategy.Names() {
		if name == strategy.Auto || name == strategy.Exact && t.fabric.Nodes > strategy.ExactNodes {
			continue // a complete search would take longer than all others
		}
		ways, err := t.Ways(exchange.New(exchange.Options{Strategy: name}))
		if err != nil {
			return nil, err
		}
		for i := range ways {
			ways[i].Strategy = name
		}
		all = append(all, ways...)
	}
	return all, nil
}
