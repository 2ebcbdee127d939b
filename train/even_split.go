package train

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/topology"
)

// EvenSplit is an all-to-all over the shortest paths of a topology, for which Zhao et al. have
// no schedule: every node divides what it sends or forwards evenly over the circuits that lead
// closer to the destination (equal-cost multi-path routing).
type EvenSplit struct {
	Hops int // of the longest path
	// Load is the load of the busiest circuit, in units of what one node sends to one other. No
	// routing has less than the average over all circuits: the distances of all pairs over the
	// number of circuits. On a topology that looks the same from every circuit the two are equal.
	Load float64
}

// SplitEvenly computes the loads. For every destination, or for only one if g has a transitive
// symmetry, it takes O(nodes + bundles); it stores nothing per pair of nodes.
func SplitEvenly(ctx context.Context, g *topology.Graph) (*EvenSplit, error) {
	n := g.Nodes()
	s := &splitter{
		g: g, back: g.Transpose(g.Name()), dist: make([]int32, n), queue: make([]int32, n),
		passes: make([]float64, n), load: make([]float64, g.Bundles()),
	}
	group, symmetric := g.Symmetry()
	destinations := n
	if symmetric {
		destinations = 1
	}
	for d := range destinations {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := s.towards(d); err != nil {
			return nil, err
		}
	}
	if symmetric {
		s.gather(group)
	}
	return s.peak(), nil
}

// splitter adds up the loads of the bundles.
type splitter struct {
	g, back     *topology.Graph
	dist, queue []int32
	passes      []float64 // what every node sends or forwards to one destination
	load        []float64 // by bundle
	hops        int
}

// towards adds what all nodes send to one destination, from the farthest node to the nearest,
// so that everything that a node forwards has arrived when it is its turn.
func (s *splitter) towards(destination int) error {
	reached := s.back.Distances(destination, s.dist, s.queue)
	if len(reached) < s.g.Nodes() {
		return fmt.Errorf("%s does not lead from every node to every other", s.g.Name())
	}
	s.hops = max(s.hops, int(s.dist[reached[len(reached)-1]]))
	for i := range s.passes {
		s.passes[i] = 1
	}
	for i := len(reached) - 1; i > 0; i-- {
		u := int(reached[i])
		to, count := s.g.Row(u)
		closer := 0.0
		for j, v := range to {
			if s.dist[v] == s.dist[u]-1 {
				closer += float64(count[j])
			}
		}
		first := s.g.RowStart(u)
		for j, v := range to {
			if s.dist[v] == s.dist[u]-1 {
				part := s.passes[u] * float64(count[j]) / closer
				s.passes[v] += part
				s.load[first+j] += part
			}
		}
	}
	return nil
}

// gather converts the loads towards one destination to those towards all: every bundle carries
// for some destination what each other bundle of its orbit carries for this one.
func (s *splitter) gather(group topology.Translations) {
	sum := make([]float64, s.g.Nodes()) // by the end of a bundle when its start is moved to node 0
	for e := range s.g.Edges() {
		k, _ := group.Locate(e.From)
		sum[group.Back(k, e.To)] += s.load[s.g.Find(e.From, e.To)]
	}
	for e := range s.g.Edges() {
		k, _ := group.Locate(e.From)
		s.load[s.g.Find(e.From, e.To)] = sum[group.Back(k, e.To)]
	}
}

func (s *splitter) peak() *EvenSplit {
	result := &EvenSplit{Hops: s.hops}
	i := 0
	for e := range s.g.Edges() {
		result.Load = max(result.Load, s.load[i]/float64(e.Count))
		i++
	}
	return result
}
