package bound

import (
	"math"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/units"
)

// fixedBound bounds an operation on a fabric with fixed links, and perhaps islands, by the
// largest of these:
//
//   - Blocks as nodes: blocks are consecutive GPUs that only circuits join to others. Whatever
//     happens within a block takes no time. See islandsBound.
//   - Cuts: what must leave or enter the first k GPUs over their ports, their islands and the
//     fixed links of the cut.
//   - GPUs: what a GPU must send or receive over all its ports and links and its island.
//
// To either of the last two the reach is added. In one hop data gets from a node to at most p +
// l + g others, over its ports, its links and its island, whatever the circuits are then. So h
// hops reach at most (1+p+l+g)^h nodes, and each takes the propagation of the quickest tier. A
// step costs at least the least start-up of a tier.
func fixedBound(f *fabric.Fabric, s *collective.Section) Breakdown {
	bytes, reach := needs(s)
	if bytes <= 0 {
		return Breakdown{}
	}
	x := newTierRates(f)
	transmission := x.most.time(bytes)
	plain := s.Space.Members == nil && s.Space.Sizes == nil && s.Space.Kind != collective.Listed
	if plain {
		transmission = max(transmission, x.perGPU(s, bytes), x.cuts(s))
	}
	hops := max(1, int(math.Ceil(math.Log(float64(reach))/math.Log(float64(1+x.degree))-1e-9)))
	b := Breakdown{
		Stages: 1, Steps: 1, Hops: hops, Startup: x.alpha.Time(), Propagation: x.delta.Time() * units.Time(hops), Transmission: transmission,
	}
	if !plain {
		return b
	}
	if other := blocksBound(f, s); other.Total() > b.Total() {
		return other
	}
	return b
}

// rate is how fast a GPU or a cut sends.
type rate float64

// time returns how long bytes take at a rate.
func (r rate) time(bytes float64) units.Time { return units.Time(bytes * 8e9 / float64(r)) }

// tierRates are the rates of a fabric's GPUs over all tiers together.
type tierRates struct {
	fabric       *fabric.Fabric
	out, in      []rate // of fixed links, by GPU
	beside       rate   // of the ports and island of every GPU
	least, most  rate   // of a GPU, in its slower direction, or its faster one
	sum          rate   // of what all GPUs send
	degree       int    // most GPUs that one reaches in a hop
	alpha, delta units.Duration
}

func newTierRates(f *fabric.Fabric) *tierRates {
	x := &tierRates{
		fabric: f, out: make([]rate, f.Nodes), in: make([]rate, f.Nodes), alpha: min(f.Alpha, f.FixedAlpha()), delta: min(f.Delta, f.FixedDelta()),
		beside: rate(f.Ports)*rate(f.Bandwidth) + rate(f.Island.Bandwidth), least: rate(math.Inf(1)),
	}
	if !f.Island.IsZero() {
		x.alpha, x.delta = min(x.alpha, f.IslandAlpha()), min(x.delta, f.IslandDelta())
	}
	links := make([]int, f.Nodes)
	for e := range f.FixedGraph().Edges() {
		speed := rate(e.Count) * rate(f.FixedBandwidth())
		x.out[e.From] += speed
		x.in[e.To] += speed
		links[e.From]++
	}
	for u := range f.Nodes {
		x.least = min(x.least, x.beside+x.out[u], x.beside+x.in[u])
		x.most = max(x.most, x.beside+x.out[u], x.beside+x.in[u])
		x.sum += x.beside + x.out[u]
		x.degree = max(x.degree, f.Ports+links[u]+max(0, f.Island.Size-1))
	}
	return x
}

// perGPU bounds operations in which every GPU has the same part. In an allreduce all GPUs
// together send what they need on average; in others each needs it separately.
func (x *tierRates) perGPU(s *collective.Section, bytes float64) units.Time {
	switch s.Op {
	case collective.AllReduce:
		return x.sum.time(bytes * float64(x.fabric.Nodes))
	case collective.AllGather, collective.ReduceScatter, collective.AllToAll, collective.Broadcast, collective.RootReduce:
		return x.least.time(bytes)
	}
	return 0
}

// cuts bounds an operation by what must pass the cut after each number of GPUs. Both directions
// pass at the same time, so the slower one counts.
func (x *tierRates) cuts(s *collective.Section) units.Time {
	f, n := x.fabric, x.fabric.Nodes
	size := float64(s.Size)
	leaves := make([]rate, n+1) // rate of fixed links over the cut, by the number of GPUs before it
	enters := make([]rate, n+1)
	pass := func(list []rate, low, high int, speed rate) {
		list[low+1] += speed
		list[high+1] -= speed
	}
	for e := range f.FixedGraph().Edges() {
		speed := rate(e.Count) * rate(f.FixedBandwidth())
		if e.From < e.To {
			pass(leaves, e.From, e.To, speed)
		} else {
			pass(enters, e.To, e.From, speed)
		}
	}
	most := units.Time(0)
	for k := 1; k < n; k++ {
		leaves[k] += leaves[k-1]
		enters[k] += enters[k-1]
		few := min(k, n-k)
		beside := rate(few) * rate(f.Ports) * rate(f.Bandwidth)
		if size := f.Island.Size; size > 0 && k%size != 0 {
			beside += rate(min(k%size, size-k%size)) * rate(f.Island.Bandwidth)
		}
		out, in := passes(s.Op, size, k, n)
		if out > 0 {
			most = max(most, (beside + leaves[k]).time(out))
		}
		if in > 0 {
			most = max(most, (beside + enters[k]).time(in))
		}
	}
	return most
}

// passes returns what must leave the first k of n GPUs, and enter them. GPU 0 is the root.
func passes(op collective.Op, size float64, k, n int) (out, in float64) {
	before, after := float64(k)/float64(n), float64(n-k)/float64(n)
	switch op {
	case collective.AllReduce: // each side needs the other side's sum
		return size, size
	case collective.AllGather: // the other side's part of the result
		return size * before, size * after
	case collective.ReduceScatter:
		return size * after, size * before
	case collective.AllToAll:
		return size * float64(k) * after, size * float64(n-k) * before
	case collective.Broadcast:
		return size, 0
	case collective.RootReduce:
		return 0, size
	case collective.Scatter:
		return size * after, 0
	case collective.Gather:
		return 0, size * after
	}
	return 0, 0
}

// blocksBound is the bound of a flat fabric whose nodes are blocks of GPUs.
func blocksBound(f *fabric.Fabric, s *collective.Section) Breakdown {
	size := f.Fixed.Links.Block().Nodes()
	if g := f.Island.Size; g > 0 {
		for multiple := size; ; multiple += size { // a multiple of both
			if multiple >= f.Nodes || multiple%g == 0 {
				size = min(multiple, f.Nodes)
				break
			}
		}
	}
	if size >= f.Nodes || f.Ports*size > fabric.MaxPorts {
		return Breakdown{}
	}
	core := f.Flat()
	core.Nodes, core.Ports, core.Base = f.Nodes/size, f.Ports*size, ""
	core.Avoid, core.Links = fabric.Failures{}, fabric.Links{}
	core.Layout, core.Radix = layout.Layout{}, 0
	if core.Initial != fabric.InitialDark {
		core.Initial = fabric.InitialFree
	}
	core.Gamma = fabric.Gamma{} // reduction can be within a block
	if core.Validate() != nil {
		return Breakdown{}
	}
	inner := *s
	inner.Space = collective.SpaceOf(s.Op, core.Nodes, 1)
	if s.Op == collective.AllToAll {
		inner.Size *= units.Bytes(size)
	}
	return sectionBound(&core, &inner)
}
