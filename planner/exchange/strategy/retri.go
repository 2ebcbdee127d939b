package strategy

import (
	"context"
	"slices"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/internal/capped"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/routing"
)

// retri writes offsets with digits of both signs and moves chunks digit by digit over the
// jumps w and -w of the digit's weight w, after Juerss and Schmid, Revisiting Bruck: with
// digits -1, 0 and 1 there are about log3(n) stages (their ReTri, with a topology for every
// phase); fewer stages have larger digits. It needs two ports, which may be the two
// directions of a two-way circuit.
type retri struct{ uniform }

func newRetri(p *Problem) solver {
	u, ok := newUniform(p, Retri, model.RelayHops)
	if !ok || u.ports != 2 || p.Ports != 2 {
		return nil
	}
	return &retri{uniform: u}
}

func (s *retri) candidates(_ context.Context, d int, _ func(slots int) bool, visit visitor) error {
	radices := oddRadices(s.nodes, d)
	if radices[d-1] == 1 {
		return nil // a stage would have nothing to do
	}
	r := &routing.Ways{Group: model.Rotations(s.nodes), Ports: 2, Legs: make([][]model.Leg, s.nodes)}
	weight := 1
	for _, radix := range radices {
		r.Generators = append(r.Generators, []int{weight % s.nodes, s.nodes - weight%s.nodes})
		weight *= radix
	}
	for o := 1; o < s.nodes; o++ {
		rest := o
		if 2*o > s.nodes {
			rest -= s.nodes
		}
		for i, radix := range radices {
			digit := centred(rest, radix)
			rest = (rest - digit) / radix
			switch {
			case digit > 0:
				r.Legs[o] = append(r.Legs[o], model.Leg{Stage: int32(i), Port: 0, Hops: int32(digit)})
			case digit < 0:
				r.Legs[o] = append(r.Legs[o], model.Leg{Stage: int32(i), Port: 1, Hops: int32(-digit)})
			}
		}
	}
	return visit(s.routed(r))
}

// centred returns the remainder of a divided by an odd number that is closest to 0.
func centred(a, odd int) int {
	half := odd / 2
	return arithmetic.Mod(a+half, odd) - half
}

// oddRadices returns d odd numbers whose product is at least n, as equal as possible: the first
// ones are larger than the others by 2, and there are as few of these as possible.
func oddRadices(n, d int) []int {
	small, large := 1, 1
	for capped.Power(small+2, d, n) < n {
		small += 2
	}
	for capped.Times(capped.Power(small+2, large, n), capped.Power(small, d-large, n), n) < n {
		large++
	}
	return append(slices.Repeat([]int{small + 2}, large), slices.Repeat([]int{small}, d-large)...)
}
