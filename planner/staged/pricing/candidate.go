package pricing

import (
	"crypto/sha256"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/topology"
)

// Candidate is a topology that a stage may have. A directed ring of equal jumps is
// kept as its jump alone until a plan needs its circuits: at 1024 GPUs there are
// 1023 of them, and the cost of a rotation on them has a closed form. So is another
// circulant, of which there are as many, kept as its jumps: they say how far nodes are.
type Candidate struct {
	N     int
	Jump  Jumper          // the zero value: not such a ring
	Jumps []int           // ascending, of another circulant without loops; nil: not one
	Kin   *Relative       // of that, where it is a relative of the base
	Name  string          // of that; "": the one that says its jumps
	Graph *topology.Graph // nil until it is needed, where there are jumps or a translate

	Translate *translate // of the base; nil: not one
	lows      []float64  // of leastShifted or LookTogether, per class; 0: not yet known

	Next  *flow.Successor // where every node has one successor
	Known []Judgement     // per class; nil with a closed form
	Own   *OwnCircuits    // of few pairs; nil: others

	floors struct { // of a graph that looks the same from every node
		looked bool
		known  *flow.Floors
	}
	digested *[sha256.Size]byte // once it was needed
	// wires says where circuits of it differ, once that was needed.
	wires  *fabric.Uneven
	wired  bool                                     // wires was looked for
	groups []struct{ of, is topology.Translations } // of within
	// rotation says whether all rotations leave the circuits as they are.
	rotation struct{ looked, holds bool }
}

// within returns the part of a group that leaves the circuits as they are. Steps have few
// different groups.
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

// floor answers what no routing beats; nil: the circuits do not look the same from every
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

// GraphCandidate recognises a ring of equal jumps and another circulant.
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

// EqualJumps reports whether there is one jump, however often.
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
			jumps = Repeat(c.Jump.Jump, c.Jump.Count)
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
			return false // and nothing has to be laid for that
		}
	}
	return c.Topology().Equal(d.Topology())
}

// first returns the circuits of node 0, if these are known without all others.
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

// Jumper answers in constant time how many jumps lead to an offset.
type Jumper struct {
	Jump, Count         int
	gcd, cycle, inverse int // offsets are multiples of gcd; inverse jumps lead to gcd
}

func newJumper(n, jump, count int) Jumper {
	gcd := n
	for a := jump; a != 0; {
		gcd, a = a, gcd%a
	}
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

// load is what demands that all rotations leave as they are put on the ring: every
// circuit carries each of them as often as it takes hops.
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

// onRing is what the demands of a class put on a ring of equal jumps: at every place of a
// cycle stands what begins there less what ends there, and one walk sums up. It takes no
// successor of its own, of which a pool would keep one for every ring. Where senders or receivers
// stand at equal distances, one of them says it all.
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

// fewOnRing is how many times as many places as demands a ring has where only those are looked at
// at which something begins or ends: they must be put in order.
const fewOnRing = 16

// fewOnRing returns the most bytes on a circuit of the ring for few demands. The sums are those of
// all places, in the same order: where nothing begins or ends, nothing is added.
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

// hopsOnRing returns the hops and the dilation of the demands of a class on a ring of n nodes, and
// keeps the hops of each offset. It reports false where a pair is not connected.
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

// addOnRing adds what begins and ends at every place of a ring to arcs, after hopsOnRing.
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

// places returns the place at which the cycle of a node begins, and how many jumps further on
// something begins and ends that the node sends over so many hops, fewer than the cycle has. It
// ends before it begins where it passes the first place.
func (j *Jumper) places(src int, hops uint32) (first, from, to uint32) {
	// The cycle of u mod gcd begins there, and u is as many jumps on as lead to u/gcd. Numbers are
	// below n <= 2^16, and so their products fit.
	gcd, cycle := uint32(j.gcd), uint32(j.cycle)
	first = uint32(src) % gcd * cycle
	from = uint32(src) / gcd * uint32(j.inverse) % cycle
	if to = from + hops; to >= cycle {
		to -= cycle
	}
	return first, from, to
}

// TwoWay returns the jumps below n/2 if the others lead back over them, so that the
// circulant is a two-way one.
func TwoWay(n int, jumps []int) (half []int, ok bool) {
	for i, j := range jumps { // ascending: the first belongs to the last, and so on
		if j+jumps[len(jumps)-1-i] != n || 2*j == n {
			return nil, false
		}
	}
	return jumps[:len(jumps)/2], len(jumps)%2 == 0
}

// Moved applies a move to every jump and sorts them.
func Moved(jumps []int, move func(int) int) []int {
	out := make([]int, len(jumps))
	for i, j := range jumps {
		out[i] = move(j)
	}
	return out
}

// Repeat lists a jump count times.
func Repeat(jump, count int) []int {
	jumps := make([]int, count)
	for i := range jumps {
		jumps[i] = jump
	}
	return jumps
}
