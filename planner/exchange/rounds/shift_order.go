package rounds

import "github.com/lightpath-net/lightpath/planner/exchange/model"

// ShiftOrder returns the jumps of the paper's topology sequence for one port (section
// 4.3): the ring, the shift by n-1, then shifts that keep one cycle through all nodes,
// then the others. The paper leaves the order within these open and finds it not to be
// critical; here it is ascending.
func ShiftOrder(nodes int) []int {
	order := make([]int, 0, nodes-1)
	order = append(order, 1)
	if nodes > 2 {
		order = append(order, nodes-1)
	}
	for _, whole := range []bool{true, false} {
		for j := 2; j < nodes-1; j++ {
			if (model.GCD(nodes, j) == 1) == whole {
				order = append(order, j)
			}
		}
	}
	return order
}
