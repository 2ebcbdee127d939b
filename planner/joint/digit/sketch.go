package digit

import (
	"sync"

	"github.com/lightpath-net/lightpath/planner/joint/network"
	"github.com/lightpath-net/lightpath/topology"
)

// sketch is what is known of a network before it is built. For circulants that is the distance of
// every point from point 0, which takes no graph to find; most circulants are too slow by that
// alone.
type sketch struct {
	network.Profile
	name string
	dist []int16 // from point 0, which stands for all; nil if it does not
	net  func() *network.Network
	line bool // a line digraph, or a graph that a search has found
}

// symmetric reports whether one source stands for all.
func (s *sketch) symmetric() bool { return s.dist != nil }

// sketchOf returns the sketch of a network without a group.
func (m *Machine) sketchOf(net *network.Network) *sketch {
	net.Pairs, net.Dilates = m.Capped, m.Stores
	return &sketch{Profile: net.Profile, name: net.Graph.Name(), net: func() *network.Network { return net }}
}

// circulant sketches the circulant in which a point has a circuit for every jump in the list;
// jumps may be repeated.
func (m *Machine) circulant(points int, jumps []int) *sketch {
	s := &sketch{
		Profile: network.Profile{Points: points, Links: float64(len(jumps))},
		name:    topology.Expr{Family: "DC", Numbers: append([]int{points}, jumps...)}.String(),
		dist:    make([]int16, points),
	}
	s.net = sync.OnceValue(func() *network.Network {
		net := network.New(topology.DirectedCirculant(points, jumps...), topology.Rotations(points, 1))
		net.Pairs, net.Dilates = m.Capped, m.Stores
		return net
	})
	queue := make([]int32, 1, points)
	for i := 0; i < len(queue) && s.dist[queue[i]] < network.Farthest; i++ {
		v := int(queue[i])
		for _, j := range jumps {
			w := v + j
			if w >= points {
				w -= points
			}
			if w != 0 && s.dist[w] == 0 {
				s.dist[w] = s.dist[v] + 1
				queue = append(queue, int32(w))
			}
		}
	}
	if len(queue) < points {
		return s // its diameter stays 0
	}
	s.Diameter = int(s.dist[queue[points-1]])
	s.Levels = make([]int, s.Diameter+1)
	for _, d := range s.dist {
		s.Levels[d]++
	}
	return s
}
