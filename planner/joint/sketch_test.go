package joint

import (
	"reflect"
	"testing"

	"github.com/lightpath-net/lightpath/topology"
)

// What is known of a circulant before it is built is so of its graph, and measure finds the
// same distances.
func TestSketchesOfCirculantsAreThoseOfTheirGraphs(t *testing.T) {
	m := &machine{ports: 4}
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
				net := newNetwork(topology.DirectedCirculant(points, all...), topology.Rotations(points, 1))
				b, connected := measure(points, jumps, twoWay)
				sk := m.circulant(points, all)
				if connected != (net.diameter > 0) || sk.diameter != net.diameter || sk.name != net.graph.Name() {
					t.Errorf("%s: %s of diameter %d, want %d; connected %v", net.graph.Name(), sk.name, sk.diameter, net.diameter, connected)
				}
				if !connected {
					apart++
					continue
				}
				sum := 0
				for _, d := range net.distances(0) {
					sum += int(d)
				}
				if b.diameter != net.diameter || b.sum != sum {
					t.Errorf("%s: diameter %d and sum %d, want %d and %d", sk.name, b.diameter, b.sum, net.diameter, sum)
				}
				if !reflect.DeepEqual(sk.profile, net.profile) || !reflect.DeepEqual(sk.dist, net.distances(0)) {
					t.Errorf("%s: %+v, of the graph %+v", sk.name, sk.profile, net.profile)
				}
			}
		}
	}
	if apart == 0 {
		t.Error("all were connected")
	}
}

// Rings whose points are farther from each other than distances can say are networks of no use.
func TestDistancesEnd(t *testing.T) {
	m := &machine{ports: 2}
	for points, want := range map[int]int{farthest + 1: farthest, farthest + 2: 0, 2 * farthest: 0} {
		if got := m.circulant(points, []int{1, 1}).diameter; got != want {
			t.Errorf("a ring of %d points: diameter %d, want %d", points, got, want)
		}
		if got := newNetwork(topology.DirectedCirculant(points, 1), topology.Rotations(points, 1)).diameter; got != want {
			t.Errorf("the network of a ring of %d points: diameter %d, want %d", points, got, want)
		}
	}
}
