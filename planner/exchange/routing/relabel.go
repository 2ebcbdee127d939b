package routing

import (
	"context"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
)

// relabelWork bounds the products that Relabel computes: beyond it, it ends before no
// exchange is left that helps. 2^27 take a fourth of a second.
const relabelWork = 1 << 27

// Relabel finds which node of the demand had best be which node of the topologies: at[u] is the
// place of node u, and hops[p][q] the hops from place p to place q. From the places of start on,
// it exchanges pairs of nodes as long as that lowers the hops of all chunks together. Finding the
// best is the quadratic assignment problem; a pass over all exchanges takes O(n^3).
func Relabel(ctx context.Context, demand model.Demand, hops [][]int, start []int) ([]int, error) {
	p := newPlacement(demand, hops, start)
	n := p.nodes
	work := 0
	for changed := true; changed && work < relabelWork; work += n * n * n {
		changed = false
		for u := range n {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			for v := u + 1; v < n; v++ {
				if p.gain(u, v) > 0 {
					p.exchange(u, v)
					changed = true
				}
			}
		}
	}
	return p.at, nil
}

// placement is the state of Relabel. Matrices are flat, and there is a transposed copy of
// each, so that a gain is a sum over rows.
type placement struct {
	nodes   int
	at      []int
	out, in []int // what u has for w, and w for u, at u*nodes+w
	// far and off are the hops from the place of u to that of w, and back; small numbers, so that
	// many are at hand.
	far, off []int32
}

func newPlacement(demand model.Demand, hops [][]int, start []int) *placement {
	n := demand.Nodes()
	p := &placement{nodes: n, at: make([]int, n), out: make([]int, n*n), in: make([]int, n*n), far: make([]int32, n*n), off: make([]int32, n*n)}
	for u := range n {
		p.at[u] = start[u]
		for v := range n {
			p.out[u*n+v], p.in[v*n+u] = demand.Count(u, v), demand.Count(u, v)
			far := int32(hops[start[u]][start[v]])
			p.far[u*n+v], p.off[v*n+u] = far, far
		}
	}
	return p
}

// gain returns how many hops are saved when two nodes change places.
func (p *placement) gain(u, v int) int {
	n := p.nodes
	row := func(m []int, u int) []int { return m[u*n : u*n+n : u*n+n] }
	near := func(m []int32, u int) []int32 { return m[u*n : u*n+n : u*n+n] }
	gain := productSum(row(p.out, u), row(p.out, v), near(p.far, u), near(p.far, v)) +
		productSum(row(p.in, u), row(p.in, v), near(p.off, u), near(p.off, v))
	// The sums count what the two have for each other, and themselves, wrongly.
	for _, w := range [2]int{u, v} {
		gain -= (p.out[u*n+w] - p.out[v*n+w]) * int(p.far[u*n+w]-p.far[v*n+w])
		gain -= (p.in[u*n+w] - p.in[v*n+w]) * int(p.off[u*n+w]-p.off[v*n+w])
	}
	return gain + (p.out[u*n+v]-p.in[u*n+v])*int(p.far[u*n+v]-p.off[u*n+v])
}

// productSum returns the sum of (a-b)*(c-d).
func productSum(a, b []int, c, d []int32) int {
	b, c, d = b[:len(a)], c[:len(a)], d[:len(a)] // no bounds to check
	sum := 0
	for i, x := range a {
		sum += (x - b[i]) * int(c[i]-d[i])
	}
	return sum
}

// exchange lets two nodes change places.
func (p *placement) exchange(u, v int) {
	n := p.nodes
	p.at[u], p.at[v] = p.at[v], p.at[u]
	for _, m := range [2][]int32{p.far, p.off} {
		for w := range n {
			m[u*n+w], m[v*n+w] = m[v*n+w], m[u*n+w]
		}
		for w := range n {
			m[w*n+u], m[w*n+v] = m[w*n+v], m[w*n+u]
		}
	}
}

// Placed returns circuits between places as circuits between nodes.
func Placed(circuits [][]int, at []int) [][]int {
	node := make([]int, len(at))
	for u, p := range at {
		node[p] = u
	}
	out := make([][]int, len(circuits))
	for i, next := range circuits {
		out[i] = make([]int, len(at))
		for u, p := range at {
			out[i][u] = -1
			if next[p] >= 0 {
				out[i][u] = node[next[p]]
			}
		}
	}
	return out
}
