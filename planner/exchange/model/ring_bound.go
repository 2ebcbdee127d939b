package model

// ringBytes returns what the busiest circuit carries at least if nodes have one port and keep
// their circuits, in bytes.
//
// Nodes that send to one another, directly or by others that do, are on one ring. Of any two of
// them the way there and the way back make up that ring once. So a third passes on either what goes
// there or what goes back, the smaller at least, besides what is its own.
func ringBytes(demand Demand) float64 {
	n := demand.Nodes()
	both := func(u, v int) int { return min(demand.Count(u, v), demand.Count(v, u)) }
	ring := make([]int, n) // one node for all on a ring
	for u := range ring {
		ring[u] = u
	}
	find := func(u int) int {
		for ring[u] != u {
			ring[u] = ring[ring[u]]
			u = ring[u]
		}
		return u
	}
	for u := range n {
		for v := range u {
			if both(u, v) > 0 {
				ring[find(u)] = find(v)
			}
		}
	}
	passing, own := make([]float64, n), make([]float64, n) // of all pairs, by ring; by node
	for u := range n {
		for v := range u {
			amount := float64(both(u, v))
			passing[find(u)] += amount
			own[u] += amount
			own[v] += amount
		}
	}
	most := 0.0
	for u := range n {
		sent, received := 0.0, 0.0
		for v := range n {
			if u != v {
				sent, received = sent+float64(demand.Count(u, v)), received+float64(demand.Count(v, u))
			}
		}
		most = max(most, max(sent, received)+passing[find(u)]-own[u])
	}
	return most
}
