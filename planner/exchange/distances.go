package exchange

// distances holds the number of hops to every offset from 0 in the directed circulant
// graph of a set of jumps.
type distances struct {
	hops  []int32
	total int
}

// far stands for an offset that cannot be reached. It is more than any distance, and
// the sum of n of them does not overflow.
const far = 1 << 20

// newDistances is that of no jumps.
func newDistances(nodes int) *distances {
	d := &distances{hops: make([]int32, nodes), total: (nodes - 1) * far}
	for o := 1; o < nodes; o++ {
		d.hops[o] = far
	}
	return d
}

// distancesOf returns the distances for a set of jumps, in O(nodes x jumps).
func distancesOf(nodes int, jumps []int) *distances {
	d := newDistances(nodes)
	for _, j := range jumps {
		d.with(d, j)
	}
	return d
}

// maxTotal is more than any total.
const maxTotal = far * MaxNodes

// with sets d to the distances that from has after one more jump. Both may be the same.
//
// The shortest way to an offset comes over the new jump from the one before it on the
// cycle of that jump, or does not use it. Going round a cycle from its smallest
// distance settles it; from anywhere else, a second time round does until the first
// offset that does not change. That is O(nodes).
func (d *distances) with(from *distances, jump int) {
	n := len(from.hops)
	cycles := gcd(n, jump)
	total := 0
	for start := range cycles {
		o, h := start, from.hops[start]
		for range n / cycles {
			h = min(h, from.hops[o])
			d.hops[o] = h
			total += int(h)
			h++
			if o += jump; o >= n {
				o -= n
			}
		}
		for ; h < d.hops[o]; h++ {
			total -= int(d.hops[o] - h)
			d.hops[o] = h
			if o += jump; o >= n {
				o -= n
			}
		}
	}
	d.total = total
}

// gcd returns the greatest common divisor.
func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
