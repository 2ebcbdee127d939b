package portfolio

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/planner/direct/finder"
	"github.com/lightpath-net/lightpath/planner/exchange/jumpset"
	"github.com/lightpath-net/lightpath/topology"
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

// On the shortest two-way graphs with names of their own, and on stored one-way graphs, a small
// all-to-all takes as many hops as the farthest GPUs are apart. The same is true on rails, and if
// other GPUs take no part.
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

// Giving one of the finder's graphs as the base yields no faster plan than leaving the choice
// open, on random fabrics and sizes.
func TestNoGraphOfTheFinderIsABetterBase(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 28))
	most := 40 // with more, a plan takes seconds
	if samples.Every() {
		most = 64
	}
	for range samples.Draws(3, 12) {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Duplex = 6+random.IntN(most-5), 2+random.IntN(5), random.IntN(2) == 0
		f.Reconfig.Base = []units.Duration{units.Microsecond, 10 * units.Microsecond, 100 * units.Microsecond}[random.IntN(3)]
		o := collective.Operation{Size: []units.Bytes{units.KiB, 64 * units.KiB, 512 * units.KiB, 4 * units.MiB, 64 * units.MiB}[random.IntN(5)]}
		took := exchanged(t, f, o).Cost.Total()
		tried := map[string]bool{}
		for _, op := range []bfb.Op{bfb.AllReduce, bfb.AllGather} {
			points, err := finder.New(f.Ports, finder.Options{Op: op, Bidirectional: f.Duplex}).Frontier(t.Context(), f.Nodes)
			if err != nil && !errors.Is(err, finder.ErrNone) {
				t.Fatal(err)
			}
			for _, point := range points {
				f.Base = point.Expr.String()
				if tried[f.Base] {
					continue
				}
				tried[f.Base] = true
				if based := exchanged(t, f, o).Cost.Total(); planner.Above(took, based) {
					t.Errorf("%d GPUs, %d ports, two-way %t, %v, %v: %v, with base %s %v",
						f.Nodes, f.Ports, f.Duplex, o.Size, f.Reconfig.Base, took, f.Base, based)
				}
			}
		}
	}
}

// Nor does giving one of the circulants with the least sum of distances; all of these are tried:
// which of them is best for an all-to-all depends on how evenly its circuits are used.
func TestNoCloseCirculantIsABetterBase(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 34))
	for range samples.Draws(1, 40) {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Duplex = 10+random.IntN(30), 2*(2+random.IntN(2)), true
		f.Reconfig.Base = []units.Duration{units.Microsecond, 100 * units.Microsecond}[random.IntN(2)]
		o := collective.Operation{Size: []units.Bytes{64 * units.KiB, units.MiB, 16 * units.MiB}[random.IntN(3)]}
		took := exchanged(t, f, o).Cost.Total()
		closest := closestCirculants(f.Nodes, f.Ports/2)
		for _, i := range random.Perm(len(closest))[:min(len(closest), 8)] {
			f.Base = closest[i].String()
			if based := exchanged(t, f, o).Cost.Total(); planner.Above(took, based) {
				t.Errorf("%d GPUs, %d ports, %v, %v: %v, with base %s %v", f.Nodes, f.Ports, o.Size, f.Reconfig.Base, took, f.Base, based)
			}
		}
	}
}

// For a prime number of nodes the only group is the cyclic one, whose graphs are not close.
// Two-way graphs that look random are closer, and none of them is faster as the base than the
// plan found without a base.
func TestSomeRandomGraphsAreNoBetterBaseOfAPrime(t *testing.T) {
	f := fabric.Default()
	f.Ports, f.Duplex, f.Reconfig.Base = 4, true, units.Millisecond
	o := collective.Operation{Size: 4 * units.MiB}
	for _, nodes := range samples.Few(1, []int{37, 71, 97}) {
		f.Nodes, f.Base = nodes, ""
		took := exchanged(t, f, o).Cost.Total()
		for _, base := range []topology.Expr{closestRegular(t, nodes, 4), {Family: "Regular", Numbers: []int{nodes, 4, 1}}} {
			f.Base = base.String()
			if based := exchanged(t, f, o).Cost.Total(); planner.Above(took, based) {
				t.Errorf("%v, with base %s %v", took, f.Base, based)
			}
		}
	}
}

