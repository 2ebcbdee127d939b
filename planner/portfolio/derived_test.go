package portfolio_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/derived"
	"github.com/lightpath-net/lightpath/planner/portfolio"
	"github.com/lightpath-net/lightpath/units"
)

// achieves lists, for an operation, other operations of the same size that accomplish it on the
// way.
var achieves = map[collective.Op][]collective.Op{
	collective.Broadcast:     {collective.AllReduce, collective.RootReduce},
	collective.RootReduce:    {collective.AllReduce, collective.Broadcast},
	collective.Gather:        {collective.AllGather, collective.AllToAll, collective.AllReduce, collective.RootReduce, collective.Scatter},
	collective.Scatter:       {collective.ReduceScatter, collective.AllToAll, collective.AllReduce, collective.Broadcast, collective.Gather},
	collective.AllGather:     {collective.AllToAll, collective.AllReduce, collective.ReduceScatter},
	collective.ReduceScatter: {collective.AllToAll, collective.AllReduce, collective.AllGather},
}

// drawnFlat draws a flat fabric and a size.
func drawnFlat(random *rand.Rand, most int) (fabric.Fabric, units.Bytes) {
	f := fabric.Default()
	f.Nodes, f.Ports, f.Duplex = 4+random.IntN(most-3), 1+random.IntN(4), random.IntN(2) == 0
	f.Reconfig.Base = units.Duration(random.IntN(30000)) * units.Nanosecond
	return f, units.Bytes(1) << (10 + random.IntN(12))
}

// search returns a search with all planners. Several operations on a fabric are derived from the
// same plans, which the search remembers.
func search() *portfolio.Search {
	return portfolio.NewSearch(portfolio.Options{Planners: portfolio.Planners(), Bare: true})
}

func fastestOf(t *testing.T, s *portfolio.Search, op collective.Op, f fabric.Fabric, size units.Bytes, by string) *plan.Plan {
	t.Helper()
	p, err := s.Planners().Lookup(by)
	if err != nil {
		t.Fatal(err)
	}
	r := &portfolio.Request{Fabric: f, Operations: []collective.Operation{{Op: op, Size: size}}}
	made, err := r.Fastest(context.Background(), p, s)
	switch {
	case errors.Is(err, planner.ErrInfeasible):
		return nil
	case err != nil:
		t.Fatalf("%s on %d GPUs, %d ports: %v", op, f.Nodes, f.Ports, err)
	}
	return made
}

// No operation takes longer than one that accomplishes it on the way, or than its opposite, on
// any random flat fabric.
func TestNoOperationTakesLongerThanOneThatAchievesIt(t *testing.T) {
	random := rand.New(rand.NewPCG(35, 1))
	for range samples.Draws(3, 16) {
		f, size := drawnFlat(random, 30)
		s := search()
		times := map[collective.Op]units.Time{}
		for _, op := range collective.Ops() {
			if p := fastestOf(t, s, op, f, size, collective.Auto); p != nil {
				times[op] = p.Cost.Total()
			}
		}
		for op, list := range achieves {
			for _, other := range list {
				if times[other] > 0 && planner.Above(times[op], times[other]) {
					t.Errorf("%d GPUs, %d ports, two-way %v, %v, %v: %s %v, %s %v", f.Nodes, f.Ports, f.Duplex, f.Reconfig, size, op, times[op], other, times[other])
				}
			}
		}
	}
}

// A broadcast takes no longer than a scatter and an allgather, whether circuits change between
// the two or stay. The same is true of a reduction.
func TestNoOperationTakesLongerThanTwoThatMakeIt(t *testing.T) {
	random := rand.New(rand.NewPCG(35, 5))
	for i := range samples.Draws(2, 8) {
		f, size := drawnFlat(random, 32)
		s := search()
		switch {
		case i == 0: // the scatter gains something from its own circuits
			f = fabric.Default()
			f.Nodes, f.Ports, f.Reconfig.Base, size = 32, 4, 0, 512<<10
		case random.IntN(2) == 0:
			f.Reconfig.Base = units.Duration(random.IntN(300)) * units.Nanosecond
		}
		for op, made := range map[collective.Op][]collective.Op{
			collective.Broadcast:  {collective.Scatter, collective.AllGather},
			collective.RootReduce: {collective.ReduceScatter, collective.Gather},
		} {
			whole := fastestOf(t, s, op, f, size, collective.Auto).Cost.Total()
			two := &portfolio.Request{Fabric: f}
			for _, o := range made {
				two.Operations = append(two.Operations, collective.Operation{Op: o, Size: size})
			}
			p, err := two.Fastest(t.Context(), s.Planners().Best(), s)
			if err != nil {
				t.Fatal(err)
			}
			if planner.Above(whole, p.Cost.Total()) {
				t.Errorf("%d GPUs, %d ports, two-way %v, %v, %v: %s %v, %v %v", f.Nodes, f.Ports, f.Duplex, f.Reconfig, size, op, whole, made, p.Cost.Total())
			}
		}
	}
}

