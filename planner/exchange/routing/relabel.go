package routing

import (
	"context"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
)

// relabelWork bounds the passes of Relabel over all exchanges, each counted as nodes cubed.
// Beyond it, Relabel ends even if exchanges are left that would help.
const relabelWork = 1 << 27

// Relabel places the nodes of the demand on the nodes of the topologies: it returns the place
// of every node u, and hops[p][q] is the number of hops from place p to place q. It starts from
// the places in start, and exchanges pairs of nodes as long as that lowers the total hops of
// all chunks. Finding the best places is the quadratic assignment problem. A pass over all
// exchanges takes O(n^3). Most exchanges that help are made in the first pass. From the second
// pass on the gains of all exchanges are kept up to date, which takes O(n^2) for each exchange
// made.
func Relabel(ctx context.Context, demand model.Demand, hops [][]int, start []int) ([]int, error) {
	p := newPlacement(demand, hops, start)
	n := p.nodes
	work := 0
	for changed := true; changed && work < relabelWork; work += n * n * n {
		changed = false
		if work > 0 && p.cross == nil {
			p.fillCross()
		}
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
// each, so that sums go along rows.
type placement struct {
	nodes    int
	at       []int
	out, in  []int // what u has for w, and w for u, at u*nodes+w
	far, off []int // hops from the place of u to that of w, and back
	// cross has, at u*nodes+v, the hops of all chunks from and to u if u had v's distances
	// instead of its own: the sum over w of out[u,w]*far[v,w] + in[u,w]*off[v,w]. Once filled,
	// it is kept up to date, so that a gain takes no sum.
	cross                []int
	farChange, offChange []int // working memory of exchange
}

func newPlacement(demand model.Demand, hops [][]int, start []int) *placement {
	n := demand.Nodes()
	p := &placement{nodes: n, at: make([]int, n), out: make([]int, n*n), in: make([]int, n*n), far: make([]int, n*n), off: make([]int, n*n)}
	for u := range n {
		p.at[u] = start[u]
		for v := range n {
			p.out[u*n+v], p.in[v*n+u] = demand.Count(u, v), demand.Count(u, v)
			p.far[u*n+v], p.off[v*n+u] = hops[start[u]][start[v]], hops[start[u]][start[v]]
		}
	}
	return p
}

// fillCross makes cross, in O(n^3).
func (p *placement) fillCross() {
	n := p.nodes
	p.cross, p.farChange, p.offChange = make([]int, n*n), make([]int, n), make([]int, n)
	for u := range n {
		for v := range n {
			p.cross[u*n+v] = productSum(p.row(p.out, u), p.row(p.far, v)) + productSum(p.row(p.in, u), p.row(p.off, v))
		}
	}
}

// row returns a row of a matrix.
func (p *placement) row(m []int, u int) []int { return m[u*p.nodes : (u+1)*p.nodes] }

// gain returns how many hops are saved when two nodes change places.
func (p *placement) gain(u, v int) int {
	n := p.nodes
	gain := 0
	if p.cross != nil {
		gain = p.cross[u*n+u] + p.cross[v*n+v] - p.cross[u*n+v] - p.cross[v*n+u]
	} else {
		gain = apartSum(p.row(p.out, u), p.row(p.out, v), p.row(p.far, u), p.row(p.far, v)) +
			apartSum(p.row(p.in, u), p.row(p.in, v), p.row(p.off, u), p.row(p.off, v))
	}
	// The sums are wrong for chunks between the two nodes and for their own terms.
	for _, w := range [2]int{u, v} {
		gain -= (p.out[u*n+w] - p.out[v*n+w]) * (p.far[u*n+w] - p.far[v*n+w])
		gain -= (p.in[u*n+w] - p.in[v*n+w]) * (p.off[u*n+w] - p.off[v*n+w])
	}
	return gain + (p.out[u*n+v]-p.in[u*n+v])*(p.far[u*n+v]-p.off[u*n+v])
}

// productSum returns the sum of products.
func productSum(a, b []int) int {
	b = b[:len(a)]
	sum := 0
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}

// apartSum returns the sum of (a-b)*(c-d).
func apartSum(a, b, c, d []int) int {
	b, c, d = b[:len(a)], c[:len(a)], d[:len(a)]
	sum := 0
	for i, x := range a {
		sum += (x - b[i]) * (c[i] - d[i])
	}
	return sum
}

// exchange lets two nodes change places, in O(n), or in O(n^2) if cross is kept.
func (p *placement) exchange(u, v int) {
	n := p.nodes
	p.at[u], p.at[v] = p.at[v], p.at[u]
	for _, m := range [2][]int{p.far, p.off} {
		for w := range n {
			m[u*n+w], m[v*n+w] = m[v*n+w], m[u*n+w]
		}
		for w := range n {
			m[w*n+u], m[w*n+v] = m[w*n+v], m[w*n+u]
		}
	}
	if p.cross == nil {
		return
	}
	// The two nodes have taken each other's distances, and every other node has exchanged its
	// distances to the two.
	for w := range n {
		p.farChange[w], p.offChange[w] = p.far[w*n+u]-p.far[w*n+v], p.off[w*n+u]-p.off[w*n+v]
	}
	for t := range n {
		out, in := p.out[t*n+u]-p.out[t*n+v], p.in[t*n+u]-p.in[t*n+v]
		cross := p.row(p.cross, t)
		cross[u], cross[v] = cross[v], cross[u]
		far, off := p.farChange[:len(cross)], p.offChange[:len(cross)]
		for w := range cross {
			cross[w] += out*far[w] + in*off[w]
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
