package balls

import (
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/planner/joint/network"
)

// Least returns a lower bound on the load of the second step, after a first step of the given
// number of hops, as if every link carried the same. The points at least near+c hops from a
// receiver come from points at least c hops away, and no more of them from one than are in its
// ball. So there are at least as many such messages as it takes of the balls that have the most.
func Least(net *network.Network, near int) float64 {
	n, far := net.Points, net.Diameter-near
	ball := ballsOf(net, near)
	from := make([][]int16, n) // distances
	for u := range n {
		from[u] = net.Distances(u)
	}
	farther, sum := newSet(n), 0
	for to := range n {
		messages := 0
		for c := far; c > 0; c-- {
			clear(farther)
			for u := range n {
				if int(from[u][to]) >= near+c {
					farther.add(u)
				}
			}
			most := 0
			for u := range n {
				if d := int(from[u][to]); d >= c && d <= far {
					most = max(most, farther.shared(ball[u]))
				}
			}
			if most > 0 {
				messages = max(messages, arithmetic.CeilDiv(farther.count(), most))
			}
			sum += messages
		}
	}
	return float64(sum) / net.Links
}
