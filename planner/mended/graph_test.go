package mended_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner/mended"
	"github.com/lightpath-net/lightpath/topology"
)

// TestOnlyAGPUWithAFailedPortLosesCircuits: every other GPU has as many circuits as before,
// except for one left over if the number of two-way circuits is odd or a circuit would lead back
// to its source. No circuit is a failed one.
func TestOnlyAGPUWithAFailedPortLosesCircuits(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 1))
	for range 300 {
		n, ports := 6+random.IntN(20), 2+random.IntN(3)
		f := fabric.Default()
		f.Nodes, f.Ports, f.Duplex = n, ports, random.IntN(2) == 0
		u := random.IntN(n)
		text := fmt.Sprintf("port:%d", u)
		if random.IntN(2) == 0 {
			text += fmt.Sprintf(",link:%d-%d", u, (u+1)%n)
		}
		whole, err := f.BaseTopology()
		if err != nil || whole.Degree() != ports {
			continue
		}
		if f.Avoid, err = fabric.ParseFailures(text); err != nil {
			t.Fatal(err)
		}
		g := mended.Graph(&f, whole, func(_ int, from, to []int) (int, int) {
			return random.IntN(len(from)), random.IntN(len(to))
		})
		if g == nil {
			t.Errorf("%v: nothing is left of %s", text, whole.Name())
			continue
		}
		if err := f.Fits(g); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if lost := whole.Circuits() - g.Circuits(); lost < 1 || lost > 2 {
			t.Errorf("%s of %s: %d circuits fewer", text, whole.Name(), lost)
		}
		if g.Count(u, (u+1)%n) > 0 && f.Avoid.Link(u, (u+1)%n) {
			t.Errorf("%s: the link is in %s", text, g.Name())
		}
	}
}

func ExampleGraph() {
	f := fabric.Default()
	f.Nodes, f.Ports = 5, 2
	f.Avoid = fabric.FailedPort(3)
	g := mended.Graph(&f, topology.DirectedCirculant(5, 1, 2), func(int, []int, []int) (int, int) { return 0, 0 })
	for e := range g.Edges() {
		fmt.Print(e.From, "->", e.To, " ")
	}
	fmt.Println()
	// Output: 0->1 0->2 1->0 1->2 2->3 2->4 3->4 4->0 4->1
}
