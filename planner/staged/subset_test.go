package staged

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged/pool"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/planner/staged/stagedtest"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// onSome asks for an algorithm on some GPUs of a fabric.
func onSome(t testing.TB, f fabric.Fabric, op collective.Op, algorithm string, members []int) planner.Request {
	t.Helper()
	c, err := algorithms.New(op, algorithm, len(members), f.Ports)
	if err != nil {
		t.Fatal(err)
	}
	if c, err = c.On(members, f.Nodes); err != nil {
		t.Fatal(err)
	}
	return planner.Request{Fabric: f, Collective: c, Size: 4 * units.MiB}
}

// Every algorithm works on GPUs in any order, with every planner.
func TestSubsetsInAnyOrderVerify(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	f := fabric.Default()
	f.Nodes = 8
	for _, a := range algorithms.Algorithms() {
		for _, op := range a.Ops {
			for count := 2; count <= 8; count += 2 {
				f.Ports = 1 + rng.IntN(2)
				if a.Supports(op, collective.Shape{Nodes: count, Ports: f.Ports}) != nil {
					continue
				}
				r := onSome(t, f, op, a.Name, rng.Perm(8)[:count])
				p := Planners()[rng.IntN(len(Planners()))].Name()
				stagedtest.Verify(t, planWith(t, p, r))
			}
		}
	}
}

// The closed form for recursive doubling is for all GPUs; subsets use the pool.
func TestRecursiveDoublingOnSomeGPUs(t *testing.T) {
	f := fabric.Default()
	f.Nodes = 16
	for _, members := range [][]int{{0, 1, 2, 3}, {15, 3, 8, 2, 9, 1, 0, 4}, {5, 6}} {
		for _, op := range []collective.Op{collective.AllReduce, collective.AllGather, collective.ReduceScatter} {
			p := planWith(t, "harvest", onSome(t, f, op, "recursive-doubling", members))
			stagedtest.Verify(t, p)
			if p.Cost.Total() > p.SameAlgorithm.EveryStep {
				t.Errorf("%s on %v: %v, every-step takes %v", op, members, p.Cost.Total(), p.SameAlgorithm.EveryStep)
			}
		}
	}
}

// The name of an algorithm is not enough for its closed form.
func TestClosedFormNeedsTheStepsOfTheAlgorithm(t *testing.T) {
	f := fabric.Default()
	f.Nodes = 8
	r := stagedtest.Request(t, f, collective.AllReduce, "ring", units.MiB)
	for i, step := range r.Collective.Steps { // as a pattern would list them
		r.Collective.Steps[i] = step.Under(r.Collective.Space, topology.Translations{})
	}
	r.Collective.Algorithm = "recursive-doubling"
	p := planWith(t, "harvest", r)
	p.Bound = 0 // that of ring
	stagedtest.Verify(t, p)
}

// A list of all GPUs in order is the same as no list.
func TestAllGPUsArePlannedAsWithoutAList(t *testing.T) {
	f := fabric.Default()
	f.Nodes = 8
	everybody := []int{0, 1, 2, 3, 4, 5, 6, 7}
	for _, algorithm := range []string{"ring", "recursive-doubling", "bine"} {
		plain := planWith(t, "harvest", stagedtest.Request(t, f, collective.AllReduce, algorithm, 4*units.MiB))
		listed := planWith(t, "harvest", onSome(t, f, collective.AllReduce, algorithm, everybody))
		if plain.Cost != listed.Cost || plain.Bound != listed.Bound || len(plain.Stages) != len(listed.Stages) {
			t.Errorf("%s: %v and %v", algorithm, plain.Cost, listed.Cost)
		}
	}
	// In another order, it is the same ring over other GPUs.
	plain := planWith(t, "every-step", stagedtest.Request(t, f, collective.AllReduce, "ring", 4*units.MiB))
	turned := planWith(t, "every-step", onSome(t, f, collective.AllReduce, "ring", []int{3, 0, 7, 1, 6, 2, 5, 4}))
	if plain.Cost != turned.Cost {
		t.Errorf("a ring in another order takes %v, not %v", turned.Cost, plain.Cost)
	}
}

