package pieces_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/auto"
	"github.com/lightpath-net/lightpath/planner/pieces"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/units"
)

// draw returns a random request, and the name of an algorithm whose number of pieces is open.
func draw(rng *rand.Rand) (planner.Request, collective.Op, string) {
	f := fabric.Default()
	f.Nodes = 2 + rng.IntN(6)
	f.Ports = 1 + rng.IntN(4)
	f.Alpha = units.Duration(rng.IntN(3)) * 500 * units.Nanosecond
	f.Delta = units.Duration(1+rng.IntN(3)) * 250 * units.Nanosecond
	base := units.Duration([]int{0, 100, 10_000, 1_000_000}[rng.IntN(4)]) * units.Nanosecond
	f.Reconfig = fabric.Reconfig{Model: fabric.Constant, Base: base}
	if model := rng.IntN(4); model > 0 {
		f.Reconfig.Model = []fabric.DelayModel{fabric.PerPort, fabric.PerCircuit, fabric.PerSwitch}[model-1]
		f.Reconfig.Each = base / 4
	}
	if rng.IntN(3) == 0 {
		f.Overlap = []fabric.Overlap{
			{Kind: fabric.OverlapCompute, Compute: base / 2}, {Kind: fabric.OverlapPorts}, {Kind: fabric.OverlapCircuits},
		}[rng.IntN(3)]
	}
	f.Initial = []string{fabric.InitialFree, fabric.InitialDark}[rng.IntN(2)]
	c := [...]struct {
		op    collective.Op
		names []string
	}{
		{collective.Broadcast, []string{"chain", "binary", "double-binary-tree"}},
		{collective.RootReduce, []string{"chain", "binary", "double-binary-tree"}},
		{collective.AllReduce, []string{"double-binary-tree"}},
	}[rng.IntN(3)]
	r := planner.Request{Fabric: f, Size: units.Bytes(1) << (10 + rng.IntN(17))}
	return r, c.op, c.names[rng.IntN(len(c.names))]
}

// tune returns the layouts of an algorithm and a request for them.
func tune(t *testing.T, r planner.Request, op collective.Op, name string) (pieces.Algorithm, planner.Request) {
	t.Helper()
	open, err := (*algorithms.Registry)(nil).Pieces(op, name, r.Fabric.Ports, nil, r.Fabric.Nodes)
	if err != nil || open == nil {
		t.Fatal(name, open, err)
	}
	r.Collective = &collective.Collective{Op: op, Algorithm: name, Nodes: r.Fabric.Nodes, Space: collective.SpaceOf(op, r.Fabric.Nodes, 1)}
	all := staged.Planners()
	return pieces.Algorithm{Pieces: open, Static: all[0], EveryStep: all[1]}, r
}

// enumerated is the largest number of pieces up to which every one is planned.
const enumerated = 48

// No number of pieces is faster than the chosen one, with any planner: every number up to some
// fifty and some beyond are laid out and planned, one by one, on random fabrics. Bounds are
// bounds.
func TestNoNumberOfPiecesIsFaster(t *testing.T) {
	all := staged.Planners()
	planners := append(all, auto.New(all))
	for seed := range uint64(samples.Draws(10, 30)) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(7, seed))
			r, op, name := draw(rng)
			algorithm, r := tune(t, r, op, name)
			p := planners[seed%uint64(len(planners))]
			where := fmt.Sprintf("%s %s of %v by %s on %d GPUs, %d ports, reconfiguration %v, overlap %v, alpha %v", op, name, r.Size, p.Name(),
				r.Fabric.Nodes, r.Fabric.Ports, r.Fabric.Reconfig, r.Fabric.Overlap, r.Fabric.Alpha)
			got, err := algorithm.Plan(p).Plan(t.Context(), r)
			if err != nil {
				t.Fatal(where, err)
			}
			bound, _, err := planner.TraitsOf(algorithm.Plan(p)).Bound(t.Context(), r)
			if err != nil || bound > got.Cost.Total()*(1+1e-9) {
				t.Errorf("%s: bound %v, plan %v, %v", where, bound, got.Cost.Total(), err)
			}
			var numbers []int
			most := enumerated
			if r.Fabric.Overlap.Kind != fabric.OverlapNone {
				most /= 3 // a search over when changes are over takes longer
			}
			for k := algorithm.Least; k <= most; k++ {
				numbers = append(numbers, k)
			}
			numbers = append(numbers, 64, 65, 90)
			if r.Fabric.Overlap.Kind == fabric.OverlapNone {
				numbers = append(numbers, 128, 333)
			}
			for _, k := range numbers {
				other := r
				other.Bare = true
				if other.Collective, err = algorithm.Lay(nil, k); err != nil {
					t.Fatal(err)
				}
				made, err := p.Plan(t.Context(), other)
				if err != nil {
					t.Fatal(where, k, err)
				}
				if made.Cost.Total() < got.Cost.Total()*(1-1e-9) {
					t.Errorf("%s: %s takes %v, but %d pieces %v", where, got.Collective.Algorithm, got.Cost.Total(), k, made.Cost.Total())
				}
			}
		})
	}
}

