package cast

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/planner/joint/digit"
)

// A shape never promises fewer circuits than its forest leaves room for, and exactly as many if it
// has a single tree.
func TestShapesBoundTheirForests(t *testing.T) {
	for ports := 1; ports <= 7; ports++ {
		m := digit.Machine{Ports: ports, Duplex: true}
		for nodes := 2; nodes <= 70; nodes++ {
			for _, g := range shapes(&m, nodes) {
				width := ports / newForest(nodes, g.trees, g.fan, g.first).degree(nodes)
				if g.width < width || g.trees == 1 && g.width != width {
					t.Fatalf("%d ports, %d nodes, %+v: the forest leaves room for %d circuits", ports, nodes, g, width)
				}
			}
		}
	}
}

// Relays take no longer than the best of all sizes of all stages, each found without limits.
func TestRelaysEqualEnumeration(t *testing.T) {
	r := rand.New(rand.NewPCG(35, 1))
	several := 0
	for range 60 {
		m := digit.Machine{
			Alpha: 1000 * r.Float64(), Delta: 1000 * r.Float64(), Wait: 20000 * r.Float64() * r.Float64(), PerByte: 0.01,
			Ports: 1 + r.IntN(4), Duplex: r.IntN(2) == 0, Stores: r.IntN(4) == 0, Capped: r.IntN(5) == 0,
		}
		nodes, bytes := 3+r.IntN(40), math.Exp2(26*r.Float64())
		search := func() *relaySearch {
			s := digit.NewSearch(digit.Question{Machine: m, Limits: digit.Limits{Changes: digit.AnyChanges}, Keep: 1, Nodes: nodes, Bytes: bytes, Stopped: never})
			return &relaySearch{Search: s, bytes: bytes, stages: map[int]timedRelay{}, known: map[relayKey]relayChoice{}, fillings: newFillings(nil, nodes)}
		}
		one := map[int]float64{}
		for size := 2; size <= nodes; size++ {
			one[size] = search().slowStage(size)
		}
		best := make([]float64, nodes+1)
		for left := 2; left <= nodes; left++ {
			best[left] = one[left]
			for size := 2; size < left; size++ {
				best[left] = min(best[left], one[size]+m.Wait+best[(left+size-1)/size])
			}
		}
		got := search().best(nodes, digit.AnyChanges)
		if where := fmt.Sprintf("%d nodes, %.0f bytes, %+v", nodes, bytes, m); math.Abs(got.time-best[nodes]) > 1e-9*best[nodes] {
			t.Errorf("%s: relays take %v, all sizes %v", where, got.time, best[nodes])
		}
		if got.size < nodes {
			several++
		}
	}
	if several < 10 {
		t.Errorf("only %d searches end with several stages", several)
	}
}

// slowStage returns the time of the best of all stages of a size.
func (s *relaySearch) slowStage(size int) float64 {
	best := math.Inf(1)
	for _, g := range growths(&s.Machine, size) {
		if g.tooMany(s.bytes) {
			continue
		}
		_, time := bestPieces(lowest(size, g.trees, g.fan, g.first)-1, wholeOver(&s.Machine, g, s.bytes), s.Alpha+s.Delta, mostPieces(s.Nodes, g.trees, s.bytes))
		best = min(best, time)
		if g.chainOf(&s.Machine, size) {
			if fill, time := s.fillings.best(&s.Machine, chained{size - 1, g.width, s.bytes}, mostPieces(s.Nodes, 1, s.bytes), math.Inf(1)); fill.steps > 0 {
				best = min(best, time)
			}
		}
	}
	whole := timedRelay{time: math.Inf(1)}
	s.copied(size, &whole)
	return min(best, whole.time)
}