// Plans made from other plans are correct, whatever the operation and the fabric.
func TestDerivedPlansAreProven(t *testing.T) {
	random := rand.New(rand.NewPCG(35, 2))
	from := map[string]int{}
	for range samples.Draws(2, 12) {
		f, size := drawnFlat(random, 24)
		s := search()
		if random.IntN(4) == 0 {
			f.Initial = fabric.InitialDark
		}
		for op := range achieves {
			p := fastestOf(t, s, op, f, size, derived.Name)
			if p == nil {
				t.Fatalf("%s on %d GPUs, %d ports: no plan", op, f.Nodes, f.Ports)
			}
			report, err := verify.Plan(context.Background(), p)
			if err != nil || report.First() != nil {
				t.Fatalf("%s on %d GPUs, %d ports, two-way %v (%s): %v, %v", op, f.Nodes, f.Ports, f.Duplex, p.Strategy, err, report.First())
			}
			from[fmt.Sprint(op)]++
		}
	}
	if len(from) != len(achieves) {
		t.Error(from)
	}
}

// A shorter delay is never worse, since the plans from which others are derived do not depend on
// it.
func TestDerivedPlansAreNoSlowerWithAShorterDelay(t *testing.T) {
	random := rand.New(rand.NewPCG(35, 3))
	for range samples.Draws(2, 8) {
		f, size := drawnFlat(random, 20)
		last := map[collective.Op]units.Time{}
		for _, us := range samples.Few(3, []int{0, 1, 3, 10, 30, 100}) {
			f.Reconfig.Base = units.Duration(us) * units.Microsecond
			s := search() // a new search: its memory is only of this delay
			for op := range achieves {
				time := fastestOf(t, s, op, f, size, derived.Name).Cost.Total()
				if planner.Above(last[op], time) {
					t.Errorf("%s, %d GPUs, %d ports, two-way %v, %v: %v with a shorter delay than %d us, which takes %v", op, f.Nodes, f.Ports, f.Duplex, size, last[op], us, time)
				}
				last[op] = time
			}
		}
	}
}

// A limit gives up only slower plans: neither an all-to-all nor a plan of the opposite operation
// that is left out beyond it would have led to a plan within.
func TestALimitLosesNoDerivedPlan(t *testing.T) {
	random := rand.New(rand.NewPCG(35, 6))
	for range samples.Draws(4, 40) {
		f, size := drawnFlat(random, 24)
		s := search()
		by, err := s.Planners().Lookup(derived.Name)
		if err != nil {
			t.Fatal(err)
		}
		memory := planner.NewMemory()
		for op := range achieves {
			r := planner.Request{Fabric: f, Size: size, Kept: memory, Collective: &collective.Collective{
				Op: op, Algorithm: derived.Name, Nodes: f.Nodes, Space: collective.SpaceOf(op, f.Nodes, 1),
			}}
			free, err := by.Plan(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			r.Limit = free.Cost.Total()
			p, err := by.Plan(t.Context(), r)
			if err != nil || p.Cost != free.Cost {
				t.Errorf("%s, %d GPUs, %d ports, two-way %v, %v, %v: %v %s; within that time another or %v", op, f.Nodes, f.Ports, f.Duplex, f.Reconfig, size, free.Cost, free.Strategy, err)
			}
			r.Limit *= 0.99
			if p, err = by.Plan(t.Context(), r); err == nil && p.Cost.Total() < free.Cost.Total() {
				t.Errorf("%s: %v, with a limit %v", op, free.Cost.Total(), p.Cost.Total())
			}
		}
	}
}

// Plans whose vectors are divided, and times whose longest delay would not fit into 64 bits.
func TestDerivedPlansOfPartsAndOfHugeSizes(t *testing.T) {
	f := fabric.Default()
	f.Ports = 1
	f.Reconfig.Base = 100 * units.Nanosecond
	for nodes, size := range map[int]units.Bytes{20: 32 << 10, 4: 1 << 40} {
		f.Nodes = nodes
		p := fastestOf(t, search(), collective.Broadcast, f, size, derived.Name)
		if p == nil {
			t.Fatalf("%v: no plan", size)
		}
		if _, err := verify.Plan(context.Background(), p); err != nil {
			t.Errorf("%v: %v", size, err)
		}
	}
}