// If every port that changes costs time, the circuits between GPUs that take no part stay, and
// only the ports of the others are charged (Light Bends §3.1).
func TestOnlyInvolvedPortsAreRewired(t *testing.T) {
	for _, duplex := range []bool{false, true} {
		f := fabric.Default()
		f.Nodes, f.Initial, f.Reconfig = 16, fabric.InitialBase, stagedtest.Reconfig(t, "per-port:0ns+100ns")
		if f.Duplex = duplex; duplex {
			f.Ports = 2
		}
		base, err := f.BaseTopology()
		if err != nil {
			t.Fatal(err)
		}
		for _, members := range [][]int{{0, 1, 2, 3}, {12, 3, 7, 9}, {1, 14}} {
			takesPart := map[int]bool{}
			for _, u := range members {
				takesPart[u] = true
			}
			for _, name := range []string{"every-step", "harvest"} {
				what := fmt.Sprintf("%v, duplex %v, %s", members, duplex, name)
				p := planWith(t, name, onSome(t, f, collective.AllReduce, "ring", members))
				stagedtest.Verify(t, p)
				charged := units.Time(0)
				before := base
				for _, stage := range p.Stages {
					charged += units.Time(100 * portsThatChange(before, stage.Topology))
					before = stage.Topology
					for e := range base.Edges() {
						if !takesPart[e.From] && !takesPart[e.To] && stage.Topology.Count(e.From, e.To) < e.Count {
							t.Errorf("%s: the circuit %d->%d is gone", what, e.From, e.To)
						}
					}
				}
				if math.Abs(float64(charged-p.Cost.Reconfiguration)) > 1e-6 {
					t.Errorf("%s: %v are charged, the ports that change cost %v", what, p.Cost.Reconfiguration, charged)
				}
			}
		}
	}
}

// portsThatChange counts by brute force: a port is a transmitter and a receiver, and
// changes if one of them gets or loses a peer.
func portsThatChange(a, b *topology.Graph) int {
	sum := 0
	for u := range a.Nodes() {
		gained, lost, gains, losses := 0, 0, 0, 0
		for v := range a.Nodes() {
			gained += max(0, b.Count(u, v)-a.Count(u, v))
			lost += max(0, a.Count(u, v)-b.Count(u, v))
			gains += max(0, b.Count(v, u)-a.Count(v, u))
			losses += max(0, a.Count(v, u)-b.Count(v, u))
		}
		sum += max(gained, lost, gains, losses)
	}
	return sum
}

// Rings over the members are in the pool, for each different list once.
func TestPoolHoldsTheRingsOfTheMembers(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Ports = 8, 2
	r := onSome(t, f, collective.AllReduce, "ring", []int{6, 1, 3, 4})
	p, err := pool.Harvest(context.Background(), &r, pricing.NewWorkload(&r, r.Collective.Steps))
	if err != nil {
		t.Fatal(err)
	}
	for _, pairs := range [][][2]int{
		{{6, 1}, {1, 3}, {3, 4}, {4, 6}},                                 // jump 1
		{{6, 3}, {1, 4}, {3, 6}, {4, 1}},                                 // jump 2
		{{6, 1}, {1, 3}, {3, 4}, {4, 6}, {1, 6}, {3, 1}, {4, 3}, {6, 4}}, // both ways
	} {
		found := 0
		for _, c := range p.Candidates {
			has := true
			for _, pair := range pairs {
				has = has && c.Topology().Count(pair[0], pair[1]) > 0
			}
			if has {
				found++
			}
		}
		if found == 0 {
			t.Errorf("no topology has %v", pairs)
		}
	}
}
