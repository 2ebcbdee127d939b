package digit

import (
	"iter"
	"math"
	"slices"
)

// Limits exclude some of the choices, to find out what these save. The zero value excludes
// nothing but reconfigurations.
type Limits struct {
	Changes    int  // the most reconfigurations
	NoPoints   int  // if above 0, no digit has this number of points
	NoExchange bool // everything is scattered and gathered
	NoRungs    bool // no digit has sub-digits
	NoNetworks bool // only rings and circulants that change
	NoSums     bool // values are added to, and never replaced
	NoWindows  bool // no sums of windows
	NoBalls    bool // no sums of balls
	// NoLines excludes what uses every port of every GPU where other choices do not: line
	// digraphs, and broadcasts digit by digit.
	NoLines bool
	// NoUneven excludes networks that look different from different points: on thousands of GPUs
	// a plan with several of them has more transfers than can be followed.
	NoUneven bool
	NoCast   CastFamily
}

// AnyChanges means that reconfigurations are not limited.
const AnyChanges = math.MaxInt32

// Spend subtracts changes from the limit; no limit stays no limit.
func Spend(left, changes int) int {
	if left == AnyChanges {
		return left
	}
	return left - changes
}

// chainChanges yields the limits on reconfigurations to try for a chain that a plan runs through
// the given number of times, if the plan may have most reconfigurations in all.
func chainChanges(most, times int) iter.Seq[int] {
	return func(yield func(int) bool) {
		if most == AnyChanges {
			yield(AnyChanges)
			return
		}
		for of := 0; of*times <= most; of++ {
			if !yield(of) {
				return
			}
		}
	}
}

// ChangesUpTo yields the limits on reconfigurations to try for a part of a plan that may have
// most in all.
func ChangesUpTo(most int) iter.Seq[int] { return chainChanges(most, 1) }

// CastFamily is a way to broadcast.
type CastFamily int

const (
	NoFamily CastFamily = iota
	Trees
	Pipelines
	Relays
	Cubes
	Calls
	Circulants
	Scatters
	Deals
	Digits
)

// String describes the family in words.
func (c CastFamily) String() string {
	return [...]string{"", "whole copies down trees", "pieces down trees", "pieces down trees one after the other", "a rotated hypercube", "pieces in rounds of calls", "rotated circulants", "a scatter and a gather", "a deal and rounds", "a broadcast digit by digit"}[c]
}

// Uses says which of the choices that Limits can exclude occur in a plan.
type Uses struct {
	Points                          []int
	Exchange, Rungs, Networks, Sums bool
	Windows, Balls                  bool
	Cast                            CastFamily
}

// Uses returns the choices that occur in a solution.
func (s Solution) Uses() Uses {
	var u Uses
	for _, d := range s.Digits {
		if !slices.Contains(u.Points, d.points) {
			u.Points = append(u.Points, d.points)
		}
		has := d.Make().has
		u.Exchange = u.Exchange || has.Exchange
		u.Rungs = u.Rungs || has.Rungs
		u.Networks = u.Networks || has.Networks
		u.Sums = u.Sums || has.Sums
		u.Windows = u.Windows || has.Windows
		u.Balls = u.Balls || has.Balls
	}
	return u
}
