// Package findertest lists the stored graphs with bounds, for tests of the finder and for the
// document of records.
package findertest

import (
	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/planner/direct/finder"
	"github.com/lightpath-net/lightpath/planner/direct/stored"
	"github.com/lightpath-net/lightpath/topology"
)

// Record is a stored graph with the cost of an allreduce on it and a lower bound on that of any
// graph.
type Record struct {
	Expr          topology.Expr
	Nodes, Degree int
	TwoWay        bool
	finder.Cost
	// Bound is the result of finder.Bound.
	Bound finder.Cost
}

// Optimal reports whether the graph meets both bounds, so that no other can be better.
func (r Record) Optimal() bool {
	return r.Steps <= r.Bound.Steps && r.Bandwidth.Cmp(r.Bound.Bandwidth) <= 0
}

// Records lists the stored graphs for allreduces, one-way ones first, by degree, nodes and steps.
func Records() ([]Record, error) {
	var all []Record
	for _, s := range stored.All() {
		if s.Task.Gather {
			continue
		}
		bound, err := finder.Bound(s.Nodes, s.Degree, finder.Options{Op: bfb.AllReduce, Bidirectional: s.TwoWay})
		if err != nil {
			return nil, err
		}
		expr, err := s.Expr.Checked()
		if err != nil {
			return nil, err
		}
		all = append(all, Record{expr, s.Nodes, s.Degree, s.TwoWay, finder.Cost{Steps: s.Steps, Bandwidth: s.Bandwidth}, bound})
	}
	return all, nil
}
