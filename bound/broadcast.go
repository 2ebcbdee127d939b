package bound

import (
	"math"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// castBound bounds the time of a broadcast, in ns, and of a reduction, which is a broadcast in
// reverse. Data does not reach everyone at once, so either the message passes in many steps or
// steps wait for one another.
//
// Let step s have the latency tau(s), its start-up, hops and change of circuits, and the load
// l(s), both in ns. Let P(s) be the latency of the steps up to s, and L that of all. Let a be
// the time of the message over the ports of a node, h a start-up and a hop, the least that a
// step has, and W = L-h.
//
// For a kappa from 0 to 1, price the load of step s at 1 - kappa q(s) for the root's ports and
// at kappa q(s) for the mean of the circuits to all others, where q(s) = (P(s)-h)/W. All that
// leaves the root in s is at most l(s), and so is the load of the mean circuit, so the sum of l
// is at least what all bytes pay. (A path through the root may as well begin there, and no
// other needs a circuit to the root.)
//
// The root sends some copies of a byte b. Consider one copy. Let f be the fraction of the n-1
// others that get b from it, q the value at that copy, and T the latency of the steps in which
// they pass it on: q <= 1 - T/W. The copy pays 1 - kappa q. Those who get b from it pay kappa q
// f and, for their lags, kappa/W times these lags over n-1. That is
//
//	1 - kappa q (1-f) + lags  >=  1 - kappa (1-f) + kappa/W ((1-f) T + their lags over n-1)
//
// The last bracket is at least the value that castLags computes: the mean lag of all nodes, if
// those who get the byte from other copies got it at the end of this copy's steps. Call it
// g(f), and lag = g(1). With lambda = W (1-kappa)/kappa, all copies of the byte pay kappa/W
// times the sum of W f + lambda + g(f), and if
//
//	lambda + g(f) >= f (lambda + lag) for all f
//
// that is at least 1 + lag/(W + lambda): a single copy is cheapest. So the time is at least
//
//	h + W + a (1 + lag/(W + lambda))
//
// where W + lambda is sqrt(a lag), or its least value, with W = R(n)-h for the least latency
// R(n) that takes data from one node to n (see OfOperation). The same holds for any smaller
// lag, with its own lambda.
//
// A pipeline of D levels with its best number of pieces takes a + D h + 2 sqrt(a (D-1) h), or a
// little less. This has the same form, and the mean lag is nearly (D-1) h if most nodes are at
// the last level.
//
// Only plans with at least the latency least count.
//
// If a node has fewer ports than others, the loads add up to at least what it needs, too: see
// portShares.
func castBound(f *fabric.Fabric, n int, size units.Bytes, least float64) float64 {
	return newPipelines(f, n, size).least(least)
}

// pipelines has what castBound needs to know about a message for all latencies.
type pipelines struct {
	f              *fabric.Fabric
	n              int
	a, hop, widest float64 // widest: the W that all plans have at least
	under          lags
	shares         portShares
}

func newPipelines(f *fabric.Fabric, n int, size units.Bytes) *pipelines {
	if n < 3 {
		return &pipelines{f: f, n: n}
	}
	p := &pipelines{f: f, n: n, hop: float64(f.Alpha.Time() + f.Delta.Time()), under: lagsOf(f, n), shares: sharesOf(f)}
	p.a = float64(f.Bandwidth.Transmit(float64(size) / float64(f.Ports)))
	p.widest = newReaches(f, n).least(n).cost - p.hop
	return p
}

// least bounds plans with at least the given latency.
func (p *pipelines) least(latency float64) float64 {
	if p.n < 3 {
		return 0
	}
	width := max(p.widest, latency-p.hop)
	best := 0.0
	for _, part := range [...]float64{1, 0.9, 0.75, 0.5} {
		lag := part * p.under.mean
		lambda := p.under.lambda(lag)
		// takes returns W plus the loads, for plans with at least that W and at least that sum of
		// loads.
		takes := func(w, loads float64) float64 {
			switch {
			case w+lambda > 0:
				free := max(w, math.Sqrt(p.a*lag)-lambda)
				if p.a*(1+lag/(free+lambda)) >= loads {
					w = free
				} else if loads > p.a { // pipelining saves no more beyond that
					w = max(w, min(free, p.a*lag/(loads-p.a)-lambda))
				}
				return w + max(loads, p.a*(1+lag/(w+lambda)))
			case math.Sqrt(p.a*lag) > lambda:
				return math.Sqrt(p.a*lag) - lambda + max(loads, p.a+math.Sqrt(p.a*lag))
			}
			return w + max(loads, p.a)
		}
		time := takes(width, 0)
		if p.n == p.f.Nodes && p.shares.short() {
			time = p.shares.least(p.f, width+p.hop, func(latency, ports float64) float64 {
				return takes(latency-p.hop, p.a*float64(p.f.Ports)/ports) - (latency - p.hop)
			}) - p.hop
		}
		best = max(best, p.hop+time)
	}
	return best
}

// castExtra returns what the other parts of the bound of a broadcast or a reduction can be
// raised to.
func castExtra(f *fabric.Fabric, s *collective.Section, base Breakdown) units.Time {
	n := s.Space.MembersCount()
	if s.Op != collective.Broadcast && s.Op != collective.RootReduce || n < 2 || s.Space.Kind == collective.Listed || s.Space.Sizes != nil {
		return base.Extra
	}
	least := max(castBound(f, n, s.Size, 0), castEnds(f, n, s.Size, 0))
	if n == f.Nodes { // otherwise other GPUs may forward data, too
		least = max(least, castSteps(f, n, s.Size, 1, least))
		least = max(least, castShapes(f, n, s.Size, least))
	}
	if onRing(f, n) {
		r := newRing(f, n, s.Size)
		stays := max(r.cast(math.Inf(1)), r.chain())
		others := max(changingCast(f, n, s.Size, stays), castSteps(f, n, s.Size, 2, 0))
		least = max(least, min(stays, max(others, castChains(f, n, s.Size, max(others, least), stays))))
	}
	if onCycle(f, n) {
		slower := newPipelines(f, n, s.Size)
		stays := newCycle(f, n, s.Size).cast(slower.least)
		others := max(changingCast(f, n, s.Size, stays), castSteps(f, n, s.Size, 2, 0))
		least = max(least, min(stays, others))
	}
	return max(base.Extra, units.Time(least)-(base.Total()-base.Extra))
}

// changingCast bounds the time of a broadcast with at least one change of circuits, in ns, as
// long as that is below a limit. No data moves during a change, so one that takes w may also
// count as w' < w in the latencies of castBound, and w-w' on its own. With a long w this is
// larger: data waits for a change only if it is under way, and the message costs w in any case.
func changingCast(f *fabric.Fabric, n int, size units.Bytes, limit float64) float64 {
	wait := float64(f.LeastWait())
	changing := newReaches(f, n).changing(n)
	best := max(castBound(f, n, size, changing), castEnds(f, n, size, changing))
	sooner := *f
	sooner.Overlap, sooner.Sync = fabric.Overlap{}, 0
	for part := 2.0; wait > 0 && best < limit && part <= 8; part *= 2 {
		sooner.Reconfig = fabric.Reconfig{Model: fabric.Constant, Base: units.Duration(wait / part * 1e3)}
		best = max(best, wait-float64(sooner.LeastWait())+castBound(&sooner, n, size, newReaches(&sooner, n).changing(n)))
	}
	return best
}

// castSteps bounds the time of a broadcast or a reduction of all GPUs, in ns, by the total load
// of a few large steps, for plans with at least the given number of stages; 0 if it gives no
// bound. A bound of at most enough does not help the caller; then it may return any number up
// to enough.
//
// After a step let K be the nodes that can have any data, and R those to which one node can
// still get data, both from the hops and changes before and after it (see OfOperation). Let l
// be the load of a step, in units of the message over all ports of a node.
//
//   - Every byte is at n/R nodes or more, rounded up.
//   - A copy leaves a port of a node that had data before the step, so, in the mean over the
//     bytes, a step makes at most l times the K before it.
//   - If R < n, all bytes have left the root: the loads up to then add up to 1. If K < n, some
//     node has nothing yet, and the loads from then on add up to 1.
//
// These are the constraints of knownBound with two changes. In place of the inputs that a node
// knows they have the nodes that hold a byte, which are an integer; and in place of 2-2/n they
// have one message, if both kinds of steps are the same. So its shortest paths are the bound:
// copies are made as late as the needs allow, by as many nodes as can have data. Circuits on
// the way are not counted.
func castSteps(f *fabric.Fabric, n int, size units.Bytes, stages int, enough float64) float64 {
	c := knowledgeOf(f, n, size, true)
	return c.fastest(stages, float64(f.LeastWait()), enough, c.least)
}