// closestRegular returns the closest of a hundred graphs that look random.
func closestRegular(t *testing.T, nodes, degree int) (closest topology.Expr) {
	t.Helper()
	var least *big.Rat
	for seed := range 100 {
		e := topology.Expr{Family: "Regular", Numbers: []int{nodes, degree, seed}}
		g, err := e.Build()
		if err != nil {
			t.Fatal(err)
		}
		if average, ok := g.AverageDistance(); ok && (least == nil || average.Cmp(least) < 0) {
			closest, least = e, average
		}
	}
	return closest
}

// closestCirculants lists the two-way circulants with the least sum of distances.
func closestCirculants(n, jumps int) (closest []topology.Expr) {
	least := math.MaxInt
	var choose func(numbers []int)
	choose = func(numbers []int) {
		if len(numbers) <= jumps {
			for j := numbers[len(numbers)-1]%n + 1; 2*j < n; j++ {
				choose(append(slices.Clone(numbers), j))
			}
			return
		}
		total := jumpset.DistancesOf(n, slices.Concat(numbers[1:], opposite(numbers))).Total
		if total < least {
			least, closest = total, nil
		}
		if total == least {
			closest = append(closest, topology.Expr{Family: "C", Numbers: numbers})
		}
	}
	choose([]int{n})
	return closest
}

// opposite returns the jumps back of a circulant with the given nodes and jumps.
func opposite(numbers []int) (back []int) {
	for _, j := range numbers[1:] {
		back = append(back, numbers[0]-j)
	}
	return back
}

// Two-way circuits are pairs of one-way circuits, so plans that may use one-way circuits are
// never slower. In the first cases, a search among only one-way graphs was.
func TestAllToAllsAreNoSlowerWithOneWayCircuits(t *testing.T) {
	type request struct {
		nodes, ports int
		size         units.Bytes
		delay        units.Duration
		demand       string // "": all pairs send the same
	}
	cases := []request{
		{22, 3, 16 * units.MiB, 10 * units.Microsecond, ""}, {17, 6, units.MiB, 100 * units.Microsecond, ""},
		{27, 4, units.MiB, 10 * units.Microsecond, ""}, {40, 6, 16 * units.MiB, 100 * units.Microsecond, ""},
		{8, 2, units.MiB, units.Microsecond, ""}, {128, 4, 16 * units.MiB, 10 * units.Microsecond, ""},
		{24, 1, 256 * units.KiB, 100 * units.Nanosecond, ""}, {12, 1, 256 * units.KiB, 100 * units.Nanosecond, "moe:2"},
		{16, 1, 256 * units.KiB, 100 * units.Nanosecond, "zipf:1"},
	}
	random := rand.New(rand.NewPCG(3, 22))
	for range samples.Draws(2, 60) {
		cases = append(cases, request{5 + random.IntN(60), 2 + random.IntN(5), units.KiB << random.IntN(15), units.Duration(random.IntN(100)) * units.Microsecond, ""})
	}
	if samples.Every() {
		cases = append(cases,
			request{1000, 2, 64 * units.MiB, units.Microsecond, ""}, request{5000, 4, 16 * units.MiB, 10 * units.Microsecond, ""},
			request{32, 1, 64 * units.KiB, 100 * units.Nanosecond, "zipf:1"}, request{64, 1, 4 * units.MiB, 100 * units.Nanosecond, "moe:8"})
	}
	for _, c := range cases {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Reconfig.Base = c.nodes, c.ports, c.delay
		o := collective.Operation{Size: c.size, Generator: c.demand}
		took := exchanged(t, f, o).Cost.Total()
		f.Duplex = true
		if twoWay := exchanged(t, f, o).Cost.Total(); planner.Above(took, twoWay) {
			t.Errorf("%+v: %v, with two-way circuits %v", c, took, twoWay)
		}
	}
}
