package strategy

import (
	"context"
	"slices"

	"github.com/lightpath-net/lightpath/internal/capped"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/routing"
)

// bruck writes offsets with one digit for each stage and moves chunks digit by digit,
// after Bruck et al., Efficient Algorithms for All-to-All Communications in Multiport
// Message-Passing Systems (1997). With r values of a digit and k ports, a stage has the
// jumps w, 2w, .. of the digit's weight w if r-1 <= k, so that each digit takes one hop;
// for larger digits its jumps are the weights of k digits of a smaller radix.
//
// Any number of stages up to the binary logarithm of n is possible: radices are as equal
// as their product allows.
type bruck struct{ uniform }

func newBruck(p *Problem) solver {
	u, ok := newUniform(p, Bruck, model.RelayJumpHops)
	if !ok {
		return nil
	}
	return &bruck{uniform: u}
}

func (s *bruck) candidates(_ context.Context, d int, _ func(slots int) bool, visit visitor) error {
	radices := radices(s.nodes, d)
	if radices[d-1] == 1 {
		return nil // a stage would have nothing to do
	}
	r := &routing.Ways{Group: model.Rotations(s.nodes), Ports: s.ports, Generators: make([][]int, d), Legs: make([][]model.Leg, s.nodes)}
	steps := make([][]int, d) // jumps of a stage, as multiples of its weight
	weight := 1
	for i, radix := range radices {
		steps[i] = digitSteps(radix, s.ports)
		for _, m := range steps[i] {
			r.Generators[i] = append(r.Generators[i], weight*m)
		}
		weight *= radix
	}
	for o := 1; o < s.nodes; o++ {
		rest := o
		for i, radix := range radices {
			r.Legs[o] = appendDigit(r.Legs[o], i, rest%radix, steps[i])
			rest /= radix
		}
	}
	return visit(s.routed(r))
}

// radices returns d numbers whose product is at least n, as equal as possible: the first ones
// are larger than the others by 1, and there are as few of these as possible. Some are 1 if d
// is larger than the binary logarithm of n.
func radices(n, d int) []int {
	small, large := 1, 1
	for capped.Power(small+1, d, n) < n {
		small++
	}
	for capped.Times(capped.Power(small+1, large, n), capped.Power(small, d-large, n), n) < n {
		large++
	}
	return append(slices.Repeat([]int{small + 1}, large), slices.Repeat([]int{small}, d-large)...)
}

// digitSteps returns up to k steps, in ascending order, that add up to all digits.
func digitSteps(radix, k int) []int {
	var steps []int
	if radix-1 <= k {
		for m := 1; m < radix; m++ {
			steps = append(steps, m)
		}
		return steps
	}
	weight := 1
	for _, r := range radices(radix, k) {
		if r > 1 {
			steps = append(steps, weight)
			weight *= r
		}
	}
	return steps
}

// appendDigit adds the hops of a digit. It takes as many of the largest steps as fit, then of
// the next, and lists ports in ascending order.
func appendDigit(legs []model.Leg, stage, digit int, steps []int) []model.Leg {
	from := len(legs)
	for p := len(steps) - 1; p >= 0; p-- {
		if hops := digit / steps[p]; hops > 0 {
			legs = append(legs, model.Leg{Stage: int32(stage), Port: int32(p), Hops: int32(hops)})
			digit %= steps[p]
		}
	}
	slices.Reverse(legs[from:])
	return legs
}
