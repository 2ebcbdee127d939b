package auto

import (
	"cmp"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/units"
)

// Bounds is what is known of a way to plan before it is planned.
type Bounds struct {
	Least units.Time // a lower bound on its time
	Most  units.Time // an upper bound; +Inf if none is certain
	Lost  bool       // it cannot win
}

// Order sorts ways into the order in which they are tried: by their lower bounds, in a tie the
// earlier way first. The way with the least upper bound comes before all others, unless it has
// lost, so that the others can be given up sooner. Order reports whether the first way is there
// only for that reason.
func Order[W any](ways []W, bounds func(w W) Bounds) (sure bool) {
	type ranked struct {
		way W
		Bounds
		index int
	}
	all := make([]ranked, len(ways))
	safest := 0
	for i, w := range ways {
		all[i] = ranked{w, bounds(w), i}
		if all[i].Most < all[safest].Most {
			safest = i
		}
	}
	slices.SortStableFunc(all, func(a, b ranked) int { return cmp.Compare(a.Least, b.Least) })
	at := slices.IndexFunc(all, func(r ranked) bool { return r.index == safest })
	if at > 0 && !math.IsInf(float64(all[at].Most), 1) && !all[at].Lost {
		first := all[at]
		all = slices.Insert(slices.Delete(all, at, at+1), 0, first)
		sure = true
	}
	for i, r := range all {
		ways[i] = r.way
	}
	return sure
}
