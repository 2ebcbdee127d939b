package portfolio

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/planner/direct/finder"
	"github.com/lightpath-net/lightpath/units"
)

// exchanged plans an all-to-all with the best of all planners, and verifies the plan.
func exchanged(t *testing.T, f fabric.Fabric, o collective.Operation) *plan.Plan {
	t.Helper()
	o.Op = collective.AllToAll
	r := Request{Fabric: f, Operations: []collective.Operation{o}}
	s := NewSearch(Options{Planners: Planners(), Bare: true})
	p, err := r.Fastest(t.Context(), s.Planners().Best(), s)
	if err != nil {
		t.Fatal(err)
	}
	if report, err := verify.Plan(t.Context(), p); err != nil || report.First() != nil {
		t.Fatalf("%v, %+v", err, report.First())
	}
	return p
}

// The shortest two-way graphs that have names of their own, and one-way graphs that are stored:
// with little to send, an all-to-all takes as many hops as the farthest GPUs are apart. So it does
// on rails, and where other GPUs take no part.
func TestAllToAllsUseKnownGraphs(t *testing.T) {
	rails, err := layout.Parse("rails")
	if err != nil {
		t.Fatal(err)
	}
	few := make([]int, 10)
	for i := range few {
		few[i] = 3 + i
	}
	for _, c := range []struct {
		what   string
		hops   int
		gpus   []int
		change func(*fabric.Fabric)
	}{
		{"Petersen", 2, nil, func(f *fabric.Fabric) { f.Nodes, f.Ports, f.Duplex = 10, 3, true }},
		{"Petersen among others", 2, few, func(f *fabric.Fabric) { f.Nodes, f.Ports, f.Duplex = 16, 3, true }},
		{"Coxeter", 4, nil, func(f *fabric.Fabric) { f.Nodes, f.Ports, f.Duplex = 28, 3, true }},
		{"Coxeter on rails", 4, nil, func(f *fabric.Fabric) {
			f.Nodes, f.Ports, f.Duplex = 28, 3, true
			f.Layout = rails
		}},
		{"Hoffman-Singleton", 2, nil, func(f *fabric.Fabric) { f.Nodes, f.Ports, f.Duplex = 50, 7, true }},
		{"Biggs-Smith", 7, nil, func(f *fabric.Fabric) { f.Nodes, f.Ports, f.Duplex = 102, 3, true }},
		{"one-way, 21 nodes", 4, nil, func(f *fabric.Fabric) { f.Nodes, f.Ports = 21, 2 }},
		{"one-way, 22 nodes", 4, nil, func(f *fabric.Fabric) { f.Nodes, f.Ports = 22, 2 }},
	} {
		f := fabric.Default()
		c.change(&f)
		p := exchanged(t, f, collective.Operation{Size: units.KiB, GPUs: c.gpus})
		hops := 0
		for i := range p.Stages {
			for j := range p.Stages[i].Steps {
				for _, transfer := range p.Stages[i].Steps[j].Base {
					for _, route := range transfer.Routes {
						hops = max(hops, len(route.Path)-1)
					}
				}
			}
		}
		if p.Reconfigurations > 0 || hops != c.hops {
			t.Errorf("%s: %d reconfigurations, %d hops, want %d", c.what, p.Reconfigurations, hops, c.hops)
		}
	}
}

// Whoever gives one of the finder's graphs as the base gets no faster plan than who leaves the
// choice open, for fabrics and sizes drawn at random.
func TestNoGraphOfTheFinderIsABetterBase(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 28))
	for range 12 {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Duplex = 6+random.IntN(59), 2+random.IntN(5), random.IntN(2) == 0
		f.Reconfig.Base = []units.Duration{units.Microsecond, 10 * units.Microsecond, 100 * units.Microsecond}[random.IntN(3)]
		o := collective.Operation{Size: []units.Bytes{units.KiB, 64 * units.KiB, 512 * units.KiB, 4 * units.MiB, 64 * units.MiB}[random.IntN(5)]}
		took := exchanged(t, f, o).Cost.Total()
		for _, op := range []bfb.Op{bfb.AllReduce, bfb.AllGather} {
			points, err := finder.New(f.Ports, finder.Options{Op: op, Bidirectional: f.Duplex}).Frontier(t.Context(), f.Nodes)
			if err != nil && !errors.Is(err, finder.ErrNone) {
				t.Fatal(err)
			}
			for _, point := range points {
				f.Base = point.Expr.String()
				if based := exchanged(t, f, o).Cost.Total(); planner.Above(took, based) {
					t.Errorf("%d GPUs, %d ports, two-way %t, %v, %v: %v, with base %s %v",
						f.Nodes, f.Ports, f.Duplex, o.Size, f.Reconfig.Base, took, f.Base, based)
				}
			}
		}
	}
}
