package fabric

import (
	"cmp"
	"maps"
	"slices"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Circuits gives the properties of the circuits between two GPUs if circuits differ. A circuit
// of the base has the same properties in every stage that contains it.
type Circuits struct {
	bandwidth units.Bandwidth
	delay     units.Duration
	links     map[[2]int]Link // of the setting Links; read-only
}

// Circuits returns the properties of circuits, nil if all are equal.
func (f *Fabric) Circuits() *Circuits {
	if f.Links.IsZero() {
		return nil
	}
	return &Circuits{f.Bandwidth, f.Delta, f.Links.read.of}
}

// List returns the entries of the setting links, by the GPUs that circuits lead from and to.
func (c *Circuits) List() []Link {
	list := make([]Link, 0, len(c.links))
	list = slices.AppendSeq(list, maps.Values(c.links))
	slices.SortFunc(list, func(a, b Link) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	return list
}

// Len returns the number of pairs of GPUs whose circuits differ.
func (c *Circuits) Len() int { return len(c.links) }

// Of returns the bandwidth and the delay of one circuit from a GPU to another.
func (c *Circuits) Of(from, to int) (units.Bandwidth, units.Duration) {
	bandwidth, delay := c.bandwidth, c.delay
	if l, ok := c.links[[2]int{from, to}]; ok {
		if l.Bandwidth > 0 {
			bandwidth = l.Bandwidth
		}
		if l.Delayed {
			delay = l.Delay
		}
	}
	return bandwidth, delay
}

// Differ reports whether a topology has a circuit that differs from the others.
func (c *Circuits) Differ(g *topology.Graph) bool {
	for pair := range c.links {
		if g.Count(pair[0], pair[1]) > 0 {
			return true
		}
	}
	return false
}

// Ideal returns the fabric with all circuits as good as the best in each respect: no plan is
// faster than it would be there.
func (f *Fabric) Ideal() *Fabric {
	if f.Links.IsZero() {
		return f
	}
	ideal := *f
	ideal.Links = Links{}
	c := f.Circuits()
	for pair := range c.links {
		bandwidth, delay := c.Of(pair[0], pair[1])
		ideal.Bandwidth, ideal.Delta = max(ideal.Bandwidth, bandwidth), min(ideal.Delta, delay)
	}
	return &ideal
}

// Uneven are the circuits of a topology in which circuits differ.
type Uneven struct {
	*Circuits
	// Shares counts every circuit as its bandwidth in units of Unit: bytes of a bundle over its
	// shares are then what Unit sends in the time that the bundle takes.
	Shares *topology.Graph
	Unit   units.Bandwidth
	// Kinds has the same bundles, with equal counts if number, bandwidth and delay of the circuits
	// are equal: its symmetries are those of the wires.
	Kinds *topology.Graph
	// Least and Most are the shortest and the longest delay of a circuit.
	Least, Most units.Duration
}

// On returns the properties of a topology's circuits.
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
		common = arithmetic.GCD(common, int64(k.bandwidth))
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

// Flight returns how long a byte travels along a path.
func (w *Uneven) Flight(path []int32) units.Time {
	sum := units.Time(0)
	for h := 1; h < len(path); h++ {
		_, delay := w.Of(int(path[h-1]), int(path[h]))
		sum += delay.Time()
	}
	return sum
}
