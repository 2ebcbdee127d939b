package topology

// Fingerprint returns a hash of the circuits: the sum of their CircuitFingerprints. Graphs with
// the same circuits share it, and others hardly ever do. It finds graphs in a table; Equal
// decides.
func (g *Graph) Fingerprint() uint64 {
	sum := uint64(0)
	for e := range g.Edges() {
		sum += uint64(e.Count) * CircuitFingerprint(e.From, e.To)
	}
	return sum
}

// CircuitFingerprint returns a hash of a circuit in which every bit depends on all bits of both
// ends (the finaliser of SplitMix64, Steele, Lea and Flood 2014). The hashes of the circuits
// add up to the fingerprint of a graph.
func CircuitFingerprint(from, to int) uint64 {
	x := (uint64(from)<<32 | uint64(to)) + 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
