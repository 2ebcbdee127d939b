package extend

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/lightpath-net/lightpath/topology"
)

// coxeterNodes is how many triples of seven points are not lines of the Fano plane.
const coxeterNodes = 28

// Coxeter is a family with one member, Coxeter(28): the Coxeter graph, whose nodes are the
// triples of seven points that are not lines of the Fano plane, joined where they have no point
// in common. No cubic graph of 28 nodes has a smaller diameter than its 4. Searches for
// topologies learn of its member.
func Coxeter() topology.Family {
	return topology.Family{
		Name: "Coxeter", Usage: "Coxeter(28)", Least: 1, Most: 1,
		Size: func(numbers []int) (nodes, degree int, err error) {
			if numbers[0] != coxeterNodes {
				return 0, 0, fmt.Errorf("it has %d nodes, not %d", coxeterNodes, numbers[0])
			}
			return coxeterNodes, 3, nil
		},
		Build: func([]int) (*topology.Graph, error) {
			triples := offLines()
			var edges []topology.Edge
			for u, a := range triples {
				for v, b := range triples {
					if a&b == 0 {
						edges = append(edges, topology.Edge{From: u, To: v, Count: 1})
					}
				}
			}
			return topology.New(len(triples), "", edges), nil
		},
		Members: func(nodes, degree int) [][]int {
			if nodes == coxeterNodes && degree == 3 {
				return [][]int{{coxeterNodes}}
			}
			return nil
		},
	}
}

// offLines lists the triples as sets of bits. The lines are {k, k+1, k+3} modulo 7.
func offLines() []uint {
	var lines, triples []uint
	for k := range 7 {
		lines = append(lines, 1<<k|1<<((k+1)%7)|1<<((k+3)%7))
	}
	for set := range uint(1 << 7) {
		if bits.OnesCount(set) == 3 && !slices.Contains(lines, set) {
			triples = append(triples, set)
		}
	}
	return triples
}
