package pricing

import (
	"crypto/sha256"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/topology"
)

// Candidate is a topology that a stage may have. A directed ring of equal jumps is stored as its
// jump until a plan needs its circuits: at 1024 GPUs there are 1023 such rings, and the cost of a
// rotation on them has a closed form. Other circulants, which are as numerous, are stored as
// their jumps, which determine the distances between nodes.
type Candidate struct {
	N     int
	Jump  Jumper          // the zero value: not a ring of equal jumps
	Jumps []int           // of another circulant without loops, ascending; nil: not one
	Kin   bool            // that circulant is a relative of the base
	Name  string          // of that circulant; "": the default, which lists its jumps
	Graph *topology.Graph // nil until needed, if there are jumps or a translate

	Translate *translate // set if it is a translate of the base
	lows      []float64  // bounds by leastShifted, 0: not yet known, or by leastByDistance; per class

	Next  *flow.Successor // set if every node has one successor
	Known Judgements      // empty with a closed form
	Own   *OwnCircuits    // circuits of few pairs; nil: others

	floors struct { // for a graph that looks the same from every node
		looked bool
		known  *flow.Floors
	}
	digested *[sha256.Size]byte // nil until needed
	// wires says where its circuits differ; nil until needed.
	wires  *fabric.Uneven
	wired  bool                                     // wires has been determined
	groups []struct{ of, is topology.Translations } // cache of within
	// rotation says whether all rotations leave the circuits as they are.
	rotation struct{ looked, holds bool }
}

// within returns the subgroup that leaves the circuits as they are. It caches the result, since
// steps have few different groups.
func (c *Candidate) within(group topology.Translations) topology.Translations {
	for _, k := range c.groups {
		if k.of.Equal(group) {
			return k.is
		}
	}
	is := group
	switch {
	case group.Trivial():
		is = topology.Translations{}
	case c.Jumps == nil || len(group.Dims) != 1:
		is = group.Within(c.Topology())
	}
	c.groups = append(c.groups, struct{ of, is topology.Translations }{group, is})
	return is
}

// Rotates reports whether all rotations leave the circuits as they are.
func (c *Candidate) Rotates() bool {
	if !c.rotation.looked {
		holds := c.Jumps != nil
		if !holds {
			_, holds = c.Topology().Jumps()
		}
		c.rotation.looked, c.rotation.holds = true, holds
	}
	return c.rotation.holds
}

// floor returns bounds that no routing beats; nil: the circuits do not look the same from every
// node.
func (c *Candidate) floor() *flow.Floors {
	if !c.floors.looked {
		c.floors.looked = true
		switch {
		case c.Jumps != nil:
			c.floors.known = flow.CirculantFloors(c.N, c.Jumps)
		case c.Translate != nil:
			c.floors.known = c.Translate.floors()
		default:
			c.floors.known, _ = flow.NewFloors(c.Topology())
		}
	}
	return c.floors.known
}

// GraphCandidate returns the candidate for a graph. It recognises rings of equal jumps and other
// circulants.
func GraphCandidate(g *topology.Graph) *Candidate {
	jumps, circulant := g.Jumps()
	if circulant && EqualJumps(jumps) {
		c := RingCandidate(g.Nodes(), jumps[0], len(jumps))
		c.Graph = g
		return c
	}
	c := &Candidate{N: g.Nodes(), Graph: g}
	if circulant && len(jumps) > 0 && jumps[0] != 0 {
		c.Jumps = jumps
	}
	c.Next, _ = flow.NewSuccessor(g)
	return c
}

// EqualJumps reports whether all jumps are the same and not a loop.
func EqualJumps(jumps []int) bool {
	for _, j := range jumps {
		if j != jumps[0] {
			return false
		}
	}
	return len(jumps) > 0 && jumps[0] != 0
}

// RingCandidate is the topology in which every node has count circuits to the node
// jump further on.
func RingCandidate(n, jump, count int) *Candidate {
	return &Candidate{N: n, Jump: newJumper(n, jump, count)}
}

