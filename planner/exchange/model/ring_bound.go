package model

// ringBytes returns a lower bound on the bytes of the busiest circuit if nodes have one port
// and keep their circuits.
//
// Nodes that send to one another, directly or through others that do, are on one ring. For any
// two of them, the way there and the way back together make up that ring once. So a third node
// on the ring passes on either what goes there or what goes back, at least the smaller of the
// two, besides its own data.
func ringBytes(demand Demand) float64 {
	n := demand.Nodes()
	both := func(u, v int) int { return min(demand.Count(u, v), demand.Count(v, u)) }
	ring := make([]int, n) // one node that stands for all nodes on a ring
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
