package bound

import (
	"math"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// castBound bounds the time of a broadcast, in ns, and of a reduction, which is a broadcast in
// reverse: data does not reach everyone at once, so either the message passes in many steps or
// steps wait for one another.
//
// Let step s have the latency tau(s), its start-up, hops and change of circuits, and the
// load l(s), both in ns, P(s) be the latency of the steps up to s and L that of all. Let a be
// what the message takes over the ports of a node and R(k) the least latency of steps that
// take data from one node to k, itself included (see OfOperation).
//
// Of byte b the root sends c copies in total. Of the nodes that have it from one copy's
// receiver, itself included, the k-th gets it R(k) or more of latency after that copy. So
// over all nodes the mean of what lies between the copy and the arrival is at least
//
//	lag(c) = mean over k = 1..n-1 of R(k/c rounded up)
//
// Now price the load of step s, for a kappa from 0 to 1, at 1 - kappa q(s) for the root's
// ports and at kappa q(s) for those of a node, where q(s) = (P(s)-h)/(L-h) and h is a start-up
// and a hop, the least that a step has. All that leaves the root in s and all that comes to
// a node is at most l(s), so by the mean over the nodes the sum of l is at least that of the
// prices. A byte pays 1 - kappa q for every copy and, in the mean, kappa q at the arrivals,
// which lie lag(c) behind: as q <= 1, at least
//
//	1 + (c-1)(1-kappa) + kappa lag(c)/(L-h)
//
// So with W = L-h the time is at least the least over c and W of
//
//	h + W + a (1 + (c-1)(1-kappa)) + a kappa lag(c)/W
//
// for every kappa: with W = sqrt(a kappa lag(c)), or the least that W can be, if that is
// more: it is R(n)-h at least, and R((n-1)/c). The kappa is taken with which one copy is
// just the cheapest.
//
// A pipeline of D levels at its best number of pieces takes a + D h + 2 sqrt(a (D-1) h), or a
// little less: of the same form, and lag(1) is nearly (D-1) h where nodes have several ports
// and start-ups cost little.
//
// Few steps save start-ups, but then bytes pass many circuits: with a share nu of all prices on
// the mean load of all circuits the lag may be taken to be longer, see castLags.
//
// The latency of all plans that count is that of least or more.
func castBound(f *fabric.Fabric, n int, size units.Bytes, least float64) float64 {
	c := newCasting(f, n, size, least)
	best := c.bound(0, lags{})
	if n != f.Nodes || n > maxLagNodes { // others may relay, over circuits that are not counted
		return best
	}
	for _, price := range [...]float64{1, 2, 4} {
		longer := castLags(f, n, price*float64(f.Alpha.Time()), len(c.ways))
		for _, nu := range [...]float64{0.01, 0.05, 0.1, 0.2, 0.4} {
			best = max(best, c.bound(nu, longer))
		}
	}
	return best
}

// casting is what castBound knows of a broadcast.
type casting struct {
	nodes       int
	all, hop, a float64
	ways        []castWay // by copies that the root sends, less one
}

// castWay is, for a number of copies, the mean lag and the least that W can be.
type castWay struct{ lag, least float64 }

func newCasting(f *fabric.Fabric, n int, size units.Bytes, least float64) *casting {
	r := newReaches(f, n)
	c := &casting{
		nodes: n, all: max(least, r.least(n).cost), hop: float64(f.Alpha.Time() + f.Delta.Time()),
		a:    float64(f.Bandwidth.Transmit(float64(size) / float64(f.Ports))),
		ways: make([]castWay, min(n-1, maxCopies)),
	}
	for i, lag := range meanLags(r, n, len(c.ways)) {
		c.ways[i] = castWay{lag: lag, least: max(c.all-c.hop, r.least((n-1+i)/(i+1)).cost)}
	}
	return c
}

// meanLags is lag(c) for the first numbers of copies.
func meanLags(r *reaches, n, count int) []float64 {
	sums, lags := reachSums(r, n), make([]float64, count)
	for i := range lags {
		c := i + 1
		lags[i] = (float64(c)*sums[(n-1)/c] + float64((n-1)%c)*(sums[(n-2)/c+1]-sums[(n-2)/c])) / float64(n-1)
	}
	return lags
}

// bound is the best that some kappa gives.
func (c *casting) bound(nu float64, longer lags) float64 {
	low, high := 0.0, 1.0
	for range kappaSteps {
		kappa := (low + high) / 2
		if one, more := c.time(kappa, nu, longer); one <= more {
			low = kappa
		} else {
			high = kappa
		}
	}
	best := 0.0
	for _, kappa := range [...]float64{0, low, 1} {
		one, more := c.time(kappa, nu, longer)
		best = max(best, min(one, more))
	}
	return best
}

// time is what the price kappa says for one copy and for more.
func (c *casting) time(kappa, nu float64, longer lags) (one, more float64) {
	ends := (1 - nu) * c.a // of a copy that the root sends, at the whole price
	circuits := nu * c.a * float64(c.nodes-1) / float64(c.nodes)
	more = math.Inf(1)
	if len(c.ways) < c.nodes-1 { // any number of copies that is not listed
		more = c.all + ends*(1+maxCopies*(1-kappa)) + circuits
	}
	for i, w := range c.ways {
		t := c.hop + ends*(1+float64(i)*(1-kappa)) + circuits + longer.wait(i, w, ends*kappa, nu, c.a, c.nodes)
		if i == 0 {
			one = t
		} else {
			more = min(more, t)
		}
	}
	return one, more
}

// leastWait is the least of W + b lag/W for W from least to most.
func leastWait(b, lag, least, most float64) float64 {
	if least > most {
		return math.Inf(1)
	}
	width := min(most, max(least, math.Sqrt(b*lag)))
	if width == 0 {
		return 0
	}
	return width + b*lag/width
}

// maxCopies is the number of copies up to which all are looked at, and kappaSteps how often
// the range in which kappa is looked for is halved: every kappa gives a bound.
const (
	maxCopies  = 64
	kappaSteps = 30
)

// reachSums returns the sums of R(1), .., R(k) for k up to n-1, or a little less: beyond 128
// nodes R is that of one of fewer nodes, by up to 1/64, than which it is not less.
func reachSums(r *reaches, n int) []float64 {
	sums := make([]float64, n)
	next, value := 1, 0.0
	for k := 1; k < n; k++ {
		if k == next {
			value = r.least(k).cost
			next = k + max(1, k/64)
		}
		sums[k] = sums[k-1] + value
	}
	return sums
}

// castExtra returns what the other parts of the bound of a broadcast or a reduction can be
// raised to.
func castExtra(f *fabric.Fabric, s *collective.Section, base Breakdown) units.Time {
	n := s.Space.MembersCount()
	if s.Op != collective.Broadcast && s.Op != collective.RootReduce || n < 2 || s.Space.Kind == collective.Listed || s.Space.Sizes != nil {
		return base.Extra
	}
	least := max(castBound(f, n, s.Size, 0), castEnds(f, n, s.Size, 0))
	if n == f.Nodes { // else others may have data, too
		least = max(least, castSteps(f, n, s.Size, 1, least))
	}
	if onRing(f, n) {
		changing := newReaches(f, n).changing(n)
		others := max(castBound(f, n, s.Size, changing), castEnds(f, n, s.Size, changing), castSteps(f, n, s.Size, 2, 0))
		least = max(least, newRing(f, n, s.Size).cast(others))
	}
	return max(base.Extra, units.Time(least)-(base.Total()-base.Extra))
}
