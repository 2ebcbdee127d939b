package fabric

import (
	"github.com/lightpath-net/lightpath/internal/gcd"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Uneven are the circuits of one topology that are not all alike.
type Uneven struct {
	*Circuits
	// Shares has every circuit as so many as it has times the bandwidth Unit: bytes of a
	// bundle over its shares are then what Unit sends in the time that the bundle takes.
	Shares *topology.Graph
	Unit   units.Bandwidth
	// Kinds has the same bundles, with equal counts where number, bandwidth and delay of the
	// circuits are equal: its symmetries are those of the wires.
	Kinds *topology.Graph
	// Least and Most are the shortest and the longest delay of a circuit.
	Least, Most units.Duration
}

// On returns the circuits of a topology as wires.
func (c *Circuits) On(g *topology.Graph) *Uneven {
	type kind struct {
		count     int
		bandwidth units.Bandwidth
		delay     units.Duration
	}
	common := int64(0)
	w := &Uneven{Circuits: c, Unit: c.bandwidth}
	kinds := map[kind]int{}
	marked := make([]topology.Edge, 0, g.Bundles())
	for e := range g.Edges() {
		k := kind{count: e.Count}
		k.bandwidth, k.delay = c.Of(e.From, e.To)
		if len(marked) == 0 {
			w.Least = k.delay
		}
		common = gcd.Of(common, int64(k.bandwidth))
		w.Least, w.Most = min(w.Least, k.delay), max(w.Most, k.delay)
		if kinds[k] == 0 {
			kinds[k] = len(kinds) + 1
		}
		marked = append(marked, topology.Edge{From: e.From, To: e.To, Count: kinds[k]})
	}
	w.Kinds = topology.New(g.Nodes(), g.Name(), marked)
	if common > 0 {
		w.Unit = units.Bandwidth(common)
	}
	shares := make([]topology.Edge, 0, g.Bundles())
	for e := range g.Edges() {
		bandwidth, _ := c.Of(e.From, e.To)
		shares = append(shares, topology.Edge{From: e.From, To: e.To, Count: e.Count * int(bandwidth/w.Unit)})
	}
	w.Shares = topology.New(g.Nodes(), g.Name(), shares)
	return w
}

// Flight returns how long a byte is on its way over a path.
func (w *Uneven) Flight(path []int32) units.Time {
	sum := units.Time(0)
	for h := 1; h < len(path); h++ {
		_, delay := w.Of(int(path[h-1]), int(path[h]))
		sum += delay.Time()
	}
	return sum
}
