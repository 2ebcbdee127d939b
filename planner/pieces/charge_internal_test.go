package pieces

import (
	"fmt"
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/units"
)

// If a bound is said to be attained, it is the time of static's plan for every number of pieces:
// that holds for chains on one-way rings, and not for trees or up a chain.
func TestAttainedBoundsAreTimes(t *testing.T) {
	static := staged.Planners()[0]
	attained := 0
	for _, c := range []struct {
		op   collective.Op
		name string
	}{
		{collective.Broadcast, "chain"}, {collective.Broadcast, "binary"}, {collective.Broadcast, "double-binary-tree"}, {collective.RootReduce, "chain"},
	} {
		for _, n := range []int{2, 3, 7, 12} {
			for _, change := range []func(f *fabric.Fabric){
				func(*fabric.Fabric) {}, func(f *fabric.Fabric) { f.Ports = 2 }, func(f *fabric.Fabric) { f.Forwarding = fabric.StoreAndForward },
				func(f *fabric.Fabric) { f.Initial = fabric.InitialDark }, func(f *fabric.Fabric) { f.Delta = 0 }, func(f *fabric.Fabric) { f.CapTheta = true },
				func(f *fabric.Fabric) { f.Overlap.Kind = fabric.OverlapCircuits }, func(f *fabric.Fabric) { f.Alpha = 0 },
			} {
				f := fabric.Default()
				f.Nodes = n
				change(&f)
				open, err := (*algorithms.Registry)(nil).Pieces(c.op, c.name, f.Ports, nil, n)
				if err != nil {
					t.Fatal(err)
				}
				l := Algorithm{Pieces: open, Static: static}
				r := planner.Request{Fabric: f, Size: units.MiB, Bare: true}
				r.Collective = &collective.Collective{Op: c.op, Algorithm: c.name, Nodes: n, Space: collective.SpaceOf(c.op, n, 1)}
				s, err := tuned{static, l}.search(t.Context(), static, r)
				if err != nil {
					t.Fatal(err)
				}
				if !l.attained(static, &r, s.charge) {
					continue
				}
				attained++
				for pieces := l.Least; pieces < 30; pieces += 1 + pieces/3 {
					where := fmt.Sprintf("%s %s of %d pieces on %+v", c.op, c.name, pieces, f)
					got, err := s.ask(t.Context(), pieces, math.Inf(1))
					if err != nil {
						t.Fatal(where, err)
					}
					if r.Collective, err = l.Lay(nil, pieces); err != nil {
						t.Fatal(where, err)
					}
					want, err := static.Plan(t.Context(), r)
					if err != nil || math.Abs(float64(got-want.Cost.Total())) > 1e-9*float64(got) {
						t.Errorf("%s: %v, want %v: %v", where, got, want.Cost.Total(), err)
					}
				}
			}
		}
	}
	if attained < 20 {
		t.Errorf("a bound is attained in %d cases only", attained)
	}
}

// everyStepSearch returns the search for the pieces of a broadcast of 64 MiB down two trees, each
// step on circuits of its own.
func everyStepSearch(t *testing.T, f fabric.Fabric) *search {
	t.Helper()
	const name = "double-binary-tree"
	every := staged.Planners()[1]
	open, err := (*algorithms.Registry)(nil).Pieces(collective.Broadcast, name, f.Ports, nil, f.Nodes)
	if err != nil {
		t.Fatal(err)
	}
	l := Algorithm{Pieces: open, EveryStep: every}
	r := planner.Request{Fabric: f, Size: 64 * units.MiB, Bare: true}
	r.Collective = &collective.Collective{Op: collective.Broadcast, Algorithm: name, Nodes: f.Nodes, Space: collective.SpaceOf(collective.Broadcast, f.Nodes, 1)}
	s, err := tuned{every, l}.search(t.Context(), every, r)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// On one-way circuits the bounds of every-step are its times, and on two-way ones they are below.
// So of thousands of numbers of pieces one or two are laid out, whatever the number of GPUs.
func TestEveryStepLaysOutFewNumbersOfPieces(t *testing.T) {
	for _, ports := range []int{1, 2, 4} {
		for _, duplex := range []bool{false, true} {
			f := fabric.Default()
			f.Nodes, f.Ports, f.Duplex = 24, ports, duplex
			s := everyStepSearch(t, f)
			for pieces := s.least; pieces < 30; pieces += 1 + pieces/2 {
				time, err := s.ask(t.Context(), pieces, math.Inf(1))
				if err != nil {
					t.Fatal(err)
				}
				if bound := s.bound(pieces); bound > float64(time)*(1+1e-9) || !duplex && bound < float64(time)*(1-1e-9) {
					t.Errorf("%d ports, two-way %v, %d pieces: at least %v, but %v", ports, duplex, pieces, units.Time(bound), time)
				}
			}
		}
		f := fabric.Default()
		f.Nodes, f.Ports = 512, ports
		s := everyStepSearch(t, f)
		if err := s.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(s.known) > 2 {
			t.Errorf("%d ports: %d numbers of pieces were laid out", ports, len(s.known))
		}
	}
}
