package digit

import (
	"iter"
	"math"
)

// Limits leave out some of what may be chosen, to find out what it saves. The zero value,
// but for changes, leaves out nothing.
type Limits struct {
	Changes    int  // of circuits, at most
	NoPoints   int  // no digit has so many points, if above 0
	NoExchange bool // everything is scattered and gathered
	NoRungs    bool // no digit has sub-digits
	NoNetworks bool // only rings and circulants that change
	NoSums     bool // values are added to, and never replaced
	NoWindows  bool // no sums of windows
	// NoLines leaves out what uses every port of every GPU where something else does not: line
	// digraphs, and broadcasts digit by digit.
	NoLines bool
	// NoUneven leaves out networks that look different from their points: on thousands of GPUs a plan
	// with several of them has more transfers than can be followed.
	NoUneven bool
	NoCast   CastFamily
}

// AnyChanges is no limit on changes of circuits.
const AnyChanges = math.MaxInt32

// Spend subtracts changes from the limit; no limit stays no limit.
func Spend(left, changes int) int {
	if left == AnyChanges {
		return left
	}
	return left - changes
}

// chainChanges yields how often the circuits of a chain that is gone along so many times
// may change, with so many changes in all.
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

// ChangesUpTo yields how often the circuits of a part may change, with so many changes in all.
func ChangesUpTo(most int) iter.Seq[int] { return chainChanges(most, 1) }

// CastFamily is a way to broadcast.
type CastFamily int

const (
	NoFamily CastFamily = iota
	Trees
	Pipelines
	Relays
	Cubes
	Circulants
	Scatters
	Digits
)

// String tells the family in words.
func (c CastFamily) String() string {
	return [...]string{"", "whole copies down trees", "pieces down trees", "pieces down trees one after the other", "a rotated hypercube", "rotated circulants", "a scatter and a gather", "a broadcast digit by digit"}[c]
}
