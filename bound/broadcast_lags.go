package bound

import (
	"math"

	"github.com/lightpath-net/lightpath/fabric"
)

// maxLagNodes bounds the GPUs for which castLags looks at every number of holders, which takes the
// square of them.
const maxLagNodes = 1024

// lags is how much longer the mean lag is, for numbers of copies, where a circuit that a byte
// passes beyond the first of its way costs so much; no lags: as castBound has it.
type lags struct {
	price float64 // in ns of the mean lag, for one circuit more per arrival
	mean  []float64
}

// castLags returns the least of lag + price x, where x is how many circuits beyond one a byte
// passes for an arrival, in the mean.
//
// The steps after the copy in which a node gets the byte cost j start-ups, their hops and
// changes. The latter are those with which as many nodes as have it by then can be reached,
// without start-ups: R for alpha = 0. Besides, from m holders at most m*d^q nodes get it over q
// hops in a step, for q circuits each (see hopLoad), and groups of several copies' receivers,
// each counted from its own copy on, have no more than as many holders together have. So
// start-ups and circuits are at least the least over all ways to grow from the c receivers to n-1
// nodes, where in every step all who have not got the byte wait for a start-up:
//
//	E(m) = min over m' > m of  alpha (n-1-m) + price (hopLoad(m, m'-m) - (m'-m)) + E(m')
//
// The sum of both is a bound for the sum. O(n^2).
func castLags(f *fabric.Fabric, n int, price float64, count int) lags {
	alpha := float64(f.Alpha.Time())
	grown := make([]float64, n) // E by holders
	for m := n - 2; m >= 1; m-- {
		grown[m] = math.Inf(1)
		extra, hops, left, room := 0.0, 1.0, float64(m*f.Ports), float64(m*f.Ports)
		for to := m + 1; to < n; to++ {
			for left < 1 { // part of a node may be nearer
				room *= growth(f)
				hops++
				left += room
				if room == 0 {
					break
				}
			}
			if left < 1 {
				break
			}
			left--
			extra += price * (hops - 1)
			grown[m] = min(grown[m], extra+grown[to])
			if extra >= grown[m] {
				break // more cost more by themselves
			}
		}
		grown[m] += alpha * float64(n-1-m)
	}
	instant := *f
	instant.Alpha = 0
	mean := meanLags(newReaches(&instant, n), n, count)
	for i := range mean {
		mean[i] += grown[i+1] / float64(n-1)
	}
	return lags{price, mean}
}

// wait is the least over W of W + b lag/W, for the copies of a way, where ends are priced at 1-nu
// in all and circuits at nu. With x circuits more per arrival, the lag can be price x shorter,
// which saves less than they cost where W is as long as b price n / (nu a (n-1)).
func (l lags) wait(i int, w castWay, b, nu, a float64, n int) float64 {
	if l.mean == nil || l.mean[i] <= w.lag {
		return leastWait(b, w.lag, w.least, math.Inf(1))
	}
	from := b * l.price * float64(n) / (nu * a * float64(n-1))
	return min(leastWait(b, l.mean[i], max(w.least, from), math.Inf(1)), leastWait(b, w.lag, w.least, from))
}
