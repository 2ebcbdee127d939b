package pricing

import "github.com/lightpath-net/lightpath/fabric"

// LeastMatched returns a lower bound in ns on all steps on circuits that match them, each divided
// into matchings if it needs more circuits than there are ports. It divides nothing: the steps of
// an all-to-all among thousands of GPUs have millions of transfers when they are divided.
//
// A part takes a start-up and a hop, and gives a node no more peers than ports. With one two-way
// port, a node has one peer at a time, and nothing takes a detour: so the time of its bytes is
// that of all peers together, each of the way that has more.
func (w *Workload) LeastMatched() float64 {
	least := make([]float64, len(w.Classes))
	for i := range w.Classes {
		least[i] = max(w.LeastOf(i), w.Classes[i].leastMatched(w.Fabric.Ideal()))
	}
	sum := 0.0
	for _, class := range w.ClassOf {
		sum += least[class]
	}
	return sum
}

// leastMatched is LeastMatched for the step of a class.
func (c *Class) leastMatched(f *fabric.Fabric) float64 {
	if f.Tiered() {
		return 0 // peers of an island need no circuits
	}
	peers := degree(c.Step, f.Duplex)
	parts := float64((peers + f.Ports - 1) / f.Ports)
	least := parts * float64(f.Alpha.Time()+f.Delta.Time())
	if f.Duplex && f.Ports == 1 {
		least += float64(f.Bandwidth.Transmit(c.busiestPairs()))
	}
	return least
}

// busiestPairs returns the most bytes that a node exchanges with all peers together, counting for
// each peer the way that has more.
func (c *Class) busiestPairs() float64 {
	type pair struct{ node, peer int } // moved so that the node stands for its orbit
	sends, receives := map[pair]float64{}, map[pair]float64{}
	for _, d := range c.Demands {
		k, home := c.Step.Group.Locate(d.Src)
		sends[pair{home, c.Step.Group.Back(k, d.Dst)}] += d.Amount
		k, home = c.Step.Group.Locate(d.Dst)
		receives[pair{home, c.Step.Group.Back(k, d.Src)}] += d.Amount
	}
	sums, most := map[int]float64{}, 0.0
	add := func(p pair, bytes float64) {
		sums[p.node] += bytes
		most = max(most, sums[p.node])
	}
	for p, bytes := range sends {
		add(p, max(bytes, receives[p]))
	}
	for p, bytes := range receives {
		if sends[p] == 0 {
			add(p, bytes)
		}
	}
	return most
}
