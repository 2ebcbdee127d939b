package cast

import (
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/planner/joint/digit"
	"github.com/lightpath-net/lightpath/planner/joint/jointtest"
	"github.com/lightpath-net/lightpath/units"
)

// No whole copies down a tree take less time than their bound, which searches go by.
func TestWholeCopiesKeepToTheirBound(t *testing.T) {
	for ports := 1; ports <= 4; ports++ {
		for _, duplex := range []bool{false, true} {
			for _, size := range []units.Bytes{units.KiB, units.MiB, units.GiB} {
				for n := 2; n <= 60; n += 1 + n/7 {
					r := jointtest.Request(collective.Broadcast, n, ports, size)
					r.Fabric.Duplex = duplex
					s := digit.NewSearch(digit.Question{
						Machine: digit.NewMachine(&r.Fabric, ports, n), Limits: digit.Limits{Changes: digit.AnyChanges},
						Keep: 1, Nodes: n, Bytes: float64(size), Stopped: never,
					})
					for fan := 1; fan <= ports; fan++ {
						g := grove{roots: 1, nodes: n, fan: fan, width: ports / fan, below: n - 1, depth: levelsOf(fan, n)}
						list := []grove{g}
						if wide, more := g.widened(ports, duplex); more {
							list = append(list, wide.lowered())
						}
						for _, g := range list {
							for steps := 1; steps <= g.mostSteps(); steps++ {
								for _, o := range g.orders(s, steps) {
									if least, time := leastCopied(s, g.depth, steps, float64(size)), s.Time(o.takes(&s.Machine), float64(size)); least > time {
										t.Fatalf("%d nodes, %d ports, fan %d, %d steps: %v, at least %v", n, ports, fan, steps, time, least)
									}
								}
							}
						}
					}
				}
			}
		}
	}
}

func TestLevelsOfTheLowestTree(t *testing.T) {
	for fan := 1; fan <= 5; fan++ {
		for nodes := 2; nodes <= 400; nodes++ {
			if d := levelsOf(fan, nodes); treeSize(fan, d, math.MaxInt32) < nodes || d > 1 && treeSize(fan, d-1, math.MaxInt32) >= nodes {
				t.Errorf("%d nodes with %d children each: %d levels", nodes, fan, d)
			}
		}
	}
}

// A large broadcast to 16384 GPUs is cut into as many pieces as one to 4096.
func TestPiecesToFourTimesAsManyGPUs(t *testing.T) {
	for _, ports := range []int{2, 4} {
		var pieces [2]int
		for i, n := range []int{4096, 16384} {
			r := jointtest.Request(collective.Broadcast, n, ports, units.GiB)
			m := digit.NewMachine(&r.Fabric, ports, n)
			g := growth{trees: ports, fan: ports, width: 1, first: ports}
			pieces[i], _ = bestPieces(lowest(n, ports, ports, ports)-1, wholeOver(&m, g, float64(r.Size)), m.Alpha+m.Delta, mostPieces(n, ports, float64(r.Size)))
		}
		if pieces[1] < 64 || pieces[0] < 64 {
			t.Errorf("%d ports: %d pieces per tree to 4096 GPUs, %d to 16384", ports, pieces[0], pieces[1])
		}
	}
}
