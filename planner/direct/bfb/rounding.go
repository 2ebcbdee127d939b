package bfb

import (
	"math/big"

	"github.com/lightpath-net/lightpath/topology"
)

// mostRounded is the largest change of a time, as a fraction, that Options.Round allows: a
// tenth of the usual uncertainty in the tables of a fabric. Links that need more are refused.
const mostRounded = 1e-3

// rounded prices links in units that are coarse enough for 64 bits: rates are rounded down, and
// times and the shard up, so that a schedule never takes longer than stated. change is the most
// by which the time of a shard over any link grows, as a fraction. ok is false if change
// exceeds mostRounded or the rounded numbers do not fit either.
func (o *Options) rounded(g *topology.Graph) (p pricing, change float64, ok bool) {
	var fastest, slowest, latest, circuits int64
	var total big.Int // rates of all circuits
	bundle := 0
	for e := range g.Edges() {
		if l := o.Links[bundle]; e.From != e.To {
			fastest, latest = max(fastest, l.Bandwidth), max(latest, l.Latency)
			if slowest == 0 || l.Bandwidth < slowest {
				slowest = l.Bandwidth
			}
			circuits += int64(e.Count)
			total.Add(&total, new(big.Int).Mul(big.NewInt(int64(e.Count)), big.NewInt(l.Bandwidth)))
		}
		bundle++
	}
	if fastest == 0 {
		return pricing{}, 0, false
	}
	// A product of a rate, a time in parts of 1/rate and the numbers of links and nodes must
	// fit. The precision of a rate is a third of the bits that the numbers of links and nodes
	// leave, and so is that of a time.
	precision := (62 - big.NewInt(int64(g.Nodes())).BitLen() - big.NewInt(circuits*max(1, int64(o.Chunks))).BitLen()) / 3
	coarse := uint(max(0, big.NewInt(fastest).BitLen()-precision)) // rates are counted in 2^coarse
	if slowest>>coarse == 0 {
		return pricing{}, 0, false
	}
	// A shard takes Shard/2^coarse over a link of rate 1; times are counted in 2^fine or, if fine
	// is negative, in 2^fine parts of the caller's unit, so that sums fit (see pricing.fits).
	total.Rsh(&total, coarse)
	weight := big.NewInt(max(1, int64(o.Chunks)))
	weight.Mul(weight, new(big.Int).Add(&total, big.NewInt(int64(len(o.Links)))))
	most := new(big.Int).Mul(big.NewInt(o.Shard), big.NewInt(int64(g.Nodes())))
	most.Rsh(most, coarse)
	most.Add(most, big.NewInt(latest)).Add(most, big.NewInt(2))
	fine := most.BitLen() + weight.BitLen() - 61
	p = pricing{links: make([]link, 0, len(o.Links)), shard: upwards(o.Shard, int(coarse)+fine), unit: power(fine)}
	for e := range g.Edges() {
		if e.From == e.To {
			p.links = append(p.links, link{int64(e.Count), 1, 0})
			continue
		}
		l := o.Links[len(p.links)]
		to := link{int64(e.Count), l.Bandwidth >> coarse, upwards(l.Latency, fine)}
		p.links = append(p.links, to)
		exact := new(big.Rat).SetFrac64(o.Shard, l.Bandwidth)
		exact.Add(exact, new(big.Rat).SetInt64(l.Latency))
		took := new(big.Rat).SetFrac64(p.shard, to.rate)
		took.Add(took, new(big.Rat).SetInt64(to.latency)).Mul(took, p.unit)
		more, _ := took.Quo(took, exact).Float64()
		change = max(change, more-1)
	}
	return p, change, change <= mostRounded && p.fits(g, int64(o.Chunks))
}

// upwards returns x/2^shift, rounded up; x*2^-shift where shift is negative. The caller knows
// that it fits.
func upwards(x int64, shift int) int64 {
	b := big.NewInt(x)
	if shift <= 0 {
		return b.Lsh(b, uint(-shift)).Int64()
	}
	b.Add(b, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(shift)), big.NewInt(1)))
	return b.Rsh(b, uint(shift)).Int64()
}

// power returns 2^k.
func power(k int) *big.Rat {
	p := new(big.Int).Lsh(big.NewInt(1), uint(max(k, -k)))
	if k < 0 {
		return new(big.Rat).SetFrac(big.NewInt(1), p)
	}
	return new(big.Rat).SetInt(p)
}
