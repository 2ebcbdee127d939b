package pricing

import (
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/planner/staged/stagedtest"
	"github.com/lightpath-net/lightpath/units"
)

// The closed form of loads on a ring of equal jumps is right, whether a step's demands are kept
// or streamed.
func TestLoadsOnRingsEqualThoseOnTheirGraphs(t *testing.T) {
	for _, c := range []struct {
		op   collective.Op
		name string
	}{
		{collective.AllReduce, "double-binary-tree"}, {collective.AllReduce, "rabenseifner"}, {collective.AllReduce, "recursive-doubling"},
		{collective.Broadcast, "binomial"}, {collective.Broadcast, "binary"}, {collective.Gather, "binomial"}, {collective.AllToAll, "bruck-index"},
		{collective.Scatter, "direct"}, {collective.Scatter, "binomial"}, {collective.Gather, "direct"},
	} {
		for _, n := range []int{5, 8, 12, 30, 64} {
			for ports := 1; ports <= 3; ports++ {
				f := fabric.Default()
				f.Nodes, f.Ports = n, ports
				r := stagedtest.Request(t, f, c.op, c.name, units.MiB)
				w := NewWorkload(&r, r.Collective.Steps)
				for jump := 1; jump < n; jump++ {
					for class := range w.Classes {
						checkRing(t, w, RingCandidate(n, jump, ports), class)
					}
				}
			}
		}
	}
}

// checkRing compares the loads of a class on a ring of equal jumps with those on its graph.
func checkRing(t *testing.T, w *Workload, c *Candidate, class int) {
	t.Helper()
	next, ok := flow.NewSuccessor(c.Topology())
	if !ok {
		t.Fatalf("%s is no ring", c.Topology().Name())
	}
	want, connected := next.Evaluate(w.Classes[class].All())
	for _, streams := range []bool{w.streams, !w.streams} {
		w.streams = streams
		w.Classes[class].far = nil
		got, ok := w.onRing(&c.Jump, &w.Classes[class])
		if ok != connected || ok && (got.Hops != want.Hops || !stagedtest.Near(got.Peak, want.Peak, 1e-12) || !stagedtest.Near(got.Dilation, want.Dilation, 1e-12)) {
			t.Errorf("%s, streams %v: %+v, want %+v", c.Topology().Name(), streams, got, want)
		}
	}
	w.streams = !w.streams
	w.Classes[class].far = nil
}

// A Jumper's answer in constant time is that of a walk along the ring.
func TestRingHopsEqualAWalk(t *testing.T) {
	for n := 2; n <= 40; n++ {
		for jump := 1; jump < n; jump++ {
			ring := newJumper(n, jump, 1)
			for offset := 1; offset < n; offset++ {
				want, at := 0, 0
				for range n {
					at = (at + jump) % n
					want++
					if at == offset {
						break
					}
				}
				if at != offset {
					want = 0
				}
				if got := ring.hops(offset); got != want {
					t.Fatalf("n=%d, jump %d, offset %d: %d hops, want %d", n, jump, offset, got, want)
				}
			}
		}
	}
}

// Observation 3: the ring of step i connects the pairs of all later steps, and of no
// earlier one.
func TestObservation3RingsConnectLaterSteps(t *testing.T) {
	for n := 2; n <= 256; n *= 2 {
		f := fabric.Default()
		f.Nodes = n
		r := stagedtest.Request(t, f, collective.ReduceScatter, "recursive-doubling", units.Bytes(n))
		w := NewWorkload(&r, r.Collective.Steps)
		for i := range w.Steps {
			ring := RingCandidate(n, 1<<i, 1)
			for j := range w.Steps {
				load, ok := ring.Jump.load(&w.Classes[w.ClassOf[j]])
				if ok != (j >= i) {
					t.Fatalf("n=%d: the ring of step %d connects step %d: %v", n, i+1, j+1, ok)
				}
				if ok && load.Hops != 1<<(j-i) {
					t.Fatalf("n=%d: step %d takes %d hops on the ring of step %d", n, j+1, load.Hops, i+1)
				}
			}
		}
	}
}
