package bound

import (
	"math"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// endsSlack is far above the rounding of a difference of latencies, relative to the least
// latency, and far below a start-up or a hop.
const endsSlack = 1e-9

// castEnds bounds the time of a broadcast or a reduction, in ns, by what the first and the last
// nodes to get data cannot do at the same time. For messages that are neither small nor large
// it is often above castBound.
//
// Let R(k), a and L be as in castBound, and t the first step that brings anything to the last
// of the n nodes: the steps up to t cost at least R(n), and all of the message arrives at that
// node in t or later. If the root sends c copies of a byte in total, the first in step s, then
// their c receivers pass it to the n-1 others in the steps after s: these cost at least
// R((n-1)/c). So
//
//   - bytes that leave the root in t or later have a c with R(n) + R((n-1)/c) <= L;
//   - all bytes have a c with alpha + delta + R((n-1)/c) <= L.
//
// Let c* and c0 be the least numbers of these two kinds, and g the fraction of the bytes that
// have at least c* copies. The root sends (1-g)c0 + g c* messages, and all other bytes leave it
// before t, so steps before t take (1-g)a, and those from t on take a. With c0 = 1 the maximum
// of the two bounds is least for g = 1/c*, so the time is at least
//
//	L + a (2 - 1/c*), with c0 > 1: L + a c0
//
// The bound is the minimum over L: if L = R(n) + R(n-1), the message passes once, and if L is
// less, nearly twice. Both numbers change only where L is one of the two sums for some c.
//
// Only plans with at least the given latency count.
func castEnds(f *fabric.Fabric, n int, size units.Bytes, latency float64) float64 {
	r := newReaches(f, n)
	a := float64(f.Bandwidth.Transmit(float64(size) / float64(f.Ports)))
	all, hop := r.least(n).cost, float64(f.Alpha.Time()+f.Delta.Time())
	// after returns the cost of the steps that follow if the root sends the given number of
	// copies.
	after := func(copies int) float64 { return r.least((n - 2 + copies) / copies).cost }
	// copies returns the least number of copies for which these steps cost at most the given
	// amount, up to the rounding of the sums that are tried.
	copies := func(cost float64) int {
		cost += endsSlack * all
		low, high := 1, n-1 // with n-1 copies they cost nothing
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
			return // nothing reaches everyone in that time
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
			c++ // with the same rest
		}
	}
	return least
}
