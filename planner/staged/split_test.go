package staged

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/planner/staged/stagedtest"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// The bulk step of the direct all-to-all, decomposed into permutations, is the
// all-to-all by shifts: its Birkhoff-von Neumann decomposition (HARVEST §3.3).
func TestDirectTakenApartIsShift(t *testing.T) {
	for _, n := range []int{2, 3, 8, 13} {
		f := fabric.Default()
		f.Nodes = n
		direct := planWith(t, "every-step", stagedtest.Request(t, f, collective.AllToAll, "direct", units.MiB))
		shift := planWith(t, "every-step", stagedtest.Request(t, f, collective.AllToAll, "shift", units.MiB))
		stagedtest.Verify(t, direct)
		stagedtest.Verify(t, shift)
		if direct.Cost != shift.Cost || direct.Reconfigurations != shift.Reconfigurations {
			t.Errorf("n=%d: direct %+v, shift %+v", n, direct.Cost, shift.Cost)
		}
		for i := range direct.Stages {
			if !direct.Stages[i].Topology.Equal(shift.Stages[i].Topology) {
				t.Errorf("n=%d: stage %d has other circuits", n, i+1)
			}
		}
	}
}

// With d ports the parts are unions of d permutations; a bulk step that fits the ports
// stays whole.
func TestPartsFillThePorts(t *testing.T) {
	for _, c := range []struct{ n, ports, steps int }{{8, 1, 7}, {8, 2, 4}, {8, 3, 3}, {8, 6, 2}, {8, 7, 1}, {9, 4, 2}} {
		f := fabric.Default()
		f.Nodes, f.Ports = c.n, c.ports
		p := planWith(t, "every-step", stagedtest.Request(t, f, collective.AllToAll, "direct", units.MiB))
		stagedtest.Verify(t, p)
		if got := stepsOf(p); got != c.steps {
			t.Errorf("n=%d, %d ports: %d steps, want %d", c.n, c.ports, got, c.steps)
		}
	}
}

