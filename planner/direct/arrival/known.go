package arrival

// Of returns the times of a bandwidth-optimal allgather on one of the topologies that are
// stored as data because Zhao et al. only draw them: Diamond, DBJMod(2,3), DBJMod(2,4),
// DBJMod(3,2), DBJMod(4,2), and Transpose(..) of each, whose allgather run backwards is the
// reduce-scatter on the topology itself. The number of steps is that of Table 9 of the paper.
// On these topologies breadth-first broadcast is not optimal.
func Of(expr string) (Times, bool) {
	rows, ok := searched[expr]
	if !ok {
		return nil, false
	}
	times := make(Times, len(rows))
	for u, row := range rows {
		times[u] = make([]int, len(row))
		for v, digit := range []byte(row) {
			times[u][v] = int(digit - '0')
		}
	}
	return times, true
}
