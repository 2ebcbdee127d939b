package pool

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/topology"
)

// The circulant of a turned union is the one that all pairs of all nodes make.
func TestTurnedUnionsAreThoseOfAllPairs(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 6))
	fitting := 0
	for range 400 {
		n, ports, duplex := 3+random.IntN(8), 1+random.IntN(6), random.IntN(2) == 0
		u := union{turned: true}
		var all [][2]int
		for range 1 + random.IntN(4) {
			o := 1 + random.IntN(n-1)
			u.pairs = append(u.pairs, [2]int{0, o})
			for v := range n {
				all = append(all, [2]int{v, (v + o) % n})
			}
		}
		g, err := topology.Matched(n, ports, duplex, all, "")
		jumps, ok := u.jumps(n, ports, duplex)
		if ok != (err == nil) {
			t.Fatalf("%d nodes, %d ports, %v: %v, but all pairs: %v", n, ports, u.pairs, ok, err)
		}
		if !ok {
			continue
		}
		fitting++
		if want, turned := g.Jumps(); !turned || !slices.Equal(jumps, want) {
			t.Fatalf("%d nodes, %d ports, %v: jumps %v, want %v", n, ports, u.pairs, jumps, want)
		}
	}
	if fitting < 100 {
		t.Errorf("only %d fit", fitting)
	}
}
