package boundtest

import "math"

// Step is a step of a broadcast: how many hops data may travel, and the number of
// circuits[u][v] from u to v.
type Step struct {
	Hops     int
	Circuits [][]int
}

// BroadcastLoad returns the least sum, over steps, of the busiest circuit's load, in buffers,
// for a broadcast from GPU 0 over given circuits. The two results differ by rounding. It
// returns +Inf if data cannot get everywhere.
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

// SumLoad returns the least number of circuits that one byte position of an allreduce uses over
// given circuits, if sums may overlap and be added again: no plan uses fewer. It returns +Inf
// if data cannot get everywhere.
func SumLoad(steps []Step) float64 {
	n := len(steps[0].Circuits)
	states := map[knowing]float64{}
	first := knowing(0)
	for u := range n {
		first |= 1 << (u*n + u)
	}
	states[first] = 0
	for _, step := range steps {
		s := sums{n: n, far: newGraph(step.Circuits).distances()}
		next := map[knowing]float64{}
		for state, passed := range states {
			choices := make([][]arrival, n)
			for v := range n {
				choices[v] = s.arrivals(state, v, min(step.Hops, n-1)) // n: there is no way
			}
			var combine func(v int, after knowing, paths float64)
			combine = func(v int, after knowing, paths float64) {
				if v == n {
					if before, ok := next[after]; !ok || paths < before {
						next[after] = paths
					}
					return
				}
				for _, a := range choices[v] {
					combine(v+1, after|a.row<<(v*n), paths+a.paths)
				}
			}
			combine(0, state, passed)
		}
		states = next
	}
	if least, ok := states[1<<(n*n)-1]; ok {
		return least
	}
	return math.Inf(1)
}
