package paced

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/topology"
)

// TestAllShardsArriveAtThePace: every node gets every shard once, over circuits from nodes that
// had it before, and no circuit carries more than the pace of its step. The twin keeps a list
// of the shards at each node, without words and flows.
func TestAllShardsArriveAtThePace(t *testing.T) {
	for _, g := range graphs(t) {
		for _, step := range []float64{0, 1, 20} {
			s, err := Solve(t.Context(), g, step)
			if err != nil {
				t.Fatalf("%s: %v", g.Name(), err)
			}
			n := g.Nodes()
			since := make([][]int, n) // step after which a node has a shard, -1: not yet
			for u := range since {
				since[u] = make([]int, n)
				for v := range since[u] {
					since[u][v] = -1
				}
				since[u][u] = 0
			}
			var mutex sync.Mutex
			err = s.Deliveries(t.Context(), func(_, i, u int, from []int32, shards [][]uint64) {
				mutex.Lock()
				defer mutex.Unlock()
				for j, w := range from {
					carried := 0
					for v := range n {
						if shards[j][v/64]>>(v%64)&1 == 0 {
							continue
						}
						if carried++; since[u][v] >= 0 || since[w][v] < 0 || since[w][v] > i {
							t.Fatalf("%s: step %d: %d gets shard %d from %d", g.Name(), i, u, v, w)
						}
						since[u][v] = i + 1
					}
					if most := s.Paces[i] * g.Count(int(w), u); carried > most {
						t.Fatalf("%s: step %d: %d shards from %d to %d, at most %d", g.Name(), i, carried, w, u, most)
					}
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			for u := range since {
				for v, at := range since[u] {
					if at < 0 {
						t.Fatalf("%s: %d never gets shard %d", g.Name(), u, v)
					}
				}
			}
		}
	}
}

// TestPacesAreNoSlowerThanBreadthFirst: at full pace this is the breadth-first broadcast of
// whole shards, which is one of the allgathers that Solve tries.
func TestPacesAreNoSlowerThanBreadthFirst(t *testing.T) {
	for _, g := range graphs(t) {
		whole, err := bfb.Solve(t.Context(), g, bfb.Options{Chunks: 1})
		if err != nil {
			t.Fatal(err)
		}
		time, _ := whole.Time.Float64()
		for _, step := range []float64{0, 1, 20} {
			s, err := Solve(t.Context(), g, step)
			if err != nil {
				t.Fatal(err)
			}
			ours := step*float64(len(s.Paces)) + float64(s.Load())
			if theirs := step*float64(whole.Steps) + time; ours > theirs {
				t.Errorf("%s, a step %g: %g, breadth-first %g", g.Name(), step, ours, theirs)
			}
		}
	}
}

func graphs(t *testing.T) []*topology.Graph {
	t.Helper()
	var all []*topology.Graph
	for _, text := range []string{"GenKautz(2,17)", "GenKautz(4,70)", "Line(DC(8;1,3),3)", "DC(13;1,3,9)", "Kautz(3,2)", "UniRing(3,9)", "K(2)"} {
		e, err := topology.ParseExpr(text)
		if err != nil {
			t.Fatal(err)
		}
		g, err := e.Build()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, g)
	}
	all = samples.Some(all)
	random := rand.New(rand.NewPCG(1, 2))
	for range samples.Draws(8, 20) { // overlaid cycles, with some circuits twice
		n := 3 + random.IntN(150)
		var edges []topology.Edge
		for range 1 + random.IntN(4) {
			cycle := random.Perm(n)
			for i, u := range cycle {
				edges = append(edges, topology.Edge{From: u, To: cycle[(i+1)%n], Count: 1 + random.IntN(2)})
			}
		}
		all = append(all, topology.New(n, "random", edges))
	}
	return all
}
