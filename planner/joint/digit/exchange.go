package digit

import "github.com/lightpath-net/lightpath/planner/joint/network"

// exchange returns the exchange of all vectors at once on a network: every point sends its vector
// to all others, and holds the sum at the end. It takes one start-up, and as many hops as the
// network's diameter.
func (m *Machine) exchange(net *network.Network) *program {
	d := net.Diameter
	p := &program{
		Shape:  Shape{Steps: 1, Hops: d, Load: max(m.Load(net.Least(0, d)), loadOf(net.Narrow(), m, []int{0, d}))},
		points: net.Points, kind: exchange, scattered: 1, parts: 1, about: "exchange on " + net.Graph.Name(),
		Lay: func() []stage {
			_, ways := net.Route(network.Towards{High: d}, 1, true, never)
			for i := range ways {
				ways[i].Modulus = 1
			}
			return []stage{{Net: net, kind: exchange, steps: [][]network.Way{ways}}}
		},
	}
	p.settle = once(func(stopped func() bool) (counted, bool) {
		t, _ := net.Route(network.Towards{High: d}, 1, false, stopped)
		return counted{hops: d, load: m.Load(t)}, !stopped()
	})
	return p
}

// nearest lists, for j = 1..radix-1, the nearest point whose number is weight*j modulo
// radix*weight.
func nearest(dist []int16, weight, radix int) []int {
	targets := make([]int, 0, radix-1)
	for j := 1; j < radix; j++ {
		best := weight * j
		for v := best; v < len(dist); v += radix * weight {
			if dist[v] < dist[best] {
				best = v
			}
		}
		targets = append(targets, best)
	}
	return targets
}

// divisors lists the divisors of n, ascending.
func divisors(n int) []int {
	var low, high []int
	for d := 1; d*d <= n; d++ {
		if n%d == 0 {
			low = append(low, d)
			if d*d < n {
				high = append(high, n/d)
			}
		}
	}
	for i := len(high) - 1; i >= 0; i-- {
		low = append(low, high[i])
	}
	return low
}