// Large messages go in hundreds of pieces, and with trees that take turns, numbers that are not a
// multiple of the trees are slower. No number up to a thousand is faster than the chosen one, and
// a limit just above its time does not hide it.
func TestNoNumberOfPiecesIsFasterForLargeMessages(t *testing.T) {
	all := staged.Planners()
	for seed := range uint64(samples.Draws(6, 24)) {
		rng := rand.New(rand.NewPCG(11, seed))
		r, op, name := draw(rng)
		if op == collective.AllReduce { // whose layout is made for every number
			op = collective.RootReduce
		}
		f := &r.Fabric
		f.Ports, f.Reconfig, f.Overlap = 2, fabric.Reconfig{Model: fabric.Constant, Base: 10 * units.Microsecond}, fabric.Overlap{}
		r.Size = units.Bytes(1) << (24 + rng.IntN(5))
		algorithm, r := tune(t, r, op, name)
		p := all[seed%2]
		where := fmt.Sprintf("%s %s of %v by %s on %d GPUs, alpha %v, delta %v", op, name, r.Size, p.Name(), f.Nodes, f.Alpha, f.Delta)
		r.Bare = true
		got, err := algorithm.Plan(p).Plan(t.Context(), r)
		if err != nil {
			t.Fatal(where, err)
		}
		best, least := 0, got.Cost.Total()*(1-1e-9)
		other := r
		for k := algorithm.Least; k <= 1000; k++ {
			if other.Collective, err = algorithm.Sketch(nil, k); err != nil {
				t.Fatal(err)
			}
			time, err := planner.TraitsOf(p).Time(t.Context(), other)
			if err != nil {
				t.Fatal(where, k, err)
			}
			if time < least {
				best, least = k, time
			}
		}
		if best > 0 {
			t.Errorf("%s: %s takes %v, but %d pieces %v", where, got.Collective.Algorithm, got.Cost.Total(), best, least)
		}
		r.Limit = got.Cost.Total() * 1.0001
		again, err := algorithm.Plan(p).Plan(t.Context(), r)
		if err != nil || again.Cost.Total() > got.Cost.Total()*(1+1e-9) {
			t.Errorf("%s: within %v there is %v, %v", where, r.Limit, got.Cost.Total(), err)
		}
	}
}

// The times of static and every-step with the same algorithm are those with their own best
// numbers of pieces.
func TestTheSameAlgorithmIsCutAsItIsBest(t *testing.T) {
	all := staged.Planners()
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(9, seed))
		r, op, name := draw(rng)
		algorithm, r := tune(t, r, op, name)
		got, err := algorithm.Plan(all[3]).Plan(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		for i, time := range [...]units.Time{got.SameAlgorithm.Static, got.SameAlgorithm.EveryStep} {
			want, err := algorithm.Plan(all[i]).Plan(t.Context(), r)
			if errors.Is(err, planner.ErrInfeasible) && time == 0 {
				continue
			}
			if err != nil || want.Cost.Total() < time*(1-1e-9) || want.Cost.Total() > time*(1+1e-9) {
				t.Errorf("%s %s: %s takes %v, %v", op, name, all[i].Name(), time, err)
			}
		}
	}
}

// A chosen plan is correct, and a limit only gives up what is beyond it.
func TestPlansOfPiecesVerify(t *testing.T) {
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(8, seed))
		r, op, name := draw(rng)
		algorithm, r := tune(t, r, op, name)
		p := algorithm.Plan(staged.Planners()[seed%4])
		made, err := p.Plan(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		report, err := verify.Plan(t.Context(), made)
		if err != nil || report.First() != nil {
			t.Errorf("%s: %v %v", made.Collective.Algorithm, report.First(), err)
		}
		r.Limit = made.Cost.Total()
		if again, err := p.Plan(t.Context(), r); err != nil || again.Cost.Total() > r.Limit*(1+1e-9) {
			t.Errorf("%s within its own time: %v", made.Collective.Algorithm, err)
		}
		r.Limit = made.Cost.Total() / 2
		if _, err := p.Plan(t.Context(), r); !errors.Is(err, planner.ErrBeyond) {
			t.Errorf("%s within half of its time: %v", made.Collective.Algorithm, err)
		}
	}
}
