package lines

import (
	"cmp"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
)

// grain is the number of equal parts of the data, at least, from which pieces are made up.
const grain = 8

// mostDivisions limits the number of ways to cut the data into pieces that are tried.
const mostDivisions = 3

// divisions lists ways to cut the data into pieces, one for each digit: into equal pieces, and
// into those that take the least time judging by the bytes only. A piece may be 0.
func divisions(g *grid, way []visit) [][]int {
	digits := len(g.sides)
	even := slices.Repeat([]int{1}, digits)
	type division struct {
		parts []int
		time  float64
	}
	var all []division
	var fill func(parts []int, left int)
	fill = func(parts []int, left int) {
		if len(parts) < digits-1 {
			for k := 0; k <= left; k++ {
				fill(append(parts, k), left-k)
			}
			return
		}
		whole := append(slices.Clone(parts), left)
		time := 0.0
		for _, v := range way {
			most := 0.0
			for k, part := range whole {
				most = max(most, float64(part)*v.load(g, k))
			}
			time += most
		}
		all = append(all, division{reduced(whole), time / float64(arithmetic.Sum(whole))})
	}
	if digits <= 4 { // more have thousands of divisions
		fill(nil, grain)
		fill(nil, 3*grain/2) // thirds and sixths
	}
	slices.SortStableFunc(all, func(a, b division) int {
		const alike = 1e-9 // of times that are sums of few fractions
		if math.Abs(a.time-b.time) < alike*b.time {
			return cmp.Compare(arithmetic.Sum(a.parts), arithmetic.Sum(b.parts))
		}
		return cmp.Compare(a.time, b.time)
	})
	chosen := [][]int{even}
	for _, d := range all {
		if len(chosen) == mostDivisions {
			break
		}
		if !slices.ContainsFunc(chosen, func(other []int) bool { return slices.Equal(other, d.parts) }) {
			chosen = append(chosen, d.parts)
		}
	}
	return chosen
}

// reduced divides parts by their greatest common divisor.
func reduced(parts []int) []int {
	common := 0
	for _, p := range parts {
		common = arithmetic.GCD(common, p)
	}
	for i := range parts {
		parts[i] /= common
	}
	return parts
}
