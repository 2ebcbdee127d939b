package digit

import (
	"reflect"
	"testing"

	"github.com/lightpath-net/lightpath/planner/joint/network"
	"github.com/lightpath-net/lightpath/topology"
)

// What is known of a circulant before it is built holds for its graph, and measure finds the same
// distances.
func TestSketchesOfCirculantsAreThoseOfTheirGraphs(t *testing.T) {
	m := &Machine{Ports: 4}
	apart := 0
	for _, points := range []int{3, 5, 8, 12, 63, 64, 65, 100, 127, 128, 130, 192, 200, 256} {
		for _, jumps := range [][]int{{1}, {1, 2}, {1, 1, 2, 2}, {2, points - 2}, {3, points / 2}, {1, points / 3, points - 1}, {2, 7, points - 9, points - 1}} {
			valid := true
			for _, j := range jumps {
				valid = valid && 0 < j && j < points
			}
			if !valid {
				continue
			}
			for _, twoWay := range []bool{false, true} {
				all := jumps
				if twoWay {
					for _, j := range jumps {
						all = append(all[:len(all):len(all)], points-j)
					}
				}
				net := network.New(topology.DirectedCirculant(points, all...), topology.Rotations(points, 1))
				b, connected := measure(points, jumps, jumpSets{twoWay: twoWay})
				sk := m.circulant(points, all)
				if connected != (net.Diameter > 0) || sk.Diameter != net.Diameter || sk.name != net.Graph.Name() {
					t.Errorf("%s: %s of diameter %d, want %d; connected %v", net.Graph.Name(), sk.name, sk.Diameter, net.Diameter, connected)
				}
				if !connected {
					apart++
					continue
				}
				sum := 0
				for _, d := range net.Distances(0) {
					sum += int(d)
				}
				if b.diameter != net.Diameter || b.sum != sum {
					t.Errorf("%s: diameter %d and sum %d, want %d and %d", sk.name, b.diameter, b.sum, net.Diameter, sum)
				}
				if !reflect.DeepEqual(sk.Profile, net.Profile) || !reflect.DeepEqual(sk.dist, net.Distances(0)) {
					t.Errorf("%s: %+v, of the graph %+v", sk.name, sk.Profile, net.Profile)
				}
			}
		}
	}
	if apart == 0 {
		t.Error("all were connected")
	}
}

// Rings whose points are farther apart than distances can express are not networks.
func TestDistancesEnd(t *testing.T) {
	m := &Machine{Ports: 2}
	for points, want := range map[int]int{network.Farthest + 1: network.Farthest, network.Farthest + 2: 0, 2 * network.Farthest: 0} {
		if got := m.circulant(points, []int{1, 1}).Diameter; got != want {
			t.Errorf("a ring of %d points: diameter %d, want %d", points, got, want)
		}
		if got := network.New(topology.DirectedCirculant(points, 1), topology.Rotations(points, 1)).Diameter; got != want {
			t.Errorf("the network of a ring of %d points: diameter %d, want %d", points, got, want)
		}
	}
}
