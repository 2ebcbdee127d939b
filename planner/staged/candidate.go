package staged

import (
	"crypto/sha256"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/topology"
)

// candidate is a topology that a stage may have. A directed ring of equal jumps is
// kept as its jump alone until a plan needs its circuits: at 1024 GPUs there are
// 1023 of them, and the cost of a rotation on them has a closed form. So is another
// circulant, of which there are as many, kept as its jumps: they say how far nodes are.
type candidate struct {
	n     int
	jump  jumper          // the zero value: not such a ring
	jumps []int           // ascending, of another circulant without loops; nil: not one
	kin   *relative       // of that, where it is a relative of the base
	name  string          // of that; "": the one that says its jumps
	graph *topology.Graph // nil until it is needed, where there are jumps or a translate

	translate *translate // of the base; nil: not one
	lows      []float64  // of leastShifted, per class; 0: not yet known

	next  *flow.Successor // where every node has one successor
	known []judgement     // per class; nil with a closed form
	own   *ownCircuits    // of few pairs; nil: others

	floors struct { // of a graph that looks the same from every node
		looked bool
		known  *flow.Floors
	}
	digested *[sha256.Size]byte                       // once it was needed
	wires    *fabric.Wires                            // where circuits of it differ, once it was needed
	wired    bool                                     // wires was looked for
	groups   []struct{ of, is topology.Translations } // of within
	rotation struct{ looked, holds bool }             // whether all rotations leave the circuits as they are
}

// within returns the part of a group that leaves the circuits as they are. Steps have few
// different groups.
func (c *candidate) within(group topology.Translations) topology.Translations {
	for _, k := range c.groups {
		if slices.Equal(k.of.Dims, group.Dims) && slices.Equal(k.of.Stride, group.Stride) {
			return k.is
		}
	}
	is := group
	switch {
	case c.jumps == nil || len(group.Dims) != 1:
		is = group.Within(c.topology())
	case group.Trivial():
		is = topology.Translations{}
	}
	c.groups = append(c.groups, struct{ of, is topology.Translations }{group, is})
	return is
}

// rotates reports whether all rotations leave the circuits as they are.
func (c *candidate) rotates() bool {
	if !c.rotation.looked {
		holds := c.jumps != nil
		if !holds {
			_, holds = c.topology().Jumps()
		}
		c.rotation.looked, c.rotation.holds = true, holds
	}
	return c.rotation.holds
}

// floor answers what no routing beats; nil: the circuits do not look the same from every
// node.
func (c *candidate) floor() *flow.Floors {
	if !c.floors.looked {
		c.floors.looked = true
		switch {
		case c.jumps != nil:
			c.floors.known = flow.CirculantFloors(c.n, c.jumps)
		case c.translate != nil:
			c.floors.known = c.translate.floors()
		default:
			c.floors.known, _ = flow.NewFloors(c.topology())
		}
	}
	return c.floors.known
}

func graphCandidate(g *topology.Graph) *candidate {
	jumps, circulant := g.Jumps()
	if circulant && equalJumps(jumps) {
		c := ringCandidate(g.Nodes(), jumps[0], len(jumps))
		c.graph = g
		return c
	}
	c := &candidate{n: g.Nodes(), graph: g}
	if circulant && len(jumps) > 0 && jumps[0] != 0 {
		c.jumps = jumps
	}
	c.next, _ = flow.NewSuccessor(g)
	return c
}

func equalJumps(jumps []int) bool {
	for _, j := range jumps {
		if j != jumps[0] {
			return false
		}
	}
	return len(jumps) > 0 && jumps[0] != 0
}

// ringCandidate is the topology in which every node has count circuits to the node
// jump further on.
func ringCandidate(n, jump, count int) *candidate {
	return &candidate{n: n, jump: newJumper(n, jump, count)}
}

// topology returns the circuits.
func (c *candidate) topology() *topology.Graph {
	switch {
	case c.graph != nil:
	case c.translate != nil:
		c.graph = c.translate.graph()
	case c.own != nil:
		c.graph = c.own.graph(c.n)
	}
	if c.graph == nil {
		jumps := c.jumps
		if jumps == nil {
			jumps = repeat(c.jump.jump, c.jump.count)
		}
		if half, ok := twoWay(c.n, jumps); ok && c.jumps != nil {
			c.graph = topology.Circulant(c.n, half...)
		} else {
			c.graph = topology.DirectedCirculant(c.n, jumps...)
		}
		if c.name != "" {
			c.graph = c.graph.Named(c.name)
		}
	}
	return c.graph
}

// circulantCandidate is the circulant with the given jumps, which ascend, differ and are no loops.
func circulantCandidate(n int, jumps []int) *candidate { return &candidate{n: n, jumps: jumps} }

// same reports whether both hold the same circuits.
func (c *candidate) same(d *candidate) bool {
	if c == d {
		return true
	}
	if c.jump.count > 0 || d.jump.count > 0 {
		return c.jump == d.jump
	}
	if c.jumps != nil && d.jumps != nil {
		return slices.Equal(c.jumps, d.jumps)
	}
	if to, count, ok := c.first(); ok {
		if others, counts, ok := d.first(); ok && (!slices.Equal(to, others) || !slices.Equal(count, counts)) {
			return false // and nothing has to be laid for that
		}
	}
	return c.topology().Equal(d.topology())
}

