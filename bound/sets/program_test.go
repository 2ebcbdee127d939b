package sets

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/lp"
)

// The dynamic program finds every constraint that counts: with the constraints of all ways in which
// sets can grow, a program says the same.
func TestLoadsEqualThoseOfAllConstraints(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 14))
	for range samples.Draws(60, 400) {
		nodes, s := 3+r.IntN(10), Shape{Count: 1 + r.IntN(MaxStages)}
		reach := 1
		for i := range s.Count {
			s.Stages[i] = Stage{1 + r.IntN(4), r.IntN(5)}
			if s.inner(i) {
				s.Stages[i].Steps = 1
			}
			reach *= 1 + s.Stages[i].hops()
		}
		if reach < nodes {
			continue
		}
		got, want := newProgram(nodes).solve(&s), everyWay(nodes, &s)
		if math.Abs(got-want) > 1e-6*want {
			t.Errorf("%d GPUs, %+v: %v, with all constraints %v", nodes, s, got, want)
		}
	}
}

// everyWay has a constraint for all hops by which sets grow in each stage, all numbers of stages in
// which they do so forwards, and all terms of a stage's price.
func everyWay(nodes int, s *Shape) float64 {
	var cost []float64
	var messages []lp.Term
	for i := range s.Count {
		cost = append(cost, 1, 1)
		messages = append(messages, lp.Term{Column: 2 * i, Value: 1})
	}
	all := lp.NewCovering(cost)
	all.Add(2-2/float64(nodes), messages...)
	grown := make([]int, s.Count)
	var choose func(i, product int)
	choose = func(i, product int) {
		if product >= nodes {
			return
		}
		if i < s.Count {
			for grown[i] = 0; grown[i] <= s.Stages[i].hops(); grown[i]++ {
				choose(i+1, product*(1+grown[i]))
			}
			return
		}
		for forwards := range s.Count + 1 {
			need := 1.0
			if forwards > 0 && forwards < s.Count {
				need = min(1, float64(2*(nodes-product))/float64(nodes))
			}
			addAll(all, s, grown, forwards, need)
		}
	}
	choose(0, 1)
	x, ok := all.Solve()
	if !ok {
		return math.Inf(1)
	}
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum
}

// addAll adds the constraints of one way to grow. A stage's messages count for the least of some
// sums, so there is a constraint for each choice of these.
func addAll(program *lp.Covering, s *Shape, grown []int, forwards int, need float64) {
	var add func(i int, terms []lp.Term)
	add = func(i int, terms []lp.Term) {
		if i == s.Count {
			program.Add(need, terms...)
			return
		}
		by := 1
		for j := range grown {
			if j < i && i < forwards || j > i && i >= forwards {
				by *= 1 + grown[j]
			}
		}
		at := s.Stages[i]
		rest, hops, spare := float64(at.hops()-grown[i]), float64(at.hops()), float64(at.Spare)
		sums := [][2]float64{{rest / hops, rest / hops}}
		if !s.inner(i) {
			if rest == hops {
				sums = append(sums, [2]float64{1, 0})
			}
			if rest <= spare && spare > 0 {
				sums = append(sums, [2]float64{0, rest / spare})
			}
			if rest >= spare {
				sums = append(sums, [2]float64{(rest - spare) / float64(at.Steps), 1})
			}
			if rest == 0 {
				sums = [][2]float64{{}}
			}
		}
		for _, m := range sums {
			add(i+1, append(terms[:len(terms):len(terms)],
				lp.Term{Column: 2 * i, Value: float64(by) * m[0]}, lp.Term{Column: 2*i + 1, Value: float64(by) * m[1]}))
		}
	}
	add(0, nil)
}
