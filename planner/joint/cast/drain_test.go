package cast

import (
	"fmt"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/planner/joint/digit"
	"github.com/lightpath-net/lightpath/planner/joint/jointtest"
	"github.com/lightpath-net/lightpath/units"
)

// Pipelines whose last pieces come over idle circuits are correct, as broadcasts and as
// reductions, take the predicted time, and are no slower than pipelines down the same trees.
func TestDrainedPipelinesAreCorrect(t *testing.T) {
	shorter, less, made := 0, 0, map[string]int{}
	for ports := 2; ports <= 6; ports++ {
		for i, n := range []int{5, 6, 7, 8, 11, 12, 19, 24, 27, 33, 48} {
			for j, mode := range []string{"", "stores", "duplex"} {
				if (i/2+ports+j)%2 > 0 && !samples.Every() {
					continue // in turn
				}
				size := []units.Bytes{64 * units.KiB, 4 * units.MiB}[i%2]
				r := jointtest.Request(collective.Broadcast, n, ports, size)
				r.Fabric.Duplex = mode == "duplex"
				if mode == "stores" {
					r.Fabric.Forwarding = fabric.StoreAndForward
				}
				s := digit.NewSearch(digit.Question{
					Machine: digit.NewMachine(&r.Fabric, ports, n), Limits: digit.Limits{Changes: digit.AnyChanges},
					Keep: 1, Nodes: n, Bytes: float64(size), Stopped: never,
				})
				for _, g := range growths(&s.Machine, n) {
					for _, c := range drainedCasts(s, n, float64(size), g) {
						l := c.Build()
						jointtest.Check(t, jointtest.PlanOf(t, &r, l.Stages, l.Space), c.Time)
						back := r
						back.Collective = &collective.Collective{Op: collective.RootReduce, Nodes: n}
						space := l.Space
						jointtest.Check(t, jointtest.PlanOf(t, &back, Reversed(l), collective.SpaceOf(collective.RootReduce, n, space.Chunks())), c.Time)
						_, plain := bestPieces(lowest(n, g.trees, g.fan, g.first)-1, wholeOver(&s.Machine, g, float64(size)), s.Alpha+s.Delta, mostPieces(n, g.trees, float64(size)))
						if c.Time > plain*(1+1e-9) {
							t.Errorf("%d nodes, %d ports, %+v: %v, %v down the trees", n, ports, g, c.Time, plain)
						}
						d := drainOf(nil, drainKey{n, g.trees, g.fan, g.first})
						if made[mode]++; d.parts == 0 {
							shorter++
						} else {
							less++
						}
					}
				}
			}
		}
	}
	t.Logf("pipelines %v, %d a step shorter, %d with a shorter last step", made, shorter, less)
	if shorter < 10 || less < 10 || len(made) < 3 {
		t.Errorf("%d pipelines are a step shorter, %d have a shorter last step", shorter, less)
	}
}

// Every node gets the last piece of every tree exactly once, from a node that has it, over
// circuits that carry nothing else. This is counted step by step.
func TestDrainsBringEveryLastPieceOnce(t *testing.T) {
	for trees := 2; trees <= 5; trees++ {
		for fan := trees; fan <= 6; fan++ {
			for nodes := 3; nodes <= 90; nodes++ {
				name := fmt.Sprintf("%d nodes, %d trees by %d", nodes, trees, fan)
				d := newDrain(drainKey{nodes, trees, fan, fan / trees})
				if d.depth < 3 {
					continue
				}
				got := make([][]float64, trees)
				for i := range got {
					got[i] = make([]float64, nodes)
					got[i][0] = 1
				}
				for step := range d.depth {
					load := map[[2]int]float64{} // by tree and node: over the circuit there
					type arrival struct {
						tree, node int
						part       float64
					}
					var arrivals []arrival
					for i := range trees {
						for v := 1; v < nodes; v++ {
							switch level := d.level[i][v]; {
							case level == step+1 && level < d.depth:
								arrivals = append(arrivals, arrival{i, v, 1})
								fallthrough
							case level > step+1: // pieces before the last
								load[[2]int{i, v}]++
							}
						}
					}
					for _, m := range append(d.early[:len(d.early):len(d.early)], d.last...) {
						if m.step != step {
							continue
						}
						part := 1.0
						if m.parts > 0 {
							part = float64(m.parts) / float64(trees)
						}
						if got[m.tree][d.parent[m.over][m.to]] != 1 {
							t.Fatalf("%s: node %d has nothing of tree %d to pass on", name, d.parent[m.over][m.to], m.tree)
						}
						load[[2]int{m.over, m.to}] += part
						arrivals = append(arrivals, arrival{m.tree, m.to, part})
					}
					most := 1.0
					if step == d.depth-1 {
						most = float64(d.parts) / float64(trees)
					}
					for arc, sum := range load {
						if sum > most+1e-9 {
							t.Fatalf("%s: %v pieces pass to %d in tree %d in step %d, at most %v", name, sum, arc[1], arc[0], step, most)
						}
					}
					for _, a := range arrivals {
						got[a.tree][a.node] += a.part
					}
				}
				for i := range trees {
					for v, sum := range got[i] {
						if sum < 1-1e-9 || sum > 1+1e-9 {
							t.Fatalf("%s: node %d gets %v of the last piece of tree %d", name, v, sum, i)
						}
					}
				}
			}
		}
	}
}
