package sets

import (
	"math"

	"github.com/lightpath-net/lightpath/lp"
)

// These limit ringLoad: the GPUs, the steps, and the ways to divide hops into steps.
const (
	maxRingNodes = 16
	maxRingSteps = 4
	maxDivisions = 150
)

// class is the steps and hops of plans that keep their circuits.
type class struct{ steps, hops int }

// ringLoad returns the least load of plans that keep their circuits, which form a ring, by the
// number of their steps and hops. It tries all ways to divide the hops into steps; 0 if there are
// too many.
func (l *Loads) ringLoad(steps, hops int) float64 {
	if l.nodes > maxRingNodes || steps > maxRingSteps || divisions(hops-1, steps-1) > maxDivisions {
		return 0
	}
	at := class{steps, hops}
	l.mu.Lock()
	load, known := l.rings[at]
	l.mu.Unlock()
	if known {
		return load
	}
	load = math.Inf(1)
	of := make([]int, steps)
	var divide func(t, left int)
	divide = func(t, left int) {
		if t+1 < steps {
			for of[t] = 1; of[t] < left; of[t]++ {
				divide(t+1, left-of[t])
			}
			return
		}
		if of[t] = left; left == 0 || backwards(of) || l.stepwise(of) >= load {
			return
		}
		load = min(load, ringProgram{l.nodes, of}.solve())
	}
	divide(0, hops)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rings[at] = load
	return load
}

// divisions returns how many ways there are to choose k of n, up to a little more than
// maxDivisions.
func divisions(n, k int) int {
	count := 1
	for i := 1; i <= k && count <= maxDivisions; i++ {
		count = count * (n - k + i) / i
	}
	return count
}

// backwards reports whether the reversed steps, which load as much, are tried instead.
func backwards(of []int) bool {
	for i := range of {
		if a, b := of[i], of[len(of)-1-i]; a != b {
			return a > b
		}
	}
	return false
}

// stepwise returns a lower bound on the load of steps: see fewLoad.
func (l *Loads) stepwise(of []int) float64 {
	sum, before, after := 0.0, 0, 0
	for _, h := range of {
		after += h
	}
	for _, h := range of {
		after -= h
		sum += l.step(before, after, h, float64(l.nodes))
		before += h
	}
	return sum
}

// ringProgram bounds the load of given steps on a ring, by a linear program over the messages of
// each length in each step.
//
// Number the GPUs along the ring from one of them, and let D be the place of another. Let the far
// side be places a+1 to D, where a is 0 before the first step, grows, and is D-1 after the last.
// The near side has all other places that data from place 0 can have come to. In some step a
// message goes from the near side to the far side. This holds with any GPU as the first, so
// messages count as often as there are places from which they do so, and they count for 1 in all.
// The program has these constraints for all D and a.
type ringProgram struct {
	nodes int
	hops  []int
}

// solve returns the least load.
func (p ringProgram) solve() float64 {
	var cost []float64
	first := make([]int, len(p.hops)) // by step: the column of the messages of one circuit
	for t, h := range p.hops {
		first[t] = len(cost)
		for length := 1; length <= min(h, p.nodes-1); length++ {
			cost = append(cost, float64(length))
		}
	}
	corner := lp.NewCorner(cost...)
	for range maxRounds {
		met := true
		for far := 1; far < p.nodes; far++ {
			if ends, sum := p.separate(corner.X, first, far); sum < 1-shortfall {
				corner.Add(1, p.row(ends, first, far, len(cost))...)
				met = false
			}
		}
		if met || !corner.Solve() {
			break
		}
	}
	return corner.Least() * (1 - loadSlack)
}

// near is what is on the near side before a step: places up to end, and places behind far to which
// data can have come in so many hops.
type near struct{ end, far, hops int }

// leaving returns from how many places of the near side a message goes to the places behind next,
// up to far. Those behind far have to go round the ring.
func (p ringProgram) leaving(from near, next, length int) int {
	ahead := min(from.end, from.far-length) - max(0, next+1-length) + 1
	last := min(p.nodes-1, from.hops, p.nodes+from.far-length)
	round := last - max(from.far, p.nodes+next-length)
	return max(0, ahead) + max(0, round)
}

// row returns the constraint of a near side that ends at the given places.
func (p ringProgram) row(ends, first []int, far, columns int) []float64 {
	row := make([]float64, columns)
	before := 0
	for t, h := range p.hops {
		from := near{ends[t], far, before}
		before += h
		for length := 1; length <= min(h, p.nodes-1); length++ {
			row[first[t]+length-1] = float64(p.leaving(from, ends[t+1], length))
		}
	}
	return row
}

// separate finds the near side with the fewest messages, for a place D = far: a shortest path over
// where it ends.
func (p ringProgram) separate(x []float64, first []int, far int) (ends []int, sum float64) {
	steps := len(p.hops)
	least, came := make([]float64, far), make([][]int, steps+1)
	for a := range least {
		least[a] = math.Inf(1)
	}
	least[0] = 0
	before := 0
	for t, h := range p.hops {
		next := make([]float64, far)
		came[t+1] = make([]int, far)
		for b := range next {
			next[b] = math.Inf(1)
			if t+1 == steps && b+1 < far {
				continue
			}
			for a := 0; a <= b; a++ {
				if math.IsInf(least[a], 1) {
					continue
				}
				sum := least[a]
				for length := 1; length <= min(h, p.nodes-1); length++ {
					if m := x[first[t]+length-1]; m > 0 {
						sum += m * float64(p.leaving(near{a, far, before}, b, length))
					}
				}
				if sum < next[b] {
					next[b], came[t+1][b] = sum, a
				}
			}
		}
		least, before = next, before+h
	}
	ends = make([]int, steps+1)
	ends[steps] = far - 1
	for t := steps; t > 0; t-- {
		ends[t-1] = came[t][ends[t]]
	}
	return ends, least[far-1]
}
