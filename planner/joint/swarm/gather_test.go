package swarm_test

import (
	"fmt"
	"testing"

	"github.com/lightpath-net/lightpath/planner/joint/swarm"
	"github.com/lightpath-net/lightpath/topology"
)

// Every node gets every piece exactly once, from a peer that had it before the step, and no
// circuit carries more than it may. Numbers of steps are close to what ports allow.
func TestEveryNodeGetsEveryPieceOnce(t *testing.T) {
	for _, n := range []int{5, 9, 27} {
		for _, turns := range []int{1, 2, 3} {
			for _, each := range []int{1, 3} {
				g, err := topology.Parse(fmt.Sprintf("Regular(%d,3,1)", n))
				if err != nil {
					t.Fatal(err)
				}
				graphs := swarm.Moved(g, turns, -1)
				if len(graphs) != turns {
					t.Fatalf("%d graphs of %d nodes, want %d", len(graphs), n, turns)
				}
				owners := make([]int, 6*n)
				for p := range owners {
					owners[p] = p / 6
				}
				until := []int{1 + 2*n/each/turns, 1 + 2*n/each/turns, 0}[3-turns:]
				stages := swarm.Gather(t.Context(), graphs, until, owners, each)
				checkGather(t, n, each, owners, stages)
				steps := 0
				for _, s := range stages {
					steps += len(s.Steps)
				}
				if most := 3*(n-1)/each + 5; steps > most { // over two of three ports
					t.Errorf("%d nodes, %d turns, %d at once: %d steps, more than %d", n, turns, each, steps, most)
				}
			}
		}
	}
}

func checkGather(t *testing.T, n, each int, owners []int, stages []swarm.Stage) {
	has := make([]map[int32]bool, n)
	for u := range has {
		has[u] = map[int32]bool{}
	}
	for p, u := range owners {
		has[u][int32(p)] = true
	}
	for _, s := range stages {
		for _, step := range s.Steps {
			for _, m := range step.Messages {
				if most := each * s.Graph.Count(int(m.From), int(m.To)); len(m.Pieces) > most {
					t.Errorf("%d pieces from %d to %d, more than %d", len(m.Pieces), m.From, m.To, most)
				}
				for _, p := range m.Pieces {
					if !has[m.From][p] || has[m.To][p] {
						t.Fatalf("piece %d from %d to %d", p, m.From, m.To)
					}
				}
			}
			for _, m := range step.Messages { // what came in this step can be sent in the next
				for _, p := range m.Pieces {
					has[m.To][p] = true
				}
			}
		}
	}
	for u := range has {
		if len(has[u]) != len(owners) {
			t.Errorf("node %d has %d of %d pieces", u, len(has[u]), len(owners))
		}
	}
}

// In each graph another node is short of a port, and neighbouring graphs differ in one two-way
// circuit.
func TestOneEndOfACircuitMoves(t *testing.T) {
	g, err := topology.Parse("Regular(15,5,1)")
	if err != nil {
		t.Fatal(err)
	}
	shorts := map[int]bool{}
	graphs := swarm.Moved(g, 8, 2)
	for i, g := range graphs {
		for u := range g.Nodes() {
			switch ports := g.OutDegree(u) - g.Count(u, u); {
			case ports == 4 && !shorts[u]:
				shorts[u] = true
			case ports != 5:
				t.Errorf("graph %d: node %d has %d ports", i, u, ports)
			}
		}
		if !g.Bidirectional() {
			t.Errorf("graph %d is not two-way", i)
		}
		if _, connected := g.Diameter(); !connected {
			t.Errorf("graph %d is not connected", i)
		}
		if i == 0 {
			continue
		}
		moved := 0
		for e := range g.Edges() {
			moved += max(0, e.Count-graphs[i-1].Count(e.From, e.To))
		}
		if moved != 2 {
			t.Errorf("graph %d: %d circuits are new, want both ways of one", i, moved)
		}
	}
	if len(shorts) != 8 || shorts[2] {
		t.Errorf("%v were short, want 8 without 2", shorts)
	}
}
