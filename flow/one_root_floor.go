package flow

// RootFloor is Floor for a step in which one node sends to others, or receives from them, where
// it does not matter over which shortest paths: one search from the root finds all distances and
// a tree of such paths, where Floor takes a search for every destination. It reports false for
// another step.
func RootFloor(p Problem) (floor, shortest Load, ok bool) {
	r, ok := newOneRoot(&p)
	if !ok {
		return Load{}, Load{}, false
	}
	bytes := make([]float64, len(r.amount)) // that pass a node
	length := make([]float64, len(r.amount))
	copy(bytes, r.amount)
	before := make([]int32, len(r.amount)) // index of the last hop in r.in
	order := r.g.Distances(int(r.root), r.dist, make([]int32, 0, len(r.amount)))
	circuits := func(v int32) float64 {
		u, b := r.in.from[before[v]], int(r.in.bundle[before[v]])
		_, count := r.g.Row(int(u))
		return float64(count[b-r.g.RowStart(int(u))])
	}
	for _, v := range order[1:] {
		for i := r.in.start[v]; i < r.in.start[v+1]; i++ {
			if u := r.in.from[i]; r.dist[u] >= 0 && r.dist[u] == r.dist[v]-1 {
				before[v] = i
				break
			}
		}
		length[v] = length[r.in.from[before[v]]] + 1/circuits(v)
		if r.amount[v] > 0 {
			shortest.Dilation = max(shortest.Dilation, r.unit*r.amount[v]*length[v])
		}
	}
	for k := len(order) - 1; k > 0; k-- {
		v := order[k]
		bytes[r.in.from[before[v]]] += bytes[v]
		shortest.Peak = max(shortest.Peak, r.unit*bytes[v]/circuits(v))
	}
	shortest.Hops = r.hops
	if bound := r.unit * r.countingBound(); !meets(shortest.Peak, bound) {
		return Load{Peak: bound, Hops: r.hops}, shortest, true
	}
	return shortest, shortest, true
}
