package lines_test

import (
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
	"github.com/lightpath-net/lightpath/planner/portfolio"
	"github.com/lightpath-net/lightpath/units"
)

// on plans with one planner on a grid and proves the plan; nil if there is none.
func on(t *testing.T, f fabric.Fabric, grid, name string, o collective.Operation) *plan.Plan {
	t.Helper()
	return by(t, portfolio.NewSearch(portfolio.Options{Planners: portfolio.Planners(), Bare: true}), f, grid, name, o)
}

// by is on with a search that keeps its memory of other requests.
func by(t *testing.T, s *portfolio.Search, f fabric.Fabric, grid, name string, o collective.Operation) *plan.Plan {
	t.Helper()
	if err := f.Set("switches", grid); err != nil {
		t.Fatal(err)
	}
	what := fmt.Sprintf("%s of %v on %s, %d ports, two-way %v, by %s", o.Op, o.Size, grid, f.Ports, f.Duplex, name)
	p, err := s.Planners().Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	r := portfolio.Request{Fabric: f, Operations: []collective.Operation{o}}
	made, err := r.Fastest(t.Context(), p, s)
	if errors.Is(err, planner.ErrInfeasible) {
		return nil
	}
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	report, err := verify.Plan(t.Context(), made)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if bad := report.First(); bad != nil {
		t.Errorf("%s: %s: %s", what, bad.Name, bad.Detail)
	}
	if made.Cost.Total() < made.OperationBound().Total()*(1-1e-9) {
		t.Errorf("%s: %v is below the bound %v", what, made.Cost.Total(), made.OperationBound().Total())
	}
	return made
}

// ops are the operations that lines are planned for.
var ops = []collective.Op{
	collective.AllReduce, collective.AllGather, collective.ReduceScatter, collective.AllToAll,
	collective.Broadcast, collective.RootReduce, collective.Scatter, collective.Gather,
}

// Plans made from plans for lines do their operation, on grids of every shape.
func TestPlansOfLinesAreCorrect(t *testing.T) {
	random := rand.New(rand.NewPCG(30, 3))
	grids := []struct {
		text         string
		nodes, ports int
	}{{"2x2", 4, 2}, {"3x2", 6, 2}, {"2x5:1,2", 10, 3}, {"4x3:2,1", 12, 3}, {"2x3x2", 12, 3}, {"4x4:2,2", 16, 4}, {"5x3", 15, 2}, {"2x2x2x2", 16, 4}}
	made, asked := 0, 0
	for i, g := range grids {
		s := portfolio.NewSearch(portfolio.Options{Planners: portfolio.Planners(), Bare: true})
		for j, op := range ops {
			f := fabric.Default()
			f.Nodes, f.Ports = g.nodes, g.ports
			f.Reconfig.Base = []units.Duration{0, 100 * units.Nanosecond, 10 * units.Microsecond}[random.IntN(3)]
			size := units.Bytes(1 + random.IntN(1<<22))
			if !samples.Every() && (i+j)%2 > 0 {
				continue // in turn
			}
			asked++
			if by(t, s, f, g.text, "lines", collective.Operation{Op: op, Size: size}) != nil {
				made++
			}
		}
	}
	if made < asked {
		t.Errorf("%d plans of %d", made, asked)
	}
}

// All-to-alls on grids come close to what the ports of a digit must send: if reconfigurations
// cost little, every byte passes each digit in which its ends differ once.
func TestExchangesOnGridsSendEveryByteOncePerDigit(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Ports, f.Reconfig.Base = 64, 4, units.Microsecond
	size := 64 * units.MiB
	p := on(t, f, "8x8", "lines", collective.Operation{Op: collective.AllToAll, Size: size})
	least := f.Bandwidth.Transmit(float64(size) * 7 / 8 / 2)
	if p == nil || p.Cost.Total() > least*1.06 {
		t.Errorf("%v, the ports of a digit send for %v", p.Cost.Total(), least)
	}
}

// Two-way circuits on grids that can set them up.
func TestPlansOfLinesOnTwoWayCircuits(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Ports, f.Duplex = 16, 4, true
	for _, op := range []collective.Op{collective.AllGather, collective.AllToAll} {
		if on(t, f, "4x4", "lines", collective.Operation{Op: op, Size: units.MiB}) == nil {
			t.Errorf("no plan for %s", op)
		}
	}
}

// Broadcasts and reductions use all ports of grids, cubes and tables: with much data they take at
// most a fifth longer than a GPU needs to receive it over all its ports.
func TestBroadcastsUseAllPortsOfALayout(t *testing.T) {
	for i, c := range []struct {
		layout       string
		nodes, ports int
		duplex       bool
	}{{"4x4", 16, 2, false}, {"3x3x3", 27, 3, false}, {"4x4:2,2", 16, 4, true}, {"cubes:2x2x2", 32, 3, true}} {
		for j, op := range []collective.Op{collective.Broadcast, collective.RootReduce} {
			if !samples.Every() && (i+j)%2 > 0 {
				continue // in turn: each takes seconds
			}
			f := fabric.Default()
			f.Nodes, f.Ports, f.Duplex = c.nodes, c.ports, c.duplex
			size := 256 * units.MiB
			p := on(t, f, c.layout, "auto", collective.Operation{Op: op, Size: size})
			least := f.Bandwidth.Transmit(float64(size) / float64(c.ports))
			if p == nil || p.Cost.Total() > least*1.2 {
				t.Errorf("%s on %s: %v, all ports need %v", op, c.layout, p.Cost.Total(), least)
			}
		}
	}
}

// A connected grid has a plan for every operation, whatever its sides. With one two-way port in a
// digit, a line of an odd number of GPUs can never connect all of them at once, so circuits
// change.
func TestEveryGridHasAPlan(t *testing.T) {
	random := rand.New(rand.NewPCG(30, 21))
	for i, g := range []struct {
		text         string
		nodes, ports int
	}{
		{"3x3", 9, 2}, {"4x3", 12, 2}, {"3x4", 12, 2}, {"2x5", 10, 2}, {"5x3", 15, 2}, {"6x3", 18, 2},
		{"2x3x2", 12, 3}, {"3x3x3", 27, 3}, {"3x3:2,1", 9, 3},
	} {
		for j, op := range ops {
			f := fabric.Default()
			f.Nodes, f.Ports, f.Duplex = g.nodes, g.ports, true
			f.Reconfig.Base = []units.Duration{0, 100 * units.Nanosecond, 10 * units.Microsecond}[random.IntN(3)]
			size := units.Bytes(1) << random.IntN(27)
			turns := 2
			switch {
			case g.nodes >= 18:
				turns = 8
			case g.nodes >= 12:
				turns = 4
			}
			if !samples.Every() && (i+j)%turns > 0 {
				continue // in turn: some take seconds
			}
			if on(t, f, g.text, "auto", collective.Operation{Op: op, Size: size}) == nil {
				t.Errorf("no plan for %s of %v on %s", op, size, g.text)
			}
		}
	}
}
