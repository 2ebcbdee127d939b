package synthesis

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/topology"
)

// The used-up ports that fill skips are those to which nothing could be joined.
func TestFillJoinsWhatAllPairsWould(t *testing.T) {
	random := rand.New(rand.NewPCG(14, 7))
	for round := range 200 {
		n := 2 + random.IntN(24)
		iv := &interval{Problem: Problem{Nodes: n, Ports: 1 + random.IntN(4), Duplex: random.IntN(2) == 0}}
		group := topology.Translations{}
		if n%2 == 0 && random.IntN(3) == 0 {
			group = topology.Rotations(n, 2)
		}
		s := newSpace(iv, group)
		var pairs [][2]int
		for range random.IntN(2 * n) {
			pairs = append(pairs, [2]int{random.IntN(n), random.IntN(n)})
		}
		fast, slow := &wiring{space: s}, &wiring{space: s}
		fast.fill(pairs)
		out, in := slow.ports()
		for _, c := range pairs {
			slow.join(c, out, in)
		}
		for _, u := range s.homes {
			for v := range n {
				for out[u] < iv.Ports && slow.join([2]int{u, v}, out, in) {
				}
			}
		}
		if !slices.Equal(fast.circuits, slow.circuits) {
			t.Fatalf("round %d: %v, not %v", round, fast.circuits, slow.circuits)
		}
	}
}
