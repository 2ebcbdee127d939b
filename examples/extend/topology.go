package extend

import (
	"fmt"

	"github.com/lightpath-net/lightpath/topology"
)

// Ladder is a family of topologies: Ladder(m) is the Moebius ladder, a ring of m nodes in
// which every node is joined to the one opposite. m is even.
func Ladder() topology.Family {
	return topology.Family{
		Name: "Ladder", Usage: "Ladder(m)", Least: 1, Most: 1,
		Size: func(numbers []int) (nodes, degree int, err error) {
			if m := numbers[0]; m < 4 || m%2 != 0 {
				return 0, 0, fmt.Errorf("m must be even and at least 4, not %d", m)
			}
			return numbers[0], 3, nil
		},
		Build: func(numbers []int) (*topology.Graph, error) {
			m := numbers[0]
			var edges []topology.Edge
			for u := range m {
				for _, v := range []int{(u + 1) % m, (u + m - 1) % m, (u + m/2) % m} {
					edges = append(edges, topology.Edge{From: u, To: v, Count: 1})
				}
			}
			return topology.New(m, "", edges), nil
		},
	}
}