// A binomial broadcast has no symmetry and fits one port. An all-to-all with every transfer
// listed takes as many matchings as one with a group.
func TestPartsWithoutSymmetryAreMatchings(t *testing.T) {
	f := fabric.Default()
	f.Nodes = 7
	r := stagedtest.Request(t, f, collective.AllToAll, "direct", units.MiB)
	r.Collective = expanded(r.Collective)
	steps, changed, err := split(t.Context(), &r.Fabric, r.Collective, pricing.NewWorkload(&r, r.Collective.Steps).ClassOf)
	if err != nil || !changed || len(steps) != 6 {
		t.Fatalf("%d parts, changed %v, %v; want 6", len(steps), changed, err)
	}
	var pairs [][2]int
	for _, step := range steps {
		if _, err := topology.Matched(7, 1, false, step.Pairs(), ""); err != nil {
			t.Error(err)
		}
		pairs = append(pairs, step.Pairs()...)
	}
	slices.SortFunc(pairs, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	if len(pairs) != 42 || len(slices.Compact(pairs)) != 42 {
		t.Errorf("the parts do not hold every pair once")
	}
	stagedtest.Verify(t, planWith(t, "every-step", r))
}

// expanded lists all transfers of every step, without a group.
func expanded(c *collective.Collective) *collective.Collective {
	listed := *c
	listed.Steps = nil
	for _, step := range c.Steps {
		listed.Steps = append(listed.Steps, collective.Step{Base: slices.Collect(step.All(c.Space))})
	}
	return &listed
}

// relay is a bulk step whose parts are not independent: every node u passes on chunk u+2 to u+1
// and chunk u+1 to u+2. After the first part, node u has received chunk u+1, which the second
// part should send in its old state.
func relay() *collective.Collective {
	return &collective.Collective{
		Op: collective.AllGather, Algorithm: "relay", Nodes: 3, Space: collective.SpaceOf(collective.AllGather, 3, 1),
		Steps: []collective.Step{{Group: topology.Rotations(3, 1), Base: []collective.Transfer{
			{Src: 0, Dst: 1, Action: collective.Reduce, Chunks: collective.Single(2)},
			{Src: 0, Dst: 2, Action: collective.Reduce, Chunks: collective.Single(1)},
		}}},
	}
}

func TestDependentPartsAreNotTakenApart(t *testing.T) {
	for name, c := range map[string]*collective.Collective{"with a group": relay(), "listed": expanded(relay())} {
		f := fabric.Default()
		f.Nodes = 3
		r := planner.Request{Fabric: f, Collective: c, Size: 3}
		_, err := named(t, "every-step").Plan(t.Context(), r)
		if !errors.Is(err, planner.ErrInfeasible) || !strings.Contains(err.Error(), "step 1 needs more than 1 ports") {
			t.Errorf("%s: every-step: %v", name, err)
		}
		// As a whole, on the ring: one step, in which offset 2 takes 2 hops.
		for _, other := range []string{"static", "light-bends", "harvest"} {
			p := planWith(t, other, r)
			if stepsOf(p) != 1 || p.Cost.Propagation != 2*f.Delta.Time() || p.SameAlgorithm.EveryStep != 0 {
				t.Errorf("%s: %s: %+v", name, other, p.Cost)
			}
		}
		// With enough ports there is nothing to split.
		r.Fabric.Ports = 2
		if p := planWith(t, "every-step", r); p.Cost.Propagation != f.Delta.Time() {
			t.Errorf("%s: 2 ports: %+v", name, p.Cost)
		}
	}
}

// A duplex fabric with one port holds only matchings. A rotation by k is cut into matchings: two
// if its cycles are even, three if they are odd, and one if k is n/2.
func TestDuplexWithOnePortUsesMatchings(t *testing.T) {
	for _, c := range []struct {
		n         int
		op        collective.Op
		algorithm string
		steps     int
	}{
		{2, collective.AllReduce, "recursive-doubling", 2},
		{8, collective.AllReduce, "recursive-doubling", 2 * (2 + 2 + 1)},
		{8, collective.AllReduce, "halving-doubling", 6},
		{8, collective.AllReduce, "swing", 6},
		{5, collective.AllToAll, "shift", 4 * 3},
		{6, collective.Broadcast, "binomial", 3},
	} {
		t.Run(fmt.Sprintf("%s/n=%d", c.algorithm, c.n), func(t *testing.T) {
			f := fabric.Default()
			f.Nodes, f.Duplex = c.n, true
			r := stagedtest.Request(t, f, c.op, c.algorithm, units.MiB)
			every := planWith(t, "every-step", r)
			stagedtest.Verify(t, every)
			if got := stepsOf(every); got != c.steps {
				t.Errorf("%d steps, want %d", got, c.steps)
			}
			for i, stage := range every.Stages {
				if stage.Topology.Degree() != 1 || !stage.Topology.Bidirectional() {
					t.Errorf("stage %d: %s is no matching", i+1, stage.Topology.Name())
				}
			}
			best := planWith(t, "harvest", r)
			stagedtest.Verify(t, best)
			if best.Cost.Total() > every.Cost.Total() {
				t.Errorf("harvest %v, every-step %v", best.Cost.Total(), every.Cost.Total())
			}
			if c.n == 2 {
				return // one circuit connects all GPUs
			}
			for _, name := range []string{"static", "light-bends"} {
				if _, err := named(t, name).Plan(t.Context(), r); !errors.Is(err, planner.ErrInfeasible) {
					t.Errorf("%s without a base: %v", name, err)
				}
			}
		})
	}
}

func stepsOf(p *plan.Plan) int {
	count := 0
	for range p.Steps() {
		count++
	}
	return count
}

// greedySplit deals every transfer of a step on one two-way port out to the first matching that has
// its circuit or both ends free.
func greedySplit(c *collective.Collective, step collective.Step) []collective.Step {
	var parts []collective.Step
	var peer []map[int]int
	for t := range step.All(c.Space) {
		part := 0
		for ; part < len(parts); part++ {
			a, used := peer[part][t.Src]
			_, other := peer[part][t.Dst]
			if used && a == t.Dst || !used && !other {
				break
			}
		}
		if part == len(parts) {
			parts, peer = append(parts, collective.Step{}), append(peer, map[int]int{})
		}
		peer[part][t.Src], peer[part][t.Dst] = t.Dst, t.Src
		parts[part].Base = append(parts[part].Base, t)
	}
	return parts
}

// A rotation whose blocks pair up is two matchings of two-way circuits. They are the matchings
// that dealing out every transfer finds, in the same order, but list no more transfers than a
// block has nodes.
func TestEvenCyclesAreTheGreedyMatchings(t *testing.T) {
	f := fabric.Default()
	f.Duplex = true
	taken := 0
	for _, n := range []int{4, 6, 8, 12, 16, 40, 64} {
		f.Nodes = n
		for _, name := range []string{"ring", "recursive-doubling", "bruck"} {
			c := stagedtest.Request(t, f, collective.AllReduce, name, units.MiB).Collective
			for i, step := range forthAndBack(c) {
				parts := splitEvenCycles(c.Space, step)
				if parts == nil {
					continue
				}
				taken++
				k := (step.Base[0].Dst - step.Base[0].Src + n) % n
				k = min(k, n-k)
				want := greedySplit(c, step)
				if len(want) != len(parts) {
					t.Fatalf("%s, n=%d, step %d: %d parts, want %d", name, n, i+1, len(parts), len(want))
				}
				for p, part := range parts {
					if got := slices.Collect(part.All(c.Space)); !slices.EqualFunc(got, want[p].Base, sameTransfer) {
						t.Errorf("%s, n=%d, step %d, part %d: other transfers", name, n, i+1, p+1)
					}
					if len(part.Base) > k*len(step.Base) {
						t.Errorf("%s, n=%d, step %d, part %d lists %d transfers for blocks of %d", name, n, i+1, p+1, len(part.Base), k)
					}
				}
			}
		}
	}
	if taken < 100 {
		t.Errorf("only %d steps were taken apart so", taken)
	}
}

// forthAndBack returns the steps of a collective, and each step together with its reverse.
func forthAndBack(c *collective.Collective) []collective.Step {
	steps := slices.Clone(c.Steps)
	for _, step := range c.Steps {
		first := step.Base[0]
		back := first
		back.Dst = (2*first.Src - first.Dst + 2*c.Nodes) % c.Nodes
		if back.Dst != first.Dst {
			steps = append(steps, collective.Step{Group: step.Group, Base: []collective.Transfer{first, back}},
				collective.Step{Group: step.Group, Base: []collective.Transfer{back, first}})
		}
	}
	return steps
}

func sameTransfer(a, b collective.Transfer) bool {
	return a.Src == b.Src && a.Dst == b.Dst && a.Action == b.Action && a.Part == b.Part && a.Sides == b.Sides && slices.Equal(slices.Sorted(a.Chunks.All()), slices.Sorted(b.Chunks.All()))
}

// A step that reads nothing that it writes has independent parts in any order. Other steps are
// checked part by part, with the same verdict as without a group.
func TestUntouchedStepsHaveIndependentParts(t *testing.T) {
	f := fabric.Default()
	for _, n := range []int{4, 6, 8} {
		f.Nodes = n
		for _, op := range []collective.Op{collective.AllReduce, collective.AllGather, collective.AllToAll} {
			for _, a := range []string{"ring", "recursive-doubling", "direct", "bruck", "direct-exchange"} {
				c, err := algorithms.New(op, a, n, 1)
				if err != nil {
					continue
				}
				for i, step := range c.Steps {
					listed := collective.Step{Base: slices.Collect(step.All(c.Space))}
					if untouched(newPlaces(c.Space), step) != untouched(newPlaces(c.Space), listed) {
						t.Errorf("%s by %s, n=%d, step %d: another verdict without its group", op, a, n, i+1)
					}
					var parts []collective.Step
					for _, transfer := range slices.Backward(listed.Base) {
						parts = append(parts, collective.Step{Base: []collective.Transfer{transfer}})
					}
					if untouched(newPlaces(c.Space), step) && dependent(parts) {
						t.Errorf("%s by %s, n=%d, step %d: its parts depend on each other", op, a, n, i+1)
					}
				}
			}
		}
	}
}

// dependent reports whether a part sends what an earlier one wrote.
func dependent(parts []collective.Step) bool {
	written := map[[2]int]bool{}
	for _, part := range parts {
		for _, t := range part.Base {
			for c := range t.Chunks.All() {
				if written[[2]int{t.Src, c}] {
					return true
				}
			}
		}
		for _, t := range part.Base {
			for c := range t.Chunks.All() {
				written[[2]int{t.Dst, c}] = true
			}
		}
	}
	return false
}
