package bound

import (
	"math"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// endsSlack is far above the rounding of a difference of latencies, as part of the least latency,
// and far below a start-up or a hop.
const endsSlack = 1e-9

// castEnds bounds the time of a broadcast or a reduction, in ns, by what the first and the
// last to get data cannot do at once; for messages that are neither small nor large it is
// often more than castBound.
//
// Let R(k), a and L be as there, and t the first step that brings anything to the last of
// the n nodes: the steps up to t cost R(n), and all of the message comes to that node in t or
// later. A byte of which the root sends c copies in total, the first in step s, gets from their
// c receivers to the n-1 others in the steps after s: these cost R((n-1)/c). So
//
//   - bytes that leave the root in t or later have c copies with R(n) + R((n-1)/c) <= L;
//   - all bytes have c copies with alpha + delta + R((n-1)/c) <= L.
//
// Let c* and c0 be the least numbers of these two kinds, and g the share of the bytes that
// have c* copies or more. The root sends (1-g)c0 + g c* messages; and all others leave it
// before t, so steps before t take (1-g)a, and those from t on a. With c0 = 1 that is least
// for g = 1/c*, so the time is at least
//
//	L + a (2 - 1/c*), with c0 > 1: L + a c0
//
// and of that the least over L counts: where L = R(n) + R(n-1) the message passes once, and
// where L is less nearly twice. Both numbers change only where L is one of the two sums for
// some c.
//
// The latency of all plans that count is at least that of the last argument.
func castEnds(f *fabric.Fabric, n int, size units.Bytes, latency float64) float64 {
	r := newReaches(f, n)
	a := float64(f.Bandwidth.Transmit(float64(size) / float64(f.Ports)))
	all, hop := r.least(n).cost, float64(f.Alpha.Time()+f.Delta.Time())
	// after is what the steps cost that follow when the root sends so many copies.
	after := func(copies int) float64 { return r.least((n - 2 + copies) / copies).cost }
	// copies is the least number with which they cost no more than that, up to the rounding of the
	// sums that are tried.
	copies := func(cost float64) int {
		cost += endsSlack * all
		low, high := 1, n-1 // with n-1 they cost nothing
		for low < high {
			if mid := (low + high) / 2; after(mid) <= cost {
				high = mid
			} else {
				low = mid + 1
			}
		}
		return low
	}
	least := math.Inf(1)
	try := func(sum float64) {
		if sum < all {
			return // nothing reaches everybody in that
		}
		sum = max(sum, latency)
		load := float64(copies(sum - hop))
		if load == 1 {
			load = 2 - 1/float64(copies(sum-all))
		}
		least = min(least, sum+a*load)
	}
	try(all)
	for c := 1; c < n; c++ {
		try(hop + after(c))
		try(all + after(c))
		for c+1 < n && (n-1+c)/(c+1) == (n-2+c)/c {
			c++ // the same is left
		}
	}
	return least
}