// Topology returns the circuits.
func (c *Candidate) Topology() *topology.Graph {
	switch {
	case c.Graph != nil:
	case c.Translate != nil:
		c.Graph = c.Translate.Graph()
	case c.Own != nil:
		c.Graph = c.Own.graph(c.N)
	}
	if c.Graph == nil {
		jumps := c.Jumps
		if jumps == nil {
			jumps = slices.Repeat([]int{c.Jump.Jump}, c.Jump.Count)
		}
		if half, ok := TwoWay(c.N, jumps); ok && c.Jumps != nil {
			c.Graph = topology.Circulant(c.N, half...)
		} else {
			c.Graph = topology.DirectedCirculant(c.N, jumps...)
		}
		if c.Name != "" {
			c.Graph = c.Graph.Named(c.Name)
		}
	}
	return c.Graph
}

// CirculantCandidate is the circulant with the given jumps, which ascend, differ and are no loops.
func CirculantCandidate(n int, jumps []int) *Candidate { return &Candidate{N: n, Jumps: jumps} }

// Same reports whether both hold the same circuits.
func (c *Candidate) Same(d *Candidate) bool {
	if c == d {
		return true
	}
	if c.Jump.Count > 0 || d.Jump.Count > 0 {
		return c.Jump == d.Jump
	}
	if c.Jumps != nil && d.Jumps != nil {
		return slices.Equal(c.Jumps, d.Jumps)
	}
	if to, count, ok := c.first(); ok {
		if others, counts, ok := d.first(); ok && (!slices.Equal(to, others) || !slices.Equal(count, counts)) {
			return false // known without building the circuits
		}
	}
	return c.Topology().Equal(d.Topology())
}

// first returns the circuits of node 0, if they are known without building the others.
func (c *Candidate) first() (to, count []int32, ok bool) {
	switch {
	case c.Graph != nil:
		to, count = c.Graph.Row(0)
	case c.Translate != nil:
		to, count = c.Translate.To, c.Translate.count
	default:
		return nil, nil, false
	}
	return to, count, true
}

// Jumper computes in constant time how many jumps lead to an offset.
type Jumper struct {
	Jump, Count         int
	gcd, cycle, inverse int // offsets are multiples of gcd; inverse jumps lead to gcd
}

func newJumper(n, jump, count int) Jumper {
	gcd := arithmetic.GCD(n, jump)
	inverse, _ := flow.CirculantHops(n, jump, gcd)
	return Jumper{Jump: jump, Count: count, gcd: gcd, cycle: n / gcd, inverse: inverse}
}

// hops returns the jumps to an offset in 1..n-1, or 0 if none lead there.
func (j *Jumper) hops(offset int) int {
	if offset%j.gcd != 0 {
		return 0
	}
	// Both factors are below n <= 2^16, so the product does not overflow.
	return offset / j.gcd * j.inverse % j.cycle
}

// load returns the load of demands on the ring if all rotations leave them as they are: every
// circuit carries each demand once for every hop that it takes.
func (j *Jumper) load(class *Class) (flow.Load, bool) {
	var load flow.Load
	for i, offset := range class.Offsets {
		hops := j.hops(offset)
		if hops == 0 {
			return load, false
		}
		bytes := float64(hops) * class.Demands[i].Amount / float64(j.Count)
		load.Peak += bytes
		load.Hops = max(load.Hops, hops)
		load.Dilation = max(load.Dilation, bytes)
	}
	return load, true
}

// onRing returns the load of a class's demands on a ring of equal jumps. Every place of a cycle
// holds the bytes that begin there less those that end there, and one walk sums them up. onRing
// needs no flow.Successor; otherwise a pool would keep one for every ring. If senders or receivers
// are equally spaced, one of them determines the load.
func (w *Workload) onRing(j *Jumper, class *Class) (flow.Load, bool) {
	n := j.gcd * j.cycle
	if load, connected, known := w.evenOnRing(j, class); known {
		return load, connected
	}
	if len(w.arcs) < n {
		w.arcs = make([]float64, n)
	}
	arcs := w.arcs[:n]
	load, ok := w.hopsOnRing(j, class, n)
	if !ok {
		return load, false
	}
	if !w.streams && len(class.All())*fewOnRing < n {
		load.Peak = w.fewOnRing(j, class, arcs) / float64(j.Count)
		return load, true
	}
	clear(arcs)
	w.addOnRing(j, class, arcs)
	most := 0.0
	for first := 0; first < n; first += j.cycle {
		bytes := 0.0
		for _, change := range arcs[first : first+j.cycle] {
			if bytes += change; bytes > most {
				most = bytes
			}
		}
	}
	load.Peak = most / float64(j.Count)
	return load, true
}

