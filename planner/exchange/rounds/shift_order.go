package rounds

// ShiftOrder returns the jumps of the paper's topology sequence for one port (section 4.3): the
// ring, the shift by n-1, then 2, 3, 4 and so on. The paper prefers shifts that keep one cycle
// through all nodes and finds the order not to be critical as long as n-1 comes early; this
// order reproduces its ratios of 2.22 (64 nodes) and 4.54 (up to 4096).
func ShiftOrder(nodes int) []int {
	order := make([]int, 0, nodes-1)
	order = append(order, 1)
	if nodes > 2 {
		order = append(order, nodes-1)
	}
	for j := 2; j < nodes-1; j++ {
		order = append(order, j)
	}
	return order
}
