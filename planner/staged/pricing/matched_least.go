package pricing

import (
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
)

// LeastMatched returns a lower bound in ns on all steps on circuits that match them, each divided
// into matchings if it needs more circuits than there are ports, and the least number of these
// matchings. It divides nothing: the steps of an all-to-all among thousands of GPUs have millions
// of transfers when they are divided.
//
// A part takes a start-up and a hop, and gives a node no more peers than ports. With one two-way
// port, a node has one peer at a time, and nothing takes a detour: so the time of its bytes is
// that of all peers together, each of the way that has more.
func (w *Workload) LeastMatched() (least float64, matchings int) {
	times, parts := make([]float64, len(w.Classes)), make([]int, len(w.Classes))
	for i := range w.Classes {
		times[i], parts[i] = w.Classes[i].leastMatched(w.Fabric.Ideal())
		times[i] = max(times[i], w.LeastOf(i))
	}
	for _, class := range w.ClassOf {
		if least += times[class]; parts[class] > 1 {
			matchings += parts[class]
		}
	}
	return least, matchings
}

// leastMatched is LeastMatched for the step of a class, which may be one matching.
func (c *Class) leastMatched(f *fabric.Fabric) (least float64, parts int) {
	if f.Tiered() {
		return 0, 1 // peers of an island need no circuits
	}
	parts = arithmetic.CeilDiv(degree(c.Step, f.Duplex), f.Ports)
	least = float64(parts) * float64(f.Alpha.Time()+f.Delta.Time())
	if f.Duplex && f.Ports == 1 {
		least += float64(f.Bandwidth.Transmit(c.busiestPairs()))
	}
	return least, parts
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