// fewOnRing is the ratio of places to demands above which onRing visits only the places at which
// a demand begins or ends, which it must sort.
const fewOnRing = 16

// fewOnRing returns the most bytes on a circuit of the ring for few demands. It adds the same
// numbers in the same order as a walk over all places, since places at which nothing begins or
// ends add nothing.
func (w *Workload) fewOnRing(j *Jumper, class *Class, arcs []float64) float64 {
	w.places = w.places[:0]
	for i, d := range class.All() {
		first, from, to := j.places(d.Src, w.hops[class.far.of[i]])
		if to < from {
			w.places = append(w.places, first)
		}
		w.places = append(w.places, first+from, first+to)
	}
	slices.Sort(w.places)
	w.places = slices.Compact(w.places)
	for _, at := range w.places {
		arcs[at] = 0
	}
	w.addOnRing(j, class, arcs)
	most, bytes, cycle, ends := 0.0, 0.0, uint32(j.cycle), uint32(0)
	for _, at := range w.places {
		if at >= ends { // another cycle
			bytes, ends = 0, at-at%cycle+cycle
		}
		if bytes += arcs[at]; bytes > most {
			most = bytes
		}
	}
	return most
}

// hopsOnRing returns the hops and the dilation of a class's demands on a ring of n nodes, and
// keeps the hops of each offset in w.hops. It reports false if a pair is not connected.
func (w *Workload) hopsOnRing(j *Jumper, class *Class, n int) (flow.Load, bool) {
	var load flow.Load
	w.hops = w.hops[:0]
	for _, s := range w.apart(class, n).sums {
		hops := j.hops(s.offset)
		if hops == 0 {
			return load, false
		}
		load.Hops = max(load.Hops, hops)
		load.Dilation = max(load.Dilation, float64(hops)*s.most/float64(j.Count))
		w.hops = append(w.hops, uint32(hops))
	}
	return load, true
}

// addOnRing adds the bytes that begin and end at every place of a ring to arcs. It needs the
// result of hopsOnRing.
func (w *Workload) addOnRing(j *Jumper, class *Class, arcs []float64) {
	along := func(src int, hops uint32, amount float64) {
		first, from, to := j.places(src, hops)
		arcs[first+from] += amount
		if to < from {
			arcs[first] += amount
		}
		arcs[first+to] -= amount
	}
	if w.streams {
		n := len(arcs)
		for d := range w.whole(class) {
			offset := d.Dst - d.Src
			if offset < 0 {
				offset += n
			}
			along(d.Src, uint32(j.hops(offset)), d.Amount)
		}
		return
	}
	for i, d := range class.All() {
		along(d.Src, w.hops[class.far.of[i]], d.Amount)
	}
}

// places returns the first place of the cycle of node src, and how many jumps after it a transfer
// from src over hops hops begins and ends. hops must be less than the cycle's length. to is less
// than from if the transfer passes the first place.
func (j *Jumper) places(src int, hops uint32) (first, from, to uint32) {
	// first is where cycle u mod gcd begins; from counts the jumps that lead to u/gcd in it.
	// Numbers are below n <= 2^16, so their products fit.
	gcd, cycle := uint32(j.gcd), uint32(j.cycle)
	first = uint32(src) % gcd * cycle
	from = uint32(src) / gcd * uint32(j.inverse) % cycle
	if to = from + hops; to >= cycle {
		to -= cycle
	}
	return first, from, to
}

// TwoWay returns the jumps below n/2 if the other jumps lead back over them, so that the
// circulant is two-way.
func TwoWay(n int, jumps []int) (half []int, ok bool) {
	for i, j := range jumps { // ascending: the first pairs with the last, and so on
		if j+jumps[len(jumps)-1-i] != n || 2*j == n {
			return nil, false
		}
	}
	return jumps[:len(jumps)/2], len(jumps)%2 == 0
}
