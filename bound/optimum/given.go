package optimum

// Step is one of a broadcast: how many hops data may go, and circuits[u][v] from u to v.
type Step struct {
	Hops     int
	Circuits [][]int
}

// BroadcastLoad returns the least sum over steps of the busiest circuit's load, in buffers, for a
// broadcast from GPU 0 over given circuits, between two numbers that differ by rounding; +Inf if
// data do not get everywhere.
func BroadcastLoad(steps []Step) (lower, upper float64) {
	n := len(steps[0].Circuits)
	all := make([][]int, n)
	for u := range all {
		all[u] = make([]int, n)
		for _, s := range steps {
			for v, count := range s.Circuits[u] {
				all[u][v] = max(all[u][v], count)
			}
		}
	}
	x := &spreads{g: newGraph(all), demands: []demand{{0, (uint(1)<<n - 1) &^ 1, 1}}}
	for _, s := range steps {
		up := make([]int, len(x.g.arcs))
		for i, a := range x.g.arcs {
			up[i] = s.Circuits[a.from][a.to]
		}
		x.hops, x.set = append(x.hops, s.Hops), append(x.set, up)
	}
	return x.load()
}
