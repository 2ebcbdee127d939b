package topology

// Fingerprint is a number that graphs with the same circuits share, and others hardly ever
// do: the sum of the numbers of their circuits. It finds graphs in a table; Equal decides.
func (g *Graph) Fingerprint() uint64 {
	sum := uint64(0)
	for e := range g.Edges() {
		sum += uint64(e.Count) * CircuitFingerprint(e.From, e.To)
	}
	return sum
}

// CircuitFingerprint makes a number of a circuit in which every bit depends on all of both
// ends (the finaliser of SplitMix64, Steele, Lea and Flood 2014). The numbers of circuits
// add up to that of a graph.
func CircuitFingerprint(from, to int) uint64 {
	x := (uint64(from)<<32 | uint64(to)) + 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
