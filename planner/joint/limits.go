package joint

import (
	"iter"
	"math"
)

// limits leave out some of what may be chosen, to find out what it saves. The zero value,
// but for changes, leaves out nothing.
type limits struct {
	changes    int  // of circuits, at most
	noPoints   int  // no digit has so many points, if above 0
	noExchange bool // everything is scattered and gathered
	noRungs    bool // no digit has sub-digits
	noNetworks bool // only rings and circulants that change
	noSums     bool // values are added to, and never replaced
	noWindows  bool // no sums of windows
	noCast     castFamily
}

// anyChanges is no limit on changes of circuits.
const anyChanges = math.MaxInt32

// spend takes changes off what is left of them; what is left of no limit is no limit.
func spend(left, changes int) int {
	if left == anyChanges {
		return left
	}
	return left - changes
}

// chainChanges yields how often the circuits of a chain that is gone along so many times
// may change, with so many changes in total.
func chainChanges(most, times int) iter.Seq[int] {
	return func(yield func(int) bool) {
		if most == anyChanges {
			yield(anyChanges)
			return
		}
		for of := 0; of*times <= most; of++ {
			if !yield(of) {
				return
			}
		}
	}
}

// castFamily is a way to broadcast.
type castFamily int

const (
	noFamily castFamily = iota
	trees
	pipelines
	relays
	cubes
	circulants
	scatters
)

func (c castFamily) String() string {
	return [...]string{"", "whole copies down trees", "pieces down trees", "pieces down trees one after the other", "a rotated hypercube", "rotated circulants", "a scatter and a gather"}[c]
}
