package cast

import (
	"fmt"
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/capped"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/planner/joint/digit"
	"github.com/lightpath-net/lightpath/planner/joint/jointtest"
	"github.com/lightpath-net/lightpath/units"
)

// Stages of whole copies are correct in every order that is tried, as broadcasts and as
// reductions, and take the predicted time.
func TestCopiesInEveryOrderAreCorrect(t *testing.T) {
	for fan := 1; fan <= 3; fan++ {
		for i, n := range []int{2, 5, 8, 13, 14, 22, 27, 31} {
			for j, mode := range []string{"", "stores", "duplex"} {
				if (fan+i+j)%2 > 0 && !samples.Every() {
					continue // in turn
				}
				r := jointtest.Request(collective.Broadcast, n, fan, units.MiB)
				if r.Fabric.Duplex = mode == "duplex"; r.Fabric.Duplex {
					r.Fabric.Ports = fan + 1
				}
				if mode == "stores" {
					r.Fabric.Forwarding = fabric.StoreAndForward
				}
				s := digit.NewSearch(digit.Question{
					Machine: digit.NewMachine(&r.Fabric, fan, n), Limits: digit.Limits{Changes: digit.AnyChanges},
					Keep: 1, Nodes: n, Bytes: float64(r.Size), Stopped: never,
				})
				g := grove{roots: 1, nodes: n, fan: fan, width: 1, below: n - 1}
				for g.depth = 1; treeSize(fan, g.depth, n) < n; g.depth++ {
				}
				for steps := 1; steps <= g.mostSteps(); steps++ {
					for _, g := range g.orders(s, steps) {
						l := layGroves(s, n, []grove{g})
						time := s.Time(g.takes(&s.Machine), float64(r.Size))
						jointtest.Check(t, jointtest.PlanOf(t, &r, l.Stages, l.Space), time)
						back := r
						back.Collective = &collective.Collective{Op: collective.RootReduce, Nodes: n}
						jointtest.Check(t, jointtest.PlanOf(t, &back, Reversed(l), collective.SpaceOf(collective.RootReduce, n, 1)), time)
					}
				}
			}
		}
	}
}

// A step with even loads is correct, as a broadcast and as a reduction, takes the predicted time,
// and loads the root's links with no more than what must leave the root.
func TestEvenStepsAreCorrect(t *testing.T) {
	made := 0
	for ports := 2; ports <= 5; ports++ {
		for n := 3; n <= 40; n++ {
			for i, duplex := range []bool{false, true} {
				if (ports+n+i)%2 > 0 && !samples.Every() {
					continue // in turn
				}
				r := jointtest.Request(collective.Broadcast, n, ports, 64*units.KiB)
				r.Fabric.Duplex = duplex
				s := digit.NewSearch(digit.Question{
					Machine: digit.NewMachine(&r.Fabric, ports, n), Limits: digit.Limits{Changes: digit.AnyChanges},
					Keep: 1, Nodes: n, Bytes: float64(r.Size), Stopped: never,
				})
				for fan := 2; fan < ports || fan == ports && !duplex; fan++ {
					g := grove{roots: 1, nodes: n, fan: fan, width: 1, below: n - 1, steps: 1}
					for g.depth = 1; treeSize(fan, g.depth, n) < n; g.depth++ {
					}
					g.turns = turnsKey{fan, g.depth, 1}.inOrder()
					even, ok := g.evenly(&s.Machine)
					if !ok {
						continue
					}
					made++
					l := layGroves(s, n, []grove{even})
					time := s.Time(even.takes(&s.Machine), float64(r.Size))
					if plain := s.Time(g.takes(&s.Machine), float64(r.Size)); time >= plain {
						t.Errorf("%d nodes by %d: %v, %v in whole copies", n, fan, time, plain)
					}
					jointtest.Check(t, jointtest.PlanOf(t, &r, l.Stages, l.Space), time)
					back := r
					back.Collective = &collective.Collective{Op: collective.RootReduce, Nodes: n}
					jointtest.Check(t, jointtest.PlanOf(t, &back, Reversed(l), collective.SpaceOf(collective.RootReduce, n, 1)), time)
				}
			}
		}
	}
	if made < 50 {
		t.Errorf("%d even steps", made)
	}
}

// No order of levels takes fewer copies over the same hops than the best of those that are tried.
// The test lists all orders and counts the copies node by node.
func TestOrdersEqualEnumeration(t *testing.T) {
	for fan := 2; fan <= 3; fan++ {
		for depth := 2; depth <= 4; depth++ {
			for steps := 1; steps <= depth; steps++ {
				for _, below := range []int{treeSize(fan, depth, 1<<20) - 1, treeSize(fan, depth-1, 1<<20)} {
					name := fmt.Sprintf("%d children, %d levels, %d steps, %d below", fan, depth, steps, below)
					least := map[int]int{} // copies, by hops
					for number := range capped.Power(steps, depth, math.MaxInt) {
						turns := make(order, depth)
						for i := range turns {
							turns[i] = int8(number%steps) + 1
							number /= steps
						}
						hops, load := countCopies(grove{roots: 1, nodes: below + 1, fan: fan, depth: depth, steps: steps, below: below, turns: turns})
						if known, ok := least[hops]; !ok || load < known {
							least[hops] = load
						}
					}
					for hops, load := range least {
						best := 1 << 30
						for _, o := range turnsOf(nil, turnsKey{fan, depth, steps}) {
							h, l := countCopies(grove{roots: 1, nodes: below + 1, fan: fan, depth: depth, steps: steps, below: below, turns: o})
							if h <= hops {
								best = min(best, l)
							}
						}
						if best > load {
							t.Errorf("%s: %d copies over %d hops, there are orders with %d", name, best, hops, load)
						}
					}
				}
			}
		}
	}
	// If the nodes are a product, each digit needs one copy less than its values.
	g := grove{fan: 1, depth: 26, steps: 3}
	for _, s := range g.copies() {
		if s.load != 2 {
			t.Errorf("%d copies down a chain of 27 in 3 steps", s.load)
		}
	}
}

// countCopies counts hops and copies on the tree itself.
func countCopies(g grove) (hops, load int) {
	parent, level := g.grow()
	for step := 1; step <= g.steps; step++ {
		most, far := 0, 0
		on := make([]int, g.nodes) // copies on the link into a node
		for v := 1; v < g.nodes; v++ {
			if int(g.turns[level[v]-1]) != step {
				continue
			}
			n := 0
			for u := v; u > 0 && (u == v || int(g.turns[level[u]-1]) >= step); u = parent[u] {
				on[u]++
				most, n = max(most, on[u]), n+1
			}
			far = max(far, n)
		}
		hops, load = hops+far, load+most
	}
	return hops, load
}