// first returns the circuits of node 0, if these are known without all others.
func (c *candidate) first() (to, count []int32, ok bool) {
	switch {
	case c.graph != nil:
		to, count = c.graph.Row(0)
	case c.translate != nil:
		to, count = c.translate.to, c.translate.count
	default:
		return nil, nil, false
	}
	return to, count, true
}

// jumper answers in constant time how many jumps lead to an offset.
type jumper struct {
	jump, count         int
	gcd, cycle, inverse int // offsets are multiples of gcd; inverse jumps lead to gcd
}

func newJumper(n, jump, count int) jumper {
	gcd := n
	for a := jump; a != 0; {
		gcd, a = a, gcd%a
	}
	inverse, _ := flow.CirculantHops(n, jump, gcd)
	return jumper{jump: jump, count: count, gcd: gcd, cycle: n / gcd, inverse: inverse}
}

// hops returns the jumps to an offset in 1..n-1, or 0 if none lead there.
func (j *jumper) hops(offset int) int {
	if offset%j.gcd != 0 {
		return 0
	}
	// Both factors are below n <= 2^16, so the product does not overflow.
	return offset / j.gcd * j.inverse % j.cycle
}

// load is what demands that all rotations leave as they are put on the ring: every
// circuit carries each of them as often as it takes hops.
func (j *jumper) load(class *class) (flow.Load, bool) {
	var load flow.Load
	for i, offset := range class.offsets {
		hops := j.hops(offset)
		if hops == 0 {
			return load, false
		}
		bytes := float64(hops) * class.demands[i].Amount / float64(j.count)
		load.Peak += bytes
		load.Hops = max(load.Hops, hops)
		load.Dilation = max(load.Dilation, bytes)
	}
	return load, true
}

// onRing is what the demands of a class put on a ring of equal jumps: at every place of a
// cycle stands what begins there less what ends there, and one walk sums up. It takes no
// successor of its own, of which a pool would keep one for every ring.
func (w *workload) onRing(j *jumper, class *class) (flow.Load, bool) {
	n := j.gcd * j.cycle
	if len(w.arcs) < n {
		w.arcs = make([]float64, n)
	}
	arcs := w.arcs[:n]
	clear(arcs)
	load, ok := w.pairsOnRing(j, class, arcs)
	if !ok {
		return load, false
	}
	most := 0.0
	for first := 0; first < n; first += j.cycle {
		bytes := 0.0
		for _, change := range arcs[first : first+j.cycle] {
			if bytes += change; bytes > most {
				most = bytes
			}
		}
	}
	load.Peak = most / float64(j.count)
	return load, true
}

// pairsOnRing adds what begins and ends at every place of a ring to arcs, and returns hops and
// dilation. It reports false where a pair is not connected.
func (w *workload) pairsOnRing(j *jumper, class *class, arcs []float64) (flow.Load, bool) {
	var load flow.Load
	n := len(arcs)
	// Numbers are below n <= 2^16, and so their products fit.
	gcd, cycle, inverse := uint32(j.gcd), uint32(j.cycle), uint32(j.inverse)
	along := func(src int, hops uint32, amount float64) {
		// The cycle of u mod gcd begins there, and u is as many jumps on as lead to u/gcd.
		first := uint32(src) % gcd * cycle
		from := uint32(src) / gcd * inverse % cycle
		arcs[first+from] += amount
		if to := from + hops; to < cycle {
			arcs[first+to] -= amount
		} else {
			arcs[first] += amount
			arcs[first+to-cycle] -= amount
		}
	}
	if w.streams {
		for d := range w.whole(class) {
			offset := d.Dst - d.Src
			if offset < 0 {
				offset += n
			}
			hops := j.hops(offset)
			if hops == 0 {
				return load, false
			}
			load.Hops = max(load.Hops, hops)
			load.Dilation = max(load.Dilation, float64(hops)*d.Amount/float64(j.count))
			along(d.Src, uint32(hops), d.Amount)
		}
		return load, true
	}
	far := w.apart(class, n)
	w.hops = w.hops[:0]
	for _, s := range far.sums {
		hops := j.hops(s.offset)
		if hops == 0 {
			return load, false
		}
		load.Hops = max(load.Hops, hops)
		load.Dilation = max(load.Dilation, float64(hops)*s.most/float64(j.count))
		w.hops = append(w.hops, uint32(hops))
	}
	for i, d := range class.all() {
		along(d.Src, w.hops[far.of[i]], d.Amount)
	}
	return load, true
}

// twoWay returns the jumps below n/2 if the others lead back over them, so that the
// circulant is a two-way one.
func twoWay(n int, jumps []int) (half []int, ok bool) {
	for i, j := range jumps { // ascending: the first belongs to the last, and so on
		if j+jumps[len(jumps)-1-i] != n || 2*j == n {
			return nil, false
		}
	}
	return jumps[:len(jumps)/2], len(jumps)%2 == 0
}

func moved(jumps []int, move func(int) int) []int {
	out := make([]int, len(jumps))
	for i, j := range jumps {
		out[i] = move(j)
	}
	return out
}

func repeat(jump, count int) []int {
	jumps := make([]int, count)
	for i := range jumps {
		jumps[i] = jump
	}
	return jumps
}
