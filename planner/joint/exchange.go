package joint

// exchange is the exchange of all vectors at once on a network: everybody sends its own to
// everybody, and holds the sum at the end. That takes one start-up, and as many hops as the
// network is wide.
func (m *machine) exchange(net *network) *program {
	d := net.diameter
	p := &program{
		shape:  shape{steps: 1, hops: d, load: max(m.load(net.least(0, d)), loadOf(net.narrow(), m, []int{0, d}))},
		points: net.points, kind: exchange, scattered: 1, parts: 1, about: "exchange on " + net.graph.Name(),
		lay: func() []stage {
			_, ways := net.route(towards{high: d}, 1, true, never)
			for i := range ways {
				ways[i].modulus = 1
			}
			return []stage{{net: net, kind: exchange, steps: [][]way{ways}}}
		},
	}
	p.settle = once(func(stopped func() bool) (counted, bool) {
		t, _ := net.route(towards{high: d}, 1, false, stopped)
		return counted{hops: d, load: m.load(t)}, !stopped()
	})
	return p
}

// nearest lists, for j = 1..radix-1, the point whose number is weight*j modulo radix*weight
// at the least distance.
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
