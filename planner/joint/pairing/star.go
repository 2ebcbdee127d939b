package pairing

import (
	"math/bits"
	"slices"
)

// Star returns a shortest star addition chain for a number: 1 first and the number last, each the
// sum of the one before and any earlier one. It extends chains depth first, within one more step
// each time (iterative deepening).
//
// A sum of h pairs takes as many rounds as its chain has steps, after the one in which the two
// points of a pair add up. Points 2j and 2j+1 then hold the sums of w pairs, from j on and up to
// j, as in Windows. For the next number w+x of the chain, point 2j and the second point of pair
// j+w+x-1 give each other the sum of x pairs, which they had when w was x: of the pairs that the
// other lacks. So the windows need not overlap, as they would with twice w.
func Star(number int) []int {
	for steps := bits.Len(uint(number)) - 1; ; steps++ {
		if chain := extend([]int{1}, number, steps); chain != nil {
			return chain
		}
	}
}

// extend adds at most the given number of steps to a chain, the largest first; nil if they do not
// lead to the number.
func extend(chain []int, number, steps int) []int {
	last := chain[len(chain)-1]
	if last == number {
		return chain
	}
	if steps == 0 || last<<steps < number {
		return nil
	}
	for _, x := range slices.Backward(chain) {
		if last+x > number {
			continue
		}
		if found := extend(append(chain, last+x), number, steps-1); found != nil {
			return found
		}
	}
	return nil
}
