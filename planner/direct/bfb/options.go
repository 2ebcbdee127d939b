package bfb

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/topology"
)

// Errors that callers can tell apart with errors.Is.
var (
	// ErrNotConnected: some node cannot send to another, so that no collective works.
	ErrNotConnected = errors.New("bfb: the graph is not strongly connected")
	// ErrOptions: options that contradict each other, the graph, or 64 bits.
	ErrOptions = errors.New("bfb: invalid options")
)

// MaxChunks bounds Options.Chunks, so that no sum of chunks overflows.
const MaxChunks = 1 << 40

// Options say what schedule is wanted. The zero value asks for an allgather on equal
// circuits with shards that can be cut anywhere.
type Options struct {
	Op Op
	// Chunks, if above 0, is the number of equal chunks that a shard is cut into; each
	// travels whole. (Zhao et al., appendix D.2.)
	Chunks int
	// NoSymmetry computes every node, even those that a symmetry of the graph maps onto each
	// other. It changes only the running time.
	NoSymmetry bool
	// Alike says that the graph looks the same from every node, so that only one node is
	// computed. The claim is not checked.
	Alike bool
	// Links, if not nil, describes the circuits of every bundle, in the order of Graph.Edges,
	// for circuits that are not all equal. (Zhao et al., appendix D.3.)
	Links []Link
	// Shard is the size of a shard, in the unit of what Links carry. It is set only with Links.
	Shard int64
	// Round allows Links and Shard to be rounded if 64 bits do not hold their common units.
	// Times are then upper bounds, at most a thousandth too high: see Schedule.Rounded. Without
	// Round such links are refused.
	Round bool
	// Progress, if not nil, is called now and then with the number of nodes done, never by two
	// goroutines at once.
	Progress func(done, total int)
}

// Link describes the circuits of one bundle: a circuit delivers x after Latency +
// x/Bandwidth.
type Link struct {
	Bandwidth int64 // of one circuit, per unit of time, >= 1
	Latency   int64 // in that unit of time, >= 0
}

// pricing is what Options say about links, in the smallest whole numbers.
type pricing struct {
	links []link
	shard int64
	unit  *big.Rat // of time, in the caller's
	// change is the most by which rounding lengthens the time of a shard, as a fraction.
	change float64
}

// price checks the options against the graph.
func (o *Options) price(g *topology.Graph) (pricing, error) {
	switch {
	case o.Op < AllGather || o.Op > AllReduce:
		return pricing{}, fmt.Errorf("%w: unknown operation %d", ErrOptions, int(o.Op))
	case o.Chunks < 0 || o.Chunks > MaxChunks:
		return pricing{}, fmt.Errorf("%w: %d chunks per shard, want at least 1 and at most 2^40, or 0 for shards that can be cut anywhere", ErrOptions, o.Chunks)
	case o.Links == nil && o.Shard != 0:
		return pricing{}, fmt.Errorf("%w: a shard of size %d without links", ErrOptions, o.Shard)
	case o.Links != nil && o.Shard < 1:
		return pricing{}, fmt.Errorf("%w: a shard of size %d with links, want at least 1", ErrOptions, o.Shard)
	case o.Links != nil && len(o.Links) != g.Bundles():
		return pricing{}, fmt.Errorf("%w: %d links for the %d bundles of the graph", ErrOptions, len(o.Links), g.Bundles())
	}
	if o.Links == nil {
		return plainPricing(g), nil
	}
	for i, l := range o.Links {
		if l.Bandwidth < 1 || l.Latency < 0 {
			return pricing{}, fmt.Errorf("%w: link %d has bandwidth %d and latency %d, want at least 1 and at least 0", ErrOptions, i, l.Bandwidth, l.Latency)
		}
	}
	p, ok := o.smallest(g)
	if ok = ok && p.fits(g, int64(o.Chunks)); !ok && o.Round {
		p, p.change, ok = o.rounded(g)
	}
	if !ok {
		return pricing{}, fmt.Errorf("%w: the links' bandwidths and latencies and the shard's size have no common units in which 64 bits suffice; round them", ErrOptions)
	}
	return p, nil
}

// plainPricing returns the pricing of equal circuits. The unit of time is what one circuit
// takes for a shard.
func plainPricing(g *topology.Graph) pricing {
	p := pricing{links: make([]link, 0, g.Bundles()), shard: 1, unit: big.NewRat(1, 1)}
	for e := range g.Edges() {
		p.links = append(p.links, link{int64(e.Count), 1, 0})
	}
	return p
}

// smallest divides bandwidths by their common divisor, and then times by theirs. Links
// from a node to itself carry nothing and do not count. It reports false if a latency
// overflows.
func (o *Options) smallest(g *topology.Graph) (pricing, bool) {
	var common int64
	bundle := 0
	for e := range g.Edges() {
		if e.From != e.To {
			common = arithmetic.GCD(o.Links[bundle].Bandwidth, common)
		}
		bundle++
	}
	// A shard takes Shard/common = shard/fine over a link of rate 1. Time is counted
	// in 1/fine, which makes that a whole number.
	size := reduced(o.Shard, max(1, common))
	shard, fine := size.Num, size.Den
	times := shard
	p := pricing{links: make([]link, 0, len(o.Links))}
	for e := range g.Edges() {
		if e.From == e.To {
			p.links = append(p.links, link{int64(e.Count), 1, 0})
			continue
		}
		l := o.Links[len(p.links)]
		latency, ok := product(l.Latency, fine)
		if !ok {
			return pricing{}, false
		}
		times = arithmetic.GCD(times, latency)
		p.links = append(p.links, link{int64(e.Count), l.Bandwidth / common, latency})
	}
	for i := range p.links {
		p.links[i].latency /= times
	}
	p.shard = shard / times
	p.unit = big.NewRat(times, fine)
	return p, true
}

// fits reports whether no number in the computation exceeds 2^62. With W the weight of
// the links into a node and L their largest latency, those are: the parts of all
// shards, n*shard*W; the numerator of a time, n*shard + W*L; and with whole chunks the
// same for a single link of the largest rate, in parts of a chunk.
func (p *pricing) fits(g *topology.Graph, chunks int64) bool {
	n := int64(g.Nodes())
	var total, rate, latency big.Int
	for _, l := range p.links {
		total.Add(&total, new(big.Int).Mul(big.NewInt(l.circuits), big.NewInt(l.rate)))
		rate.Set(larger(&rate, big.NewInt(l.rate)))
		latency.Set(larger(&latency, big.NewInt(l.latency)))
	}
	// The weight of all links together bounds that of those into one node.
	shards := new(big.Int).Mul(big.NewInt(n), big.NewInt(p.shard))
	most := new(big.Int).Mul(shards, &total)
	most.Add(most, new(big.Int).Mul(&total, &latency))
	fine := new(big.Int).Mul(&rate, big.NewInt(max(1, chunks)))
	whole := new(big.Int).Mul(shards, fine)
	whole.Add(whole, new(big.Int).Mul(fine, &latency))
	return larger(most, whole).BitLen() <= 62
}

func larger(a, b *big.Int) *big.Int {
	if a.Cmp(b) < 0 {
		return b
	}
	return a
}

// product returns a*b and whether it is below 2^62.
func product(a, b int64) (int64, bool) {
	const most = 1 << 62
	p := boundedProduct(a, b, most)
	return p, p < most
}
