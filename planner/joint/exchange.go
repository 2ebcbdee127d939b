package joint

import "fmt"

// exchanges returns the exchanges on a network: everybody sends its vector and at the end
// everybody holds the sum. All at once takes as many hops as the network is wide and one
// start-up. On a network with a group of rotations it can also go by sub-digits, while the
// circuits stay: with P = p1*p2*.., the points that differ in one digit add their sums up,
// digit by digit. A digit of p values and weight w sends to one point of every residue
// class w*j + p*w*Z, whichever is nearest: complete residues for every digit make complete
// residues for all.
func (m *machine) exchanges(net *network, parts int) []*program {
	d := net.diameter
	if d == 0 {
		return nil
	}
	if !net.symmetric() || len(net.group.Dims) != 1 {
		p := exchangeBy(net.points, parts, shape{steps: 1, hops: d, load: m.load(net.least(0, d))}, net.graph.Name(),
			func() (*network, [][]int) { return net, [][]int{nil} })
		p.settle = func() {
			t, _ := net.route(towards{high: d}, parts, false)
			p.load = m.load(t)
		}
		return []*program{p}
	}
	return subDigits(net.points, parts, net.graph.Name(), func(weight, radix int) shape {
		t, _ := net.route(towards{high: d, only: nearest(net, weight, radix)}, parts, false)
		return shape{steps: 1, hops: t.hops, load: m.load(t)}
	}, func() *network { return net }, nearest)
}

// nearest lists, for j = 1..radix-1, the nearest point whose number is weight*j modulo
// radix*weight.
func nearest(net *network, weight, radix int) []int {
	dist := net.distances(0)
	targets := make([]int, 0, radix-1)
	for j := 1; j < radix; j++ {
		best := weight * j
		for v := best; v < net.points; v += radix * weight {
			if dist[v] < dist[best] {
				best = v
			}
		}
		targets = append(targets, best)
	}
	return targets
}

// subDigits returns the undominated ways to split the points into digits, given what a
// digit of a weight and a radix takes: a dynamic program over the divisors.
func subDigits(points, parts int, name string, digit func(weight, radix int) shape, net func() *network, targets func(net *network, weight, radix int) []int) []*program {
	type split struct {
		shape
		radices []int // the lowest weight first
	}
	known := map[int][]split{1: {{}}}
	for _, weight := range divisors(points)[1:] {
		var all []split
		for _, radix := range divisors(weight)[1:] {
			rest := known[weight/radix]
			if len(rest) == 0 {
				continue
			}
			last := digit(weight/radix, radix)
			for _, r := range rest {
				all = append(all, split{r.plus(last), append(append([]int(nil), r.radices...), radix)})
			}
		}
		var kept []split
		for i, a := range all {
			beaten := false
			for j, b := range all {
				if i != j && b.steps <= a.steps && b.hops <= a.hops && b.load <= a.load && (b.shape != a.shape || j < i) {
					beaten = true
					break
				}
			}
			if !beaten {
				kept = append(kept, a)
			}
		}
		known[weight] = kept
	}
	var programs []*program
	for _, s := range known[points] {
		programs = append(programs, exchangeBy(points, parts, s.shape, name, func() (*network, [][]int) {
			net, weight := net(), 1
			var steps [][]int
			for _, radix := range s.radices {
				steps = append(steps, targets(net, weight, radix))
				weight *= radix
			}
			return net, steps
		}))
	}
	return programs
}

// exchangeBy is the exchange of a shape on a network, in steps with given targets of point
// 0, nil for all; at is asked for them when the exchange is laid out.
func exchangeBy(points, parts int, takes shape, name string, at func() (*network, [][]int)) *program {
	return &program{
		shape: takes, points: points, kind: exchange, scattered: 1, parts: parts,
		about: fmt.Sprintf("exchange on %s", name),
		lay: func() []stage {
			net, steps := at()
			one := stage{net: net, kind: exchange}
			for _, only := range steps {
				_, ways := net.route(towards{high: net.diameter, only: only}, parts, true)
				for i := range ways {
					ways[i].modulus = 1
				}
				one.steps = append(one.steps, ways)
			}
			return []stage{one}
		},
	}
}

// ringExchanges are the exchanges on a one-way ring, by closed forms: a digit of radix p
// and weight w goes up to (p-1)*w hops and puts w*(1 + 2 + .. + p-1) vectors on a link.
func (m *machine) ringExchanges(points, width int) []*program {
	return subDigits(points, 1, ringName(points, width, false), func(weight, radix int) shape {
		w, p := float64(weight), float64(radix)
		t := tally{hops: (radix - 1) * weight, peak: w * p * (p - 1) / 2 / float64(width), dilation: (p - 1) * w / float64(width), pair: 1}
		return shape{steps: 1, hops: t.hops, load: m.load(t)}
	}, func() *network { return ring(points, width, false) }, func(_ *network, weight, radix int) []int {
		var targets []int
		for j := 1; j < radix; j++ {
			targets = append(targets, weight*j)
		}
		return targets
	})
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
