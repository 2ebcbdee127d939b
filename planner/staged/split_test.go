package staged

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
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

// A binomial broadcast has no symmetry and fits one port; an all-to-all whose transfers
// are listed one by one takes as many matchings as one with a group.
func TestPartsWithoutSymmetryAreMatchings(t *testing.T) {
	f := fabric.Default()
	f.Nodes = 7
	r := stagedtest.Request(t, f, collective.AllToAll, "direct", units.MiB)
	r.Collective = expanded(r.Collective)
	steps, changed, err := split(&r.Fabric, r.Collective, pricing.NewWorkload(&r, r.Collective.Steps).ClassOf)
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

// relay is a bulk step whose parts are not independent: every node u passes on chunk
// u+2 to u+1 and chunk u+1 to u+2. After the first part node u has received the
// chunk u+1 that the second part is to send as it was.
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
		// With the ports for it there is nothing to take apart.
		r.Fabric.Ports = 2
		if p := planWith(t, "every-step", r); p.Cost.Propagation != f.Delta.Time() {
			t.Errorf("%s: 2 ports: %+v", name, p.Cost)
		}
	}
}

// A duplex fabric with one port holds matchings only. A rotation by k is then cut into
// matchings, two if its cycles are even and three if they are odd; by n/2 it is one.
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
				return // one circuit connects everybody
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
