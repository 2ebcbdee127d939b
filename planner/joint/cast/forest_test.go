package cast

import (
	"fmt"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/planner/joint/digit"
	"github.com/lightpath-net/lightpath/planner/joint/jointtest"
	"github.com/lightpath-net/lightpath/units"
)

// Every forest has trees of all nodes within the allowed children. It is as low as lowest says,
// no lower than any tree with that many children could be, and at most one level higher.
func TestForestsAreTreesWithinTheirPorts(t *testing.T) {
	for fan := 1; fan <= 7; fan++ {
		for trees := 1; trees <= fan; trees++ {
			for first := 1; first*trees <= fan; first++ {
				for nodes := 2; nodes <= 90; nodes++ {
					name := fmt.Sprintf("%d nodes, %d trees by %d, %d first", nodes, trees, fan, first)
					f := newForest(nodes, trees, fan, first)
					children := make([]int, nodes)
					for i := range trees {
						roots := 0
						for v := 1; v < nodes; v++ {
							u := f.parent[i][v]
							children[u]++
							if f.level[i][v] != f.level[i][u]+1 {
								t.Fatalf("%s: node %d is at level %d, its parent %d at %d", name, v, f.level[i][v], u, f.level[i][u])
							}
							if u == 0 {
								roots++
							}
						}
						if roots > first {
							t.Fatalf("%s: the root has %d children in a tree", name, roots)
						}
					}
					for v := 1; v < nodes; v++ {
						if children[v] > fan {
							t.Fatalf("%s: node %d has %d children", name, v, children[v])
						}
					}
					if low := lowest(nodes, trees, fan, first); low != f.depth {
						t.Fatalf("%s: depth %d, predicted %d", name, f.depth, low)
					}
					least, below, level := 0, nodes-1, first
					for ; below > 0; least++ {
						below -= level
						level *= fan
					}
					if f.depth < least {
						t.Fatalf("%s: depth %d is below %d", name, f.depth, least)
					}
					if f.depth > least+1 {
						t.Errorf("%s: depth %d, a tree alone %d", name, f.depth, least)
					}
				}
			}
		}
	}
}

// Pipelines one after the other are correct, take the predicted time, and beat all but digits if
// chains are long and a reconfiguration costs less than their length.
func TestRelaysShortenChains(t *testing.T) {
	won := 0
	for i, n := range []int{27, 48, 64, 100} {
		for ports := 1; ports <= 3; ports++ {
			for j, size := range []units.Bytes{256 * units.KiB, 4 * units.MiB} {
				if (i+ports+j)%2 > 0 && !samples.Every() {
					continue // in turn
				}
				for _, mode := range []string{"", "duplex", "stores", "capped"} {
					r := jointtest.Request(collective.Broadcast, n, ports, size)
					r.Fabric.Duplex = mode == "duplex"
					r.Fabric.CapTheta = mode == "capped"
					if mode == "stores" {
						r.Fabric.Forwarding = fabric.StoreAndForward
					}
					s := digit.NewSearch(digit.Question{
						Machine: digit.NewMachine(&r.Fabric, ports, n), Limits: digit.Limits{Changes: digit.AnyChanges},
						Keep: 1, Nodes: n, Bytes: float64(size), Stopped: never,
					})
					for _, c := range relayCasts(s, n, float64(size)) {
						l := c.Build()
						jointtest.Check(t, jointtest.PlanOf(t, &r, l.Stages, l.Space), c.Time)
						s.NoCast = digit.Digits
						if All(s, n, float64(size))[0].Family == digit.Relays {
							won++
						}
					}
				}
			}
		}
	}
	if won < 2 {
		t.Errorf("they win %d times", won)
	}
}

// never is the stopped function of a search that goes on.
func never() bool { return false }

// TestDegreesOfForests compares the degree with that of the circuits, listed one by one.
func TestDegreesOfForests(t *testing.T) {
	for nodes := 2; nodes <= 40; nodes++ {
		for trees := 1; trees <= 4 && trees < max(2, nodes); trees++ {
			for fan := trees; fan <= 6; fan++ {
				f := newForest(nodes, trees, fan, max(1, min(fan, 6/trees)))
				degrees := make([]int, nodes)
				for pair, c := range f.links(nodes, true) {
					degrees[pair[0]] += c
				}
				if got, want := f.degree(nodes), slices.Max(degrees); got != want {
					t.Fatalf("%d nodes, %d trees, %d children: %d circuits, want %d", nodes, trees, fan, got, want)
				}
			}
		}
	}
}

// The depth of a chain is found without a step per node, because relays ask for all lengths.
func TestLongChainsAreCountedAtOnce(t *testing.T) {
	const nodes = 1 << 40
	for _, first := range []int{1, 3} {
		if got, want := lowest(nodes, 1, 1, first), (nodes-1+first-1)/first; got != want {
			t.Errorf("%d chains of %d nodes: depth %d, want %d", first, nodes, got, want)
		}
	}
}
