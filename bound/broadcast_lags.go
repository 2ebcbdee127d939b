package bound

import (
	"math"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// maxLags limits the GPUs for which castLags goes through all states. It takes their square on
// chains, which have one port, and on cycles, which have two two-way ports.
const (
	maxLags      = 1 << 17
	maxChainLags = 128
	maxCycleLags = 4096
)

// lags has lower bounds on the time that a byte is under way, in ns: see castBound.
type lags struct {
	mean  float64  // over all nodes but the root, if all get it from one copy
	fewer []lagged // for a copy that serves fewer nodes
}

// lagged describes a copy from which a fraction of all nodes but the root get a byte, and the
// least mean lag over all, if those who get it from other copies take as long as the last of
// these.
type lagged struct{ part, mean float64 }

// lambda returns the least number for which a single copy is cheapest at a mean lag.
func (l *lags) lambda(lag float64) float64 {
	least := 0.0
	for _, c := range l.fewer {
		least = max(least, (c.part*lag-c.mean)/(1-c.part))
	}
	return least
}

// castLags bounds from below how long a byte is under way after the step in which the root
// sends a copy of it.
//
// After that step its receiver has the byte, and n-2 others wait. While the circuits stay, at
// most ball(y) nodes are within y hops of it, and at most M ball(y) are within y hops of M
// holders at a change. So a step of h hops that follows x other hops of its stage takes alpha +
// delta h for all but M ball(x) of the n-1; a change takes all of them longer, by the least
// wait. Consider a node that is q hops further than the previous steps can reach. It gets the
// byte over q circuits in this step, or in a later one. So it either pays for q-1 circuits in
// addition to its arrival, each as much as the time since the copy, or waits for another step.
// Nodes that are further away never pay less, so the sum is least if all are as near as
// possible.
//
// A node that waits at the last level of a step leaves the next level short: each of the g
// circuits that lead on from it would have served a node there. That node then pays for one
// more circuit, or waits, too. So among the nodes that the next level needs before it, each
// either pays for its circuits or waits. If it waits, it pays for another step, and g nodes pay
// for one more circuit, or wait. The excess over the charge above is charged to the nodes of
// the next level, as long as circuits stay. A node that is further away instead saves no more
// than it then pays.
//
// A shortest path over the states (M, x) gives the least sum for all n-1 nodes. It also gives
// it for every smaller number of nodes, if those that are left take as long as all steps so
// far.
func castLags(f *fabric.Fabric, n int, circuits bool) lags {
	l := lagSearch{
		grows: growth(f),
		alpha: float64(f.Alpha.Time()), delta: float64(f.Delta.Time()), wait: float64(f.LeastWait()),
		all: n - 1, circuits: circuits, at: make([][]lagState, n), sums: make([]float64, n),
	}
	for y := 0; ; y++ {
		ball := int(min(ballOf(f, y), float64(n-1)))
		if y > 0 && ball == l.balls[y-1] {
			break
		}
		l.balls = append(l.balls, ball)
	}
	for i := range l.sums {
		l.sums[i] = math.Inf(1)
	}
	l.sums[1] = 0
	l.reach(lagState{holders: 1})
	for have := 1; have < n-1; have++ {
		fresh := lagState{holders: have, sum: math.Inf(1), time: math.Inf(1)}
		for _, s := range l.at[have] {
			l.steps(s)
			if s.hops > 0 { // circuits may change
				fresh.sum = min(fresh.sum, s.sum+l.wait*float64(l.all-have))
				fresh.time = min(fresh.time, s.time+l.wait)
			}
		}
		if !math.IsInf(fresh.sum, 1) {
			l.steps(fresh)
		}
	}
	all := float64(n - 1)
	found := lags{mean: l.sums[n-1] / all}
	for k := 1; k < n-1; k++ {
		if !math.IsInf(l.sums[k], 1) {
			found.fewer = append(found.fewer, lagged{float64(k) / all, l.sums[k] / all})
		}
	}
	return found
}

// lagState has the holders at the last change, the hops since, the sum of all waiting so far,
// the time since the copy, and what each node of the next level pays for those before it.
type lagState struct {
	holders, hops   int
	sum, time, next float64
}

// maxLagStates limits the states that differ only in the last three fields; further ones are
// merged.
const maxLagStates = 12

// lagSearch is the shortest path of castLags.
type lagSearch struct {
	alpha, delta, wait float64
	grows              float64 // ratio of the sizes of consecutive levels
	all                int     // number of nodes that get the byte from one copy
	circuits           bool
	balls              []int
	at                 [][]lagState // states, by the most nodes that may have the byte
	sums               []float64    // by how many have it, at the ends of levels; linear between
}

// within returns the most nodes that can have a byte, the given number of hops after so many
// holders had it.
func (l *lagSearch) within(holders, hops int) int {
	return min(l.all, holders*l.balls[min(hops, len(l.balls)-1)])
}

func (l *lagSearch) reach(s lagState) {
	have := l.within(s.holders, s.hops)
	alike := 0
	for i := range l.at[have] {
		o := &l.at[have][i]
		if o.holders != s.holders || o.hops != s.hops {
			continue
		}
		if alike++; o.sum <= s.sum && o.time <= s.time && o.next <= s.next {
			return
		}
		if alike == maxLagStates || s.sum <= o.sum && s.time <= o.time && s.next <= o.next {
			o.sum, o.time, o.next = min(o.sum, s.sum), min(o.time, s.time), min(o.next, s.next)
			return
		}
	}
	l.at[have] = append(l.at[have], s)
}

// later returns what a node of the next level pays for those before it, after a step of the
// given hops that ends at the given time after the copy.
func (l *lagSearch) later(hops int, time float64) float64 {
	if !l.circuits || hops < 2 || l.grows == 0 {
		return 0
	}
	passed, step := float64(hops-1)*time, l.alpha+l.delta
	return (min(passed, step+l.grows*min(time, step)) - min(passed, step)) / l.grows
}

// steps tries all steps from a state.
func (l *lagSearch) steps(s lagState) {
	have := l.within(s.holders, s.hops)
	for h := 1; have < l.all; h++ {
		lasts := l.alpha + l.delta*float64(h)
		sum, time := s.sum+lasts*float64(l.all-have), s.time+lasts
		if sum >= l.sums[l.all] {
			return
		}
		for q := 1; q <= h; q++ {
			from, to := l.within(s.holders, s.hops+q-1), l.within(s.holders, s.hops+q)
			if from == to {
				return // a matching reaches no further node
			}
			each := 0.0
			if l.circuits {
				each = min(float64(q-1)*time, l.alpha+l.delta)
			}
			if q == 1 {
				each = s.next
			}
			l.sums[from+1] = min(l.sums[from+1], sum+each)
			sum += each * float64(to-from)
			l.sums[to] = min(l.sums[to], sum)
			if to == l.all {
				if q < h {
					return // longer steps are not needed
				}
				break
			}
		}
		l.reach(lagState{s.holders, s.hops + h, sum, time, l.later(h, time)})
		if l.within(s.holders, s.hops+h) == l.all {
			return
		}
	}
}

// lagsOf is castLags if that is fast enough; circuits count if all GPUs of the fabric take
// part. Otherwise each node is bounded separately: the k-th to get a byte takes at least R(k),
// the least latency with which k nodes are reached.
func lagsOf(f *fabric.Fabric, n int) lags {
	key := lagKey{n, f.Nodes, f.Ports, f.Duplex, f.Alpha, f.Delta, f.LeastWait()}
	return lagsKnown.kept(key, func() lags { return newLags(f, n) })
}

// lagKey is what lags depend on.
type lagKey struct {
	n, nodes, ports int
	duplex          bool
	alpha, delta    units.Duration
	wait            units.Time
}

var lagsKnown = memory[lagKey, lags]{most: 1 << 8}

func newLags(f *fabric.Fabric, n int) lags {
	most := maxLags
	switch {
	case f.Ports == 1:
		most = maxChainLags
	case f.Ports == 2 && f.Duplex:
		most = maxCycleLags
	}
	if n <= most {
		return castLags(f, n, n == f.Nodes)
	}
	r := newReaches(f, n)
	all, sum, least := float64(n-1), 0.0, 0.0
	var found lags
	for k, next := 1, 1; k < n; k++ {
		changes := k == next
		if changes { // beyond 128 nodes use the value for fewer nodes, by up to 1/64
			least = r.least(k).cost
			next = k + max(1, k/64)
		}
		sum += least
		if (changes || k+1 == next) && k < n-1 { // both ends of a linear piece
			found.fewer = append(found.fewer, lagged{float64(k) / all, (sum + (all-float64(k))*least) / all})
		}
	}
	found.mean = sum / all
	return found
}
