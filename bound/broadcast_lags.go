package bound

import (
	"math"

	"github.com/lightpath-net/lightpath/fabric"
)

// maxLags bounds the GPUs for which castLags goes through all states, and maxChainLags those with
// one port, where it takes the square of them.
const (
	maxLags      = 4096
	maxChainLags = 128
)

// lags is how long a byte is under way at least, in ns: see castBound.
type lags struct {
	mean  float64  // over all but the root, who get it from one copy
	fewer []lagged // from a copy that goes to fewer
}

// lagged is a copy that so many get a byte from, as part of all but the root, and the least mean
// lag over all, where those who get it from others take as long as the last of these.
type lagged struct{ part, mean float64 }

// lambda is the least number with which one copy is the cheapest at a mean lag.
func (l *lags) lambda(lag float64) float64 {
	least := 0.0
	for _, c := range l.fewer {
		least = max(least, (c.part*lag-c.mean)/(1-c.part))
	}
	return least
}

// castLags finds how long a byte is under way, from the step in which the root sends a copy of it.
//
// Let its receiver have it, and n-2 others wait. As long as the circuits stay, at most ball(y)
// nodes are within y hops of it, and from M holders at a change at most M ball(y). So a step of h
// hops that follows on x others of its stage takes alpha + delta h for all but M ball(x) of the
// n-1; a change takes all of them longer, by the least wait. A node that is q hops further than the
// steps before it can reach gets the byte over q circuits in this step, or in a later one: it pays
// for q-1 circuits besides its arrival, each as much as the time since the copy, or waits for
// another step. Nodes that are further away never pay less, so the sum is least where all are as
// near as can be.
//
// A shortest path over the states (M, x) gives the least sum for all n-1 and for every number of
// nodes, where those that are left take as long as all steps up to then.
func castLags(f *fabric.Fabric, n int, circuits bool) lags {
	l := lagSearch{
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
			if s.hops > 0 { // then circuits may change
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

// lagState is holders at the last change, hops since, the least sum of what all have waited for,
// and the least time since the copy.
type lagState struct {
	holders, hops int
	sum, time     float64
}

// lagSearch is the shortest path of castLags.
type lagSearch struct {
	alpha, delta, wait float64
	all                int // who get the byte, from one copy
	circuits           bool
	balls              []int
	at                 [][]lagState // by how many have the byte at most
	sums               []float64    // by how many get it, at both ends of levels: linear in between
}

// within is how many have a byte at most, so many hops after so many had it.
func (l *lagSearch) within(holders, hops int) int {
	return min(l.all, holders*l.balls[min(hops, len(l.balls)-1)])
}

func (l *lagSearch) reach(s lagState) {
	have := l.within(s.holders, s.hops)
	for i, other := range l.at[have] {
		if other.holders == s.holders && other.hops == s.hops {
			l.at[have][i].sum, l.at[have][i].time = min(other.sum, s.sum), min(other.time, s.time)
			return
		}
	}
	l.at[have] = append(l.at[have], s)
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
				return // a matching reaches nobody else
			}
			each := 0.0
			if l.circuits {
				each = min(float64(q-1)*time, l.alpha+l.delta)
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
		l.reach(lagState{s.holders, s.hops + h, sum, time})
		if l.within(s.holders, s.hops+h) == l.all {
			return
		}
	}
}

// lagsOf is castLags, where that is quick; circuits are counted where all GPUs of the fabric take
// part. Otherwise all who get a byte go by themselves: the k-th takes R(k) or more, the least
// latency with which k are reached.
func lagsOf(f *fabric.Fabric, n int) lags {
	if n <= maxLags && (f.Ports > 1 || n <= maxChainLags) {
		return castLags(f, n, n == f.Nodes)
	}
	r := newReaches(f, n)
	all, sum, least := float64(n-1), 0.0, 0.0
	var found lags
	for k, next := 1, 1; k < n; k++ {
		changes := k == next
		if changes { // beyond 128 nodes that of one of fewer nodes, by up to 1/64
			least = r.least(k).cost
			next = k + max(1, k/64)
		}
		sum += least
		if (changes || k+1 == next) && k < n-1 { // both ends of what is linear
			found.fewer = append(found.fewer, lagged{float64(k) / all, (sum + (all-float64(k))*least) / all})
		}
	}
	found.mean = sum / all
	return found
}
