package mended_test

import (
	"fmt"
	"testing"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner/mended"
	"github.com/lightpath-net/lightpath/topology"
)

// pod is a fabric of cubes of 4x4x4 chips on 48 optical switches (TPU v4, Ironwood), and the
// circuits that join the cubes into a torus with the given number of cubes along each axis. 4x6x6
// cubes are 9216 chips.
func pod(tb testing.TB, cubes [3]int) (fabric.Fabric, *topology.Graph) {
	tb.Helper()
	f := fabric.Default()
	f.Nodes, f.Ports, f.Duplex = 64*cubes[0]*cubes[1]*cubes[2], 3, true
	if err := f.Set("switches", "cubes:4x4x4"); err != nil {
		tb.Fatal(err)
	}
	chip := func(cube, at [3]int) int {
		return ((cube[0]*cubes[1]+cube[1])*cubes[2]+cube[2])*64 + at[0]*16 + at[1]*4 + at[2]
	}
	var edges []topology.Edge
	for n := range cubes[0] * cubes[1] * cubes[2] {
		cube := [3]int{n / (cubes[1] * cubes[2]), n / cubes[2] % cubes[1], n % cubes[2]}
		for axis := range 3 {
			next := cube
			next[axis] = (next[axis] + 1) % cubes[axis]
			for place := range 16 {
				high, low := [3]int{}, [3]int{}
				high[axis], low[axis] = 3, 0
				high[(axis+1)%3], low[(axis+1)%3] = place/4, place/4
				high[(axis+2)%3], low[(axis+2)%3] = place%4, place%4
				u, v := chip(cube, high), chip(next, low)
				edges = append(edges, topology.Edge{From: u, To: v, Count: 1}, topology.Edge{From: v, To: u, Count: 1})
			}
		}
	}
	return f, topology.New(f.Nodes, "torus of cubes", edges)
}

// rewire returns the wiring after a failure: circuits with their ports and switches.
func rewire(tb testing.TB, f fabric.Fabric, g *topology.Graph, failure string) (fabric.Fabric, *topology.Graph) {
	tb.Helper()
	if err := f.Set("avoid", failure); err != nil {
		tb.Fatal(err)
	}
	if err := f.Validate(); err != nil {
		tb.Fatal(err)
	}
	other := mended.Graph(&f, g, func(int, []int, []int) (int, int) { return 0, 0 })
	if other == nil {
		tb.Fatalf("%s: no circuits are left", failure)
	}
	if circuits, err := f.SetUp(other); err != nil || 2*len(circuits) != other.Circuits() {
		tb.Fatalf("%s: %d circuits, %v", failure, len(circuits), err)
	}
	return f, other
}

// TestAPodIsRewiredAroundAnyFailure: whatever fails, circuits that do not need it stay, no
// circuit uses it, and the switches can set up all circuits.
func TestAPodIsRewiredAroundAnyFailure(t *testing.T) {
	f, g := pod(t, [3]int{2, 2, 3})
	if err := f.Fits(g); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		failure string
		lost    int // two-way circuits
	}{
		{"gpu:0", 3}, {"gpu:21", 0}, {"gpu:3", 3}, {"port:5", 0}, {"port:0.1", 1}, {"port:48.0", 1},
		{"switch:7", 12}, {"switch:47", 12}, {"link:48-256", 1},
	} {
		damaged, other := rewire(t, f, g, c.failure)
		if lost := (g.Circuits() - other.Circuits()) / 2; lost > c.lost {
			t.Errorf("%s: %d circuits fewer, want at most %d", c.failure, lost, c.lost)
		}
		if err := damaged.Fits(other); err != nil {
			t.Errorf("%s: %v", c.failure, err)
		}
		moved := 0
		for e := range g.Edges() {
			if other.Count(e.From, e.To) < e.Count {
				moved++
			}
		}
		if moved > 2*max(1, c.lost)*2 {
			t.Errorf("%s: %d circuits are not there any more", c.failure, moved)
		}
	}
}

// BenchmarkRewire finds a new wiring after a failure: circuits, ports and switches.
func BenchmarkRewire(b *testing.B) {
	f, g := pod(b, [3]int{4, 6, 6})
	failures := []string{"gpu:0", "port:4000.0", "link:48-2304", "switch:17"}
	b.Run(fmt.Sprintf("n=%d", f.Nodes), func(b *testing.B) {
		for i := range b.N {
			rewire(b, f, g, failures[i%len(failures)])
		}
	})
}
