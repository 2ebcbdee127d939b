package digit

import (
	"testing"

	"github.com/lightpath-net/lightpath/planner/joint/network"
	"github.com/lightpath-net/lightpath/topology"
)

// The jumps that are found are the best of all sets of jumps, by the distances in the graph
// itself.
func TestBestJumpsAreTheBestOfAll(t *testing.T) {
	for _, c := range []struct{ points, ports int }{{9, 2}, {12, 2}, {13, 3}, {12, 4}} {
		m := &Machine{Ports: c.ports}
		found := m.bestJumps(c.points)
		least, nearest := c.points, c.points*c.points
		var visit func(jumps []int, from int)
		visit = func(jumps []int, from int) {
			if len(jumps) == c.ports {
				net := network.New(topology.DirectedCirculant(c.points, jumps...), topology.Rotations(c.points, 1))
				if net.Diameter == 0 {
					return
				}
				sum := 0
				for _, d := range net.Distances(0) {
					sum += int(d)
				}
				least, nearest = min(least, net.Diameter), min(nearest, sum)
				return
			}
			for j := from; j < c.points; j++ {
				visit(append(jumps[:len(jumps):len(jumps)], j), j+1)
			}
		}
		visit(nil, 1)
		low, near := c.points, c.points*c.points
		for _, jumps := range found {
			b, connected := measure(c.points, jumps, jumpSets{})
			if !connected {
				t.Errorf("%d points: %v do not connect them", c.points, jumps)
			}
			low, near = min(low, b.diameter), min(near, b.sum)
		}
		if low != least || near != nearest {
			t.Errorf("%d points, %d ports: %v have diameter %d and sum %d, the best are %d and %d", c.points, c.ports, found, low, near, least, nearest)
		}
	}
}

// With two-way circuits an additional port never leads to jumps that lie farther apart: an odd
// port leads to the opposite point, or is left over. The distances are those of the graph itself.
func TestAnotherTwoWayPortIsNeverFarther(t *testing.T) {
	for points := 6; points <= 40; points++ {
		least, nearest := points, points*points
		for ports := 4; ports <= min(8, points-2); ports++ {
			m := &Machine{Ports: ports, Duplex: true}
			low, near := points, points*points
			all := m.bestJumps(points)
			if all == nil {
				continue // there are too many
			}
			for _, jumps := range all {
				g := topology.DirectedCirculant(points, jumps...)
				if !g.Bidirectional() || g.OutDegree(0) > ports {
					t.Fatalf("%d points: %v are not two-way circuits of %d ports", points, jumps, ports)
				}
				net := network.New(g, topology.Rotations(points, 1))
				sum := 0
				for _, d := range net.Distances(0) {
					sum += int(d)
				}
				low, near = min(low, net.Diameter), min(near, sum)
			}
			if low > least || near > nearest {
				t.Errorf("%d points: with %d ports diameter %d and sum %d, with one fewer %d and %d", points, ports, low, near, least, nearest)
			}
			least, nearest = low, near
		}
	}
}

// Laying routes again never makes the busiest link busier than laying them once. If all links
// could carry the same, they nearly do.
func TestLoadsOfCirculantsAreEven(t *testing.T) {
	for _, jumps := range [][]int{{1, 3, 9}, {1, 3, 10, 8}, {2, 3, 9, 10}} {
		points := map[int]int{3: 13, 4: 11}[len(jumps)]
		if jumps[0] == 2 {
			points = 12
		}
		net := network.New(topology.DirectedCirculant(points, jumps...), topology.Rotations(points, 1))
		got, _ := net.Route(network.Towards{High: net.Diameter}, 2*len(jumps), false, never)
		if least := net.Least(0, net.Diameter).Peak; got.Peak < least-1e-9 || got.Peak > 1.15*least {
			t.Errorf("DC(%d;%v): the busiest link carries %v, the mean is %v", points, jumps, got.Peak, least)
		}
	}
}
