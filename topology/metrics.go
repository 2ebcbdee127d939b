package topology

import (
	"context"
	"math/big"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/lightpath-net/lightpath/internal/threads"
)

// Metrics are the figures that describe a topology. A figure that does not exist is
// nil: distances when some node cannot reach another, the Moore diameter when no
// graph of that degree can hold the nodes.
type Metrics struct {
	Expr             string   `json:"expr"`
	Nodes            int      `json:"nodes"`
	Degree           int      `json:"degree"`
	Circuits         int      `json:"circuits"`
	Regular          bool     `json:"regular"`
	Connected        bool     `json:"connected"`
	Bidirectional    bool     `json:"bidirectional"`
	Diameter         *int     `json:"diameter"`
	AverageDistance  *float64 `json:"average_distance"`
	MooreDiameter    *int     `json:"moore_diameter"`
	ReverseSymmetric bool     `json:"reverse_symmetric"`
}

// Measure computes the metrics of g. Distances take a search from every node, spread
// over the processors, or from a single node if g has a transitive Symmetry. It
// returns the context's error if that ends first.
//
// Moore diameters are those of directed graphs, even for two-way ones: Zhao et al.,
// appendix B.1, compare every topology with that bound.
func (g *Graph) Measure(ctx context.Context) (Metrics, error) {
	m := Metrics{
		Expr:          g.name,
		Nodes:         g.Nodes(),
		Degree:        g.Degree(),
		Circuits:      g.Circuits(),
		Regular:       g.Regular(),
		Bidirectional: g.Bidirectional(),
	}
	spread, err := g.distances(ctx)
	if err != nil {
		return Metrics{}, err
	}
	if spread.connected {
		m.Connected = true
		m.Diameter = &spread.diameter
		average, _ := spread.average(g.Nodes()).Float64()
		m.AverageDistance = &average
	}
	if k, ok := MooreDiameter(m.Nodes, m.Degree, false); ok {
		m.MooreDiameter = &k
	}
	if m.ReverseSymmetric, err = g.ReverseSymmetric(ctx); err != nil {
		return Metrics{}, err
	}
	return m, nil
}

// Regular reports whether the same number of circuits leaves and enters every node.
func (g *Graph) Regular() bool {
	for u, in := range g.InDegrees() {
		if in != g.OutDegree(0) || g.OutDegree(u) != in {
			return false
		}
	}
	return true
}

// Distances fills dist with the hops from src to every node, -1 where there is no
// path, by breadth-first search in O(n + bundles). dist has one element per node and
// queue room for as many; nothing is allocated. It returns the nodes reached, src
// included, in ascending order of distance; they are in queue.
func (g *Graph) Distances(src int, dist, queue []int32) []int32 {
	for i := range dist {
		dist[i] = -1
	}
	dist[src] = 0
	queue = append(queue[:0], int32(src))
	for head := 0; head < len(queue); head++ {
		u := queue[head]
		for _, v := range g.to[g.start[u]:g.start[u+1]] {
			if dist[v] < 0 {
				dist[v] = dist[u] + 1
				queue = append(queue, v)
			}
		}
	}
	return queue
}

// Joins reports whether each of the given nodes, or of all if none is given, reaches every other:
// the first of them reaches all, and all reach the first.
func (g *Graph) Joins(nodes ...int) bool {
	if nodes == nil {
		nodes = make([]int, g.Nodes())
		for u := range nodes {
			nodes[u] = u
		}
	}
	dist, queue := make([]int32, g.Nodes()), make([]int32, 0, g.Nodes())
	apart := func(u int) bool { return dist[u] < 0 }
	for _, way := range []*Graph{g, g.Transpose("")} {
		if len(nodes) == 0 {
			break
		}
		if way.Distances(nodes[0], dist, queue); slices.ContainsFunc(nodes, apart) {
			return false
		}
	}
	return true
}

// Diameter returns the largest distance between two nodes, and false if some node
// cannot reach another.
func (g *Graph) Diameter() (int, bool) {
	s, _ := g.distances(context.Background())
	return s.diameter, s.connected
}

// AverageDistance returns the exact mean distance over ordered pairs of distinct
// nodes, and false if some node cannot reach another. That of a single node is 0.
func (g *Graph) AverageDistance() (*big.Rat, bool) {
	s, _ := g.distances(context.Background())
	if !s.connected {
		return nil, false
	}
	return s.average(g.Nodes()), true
}

// spread sums up the distances between all ordered pairs of nodes.
type spread struct {
	connected bool
	diameter  int
	total     int64
}

func (s spread) average(n int) *big.Rat { return big.NewRat(s.total, max(1, int64(n)*int64(n-1))) }

func (g *Graph) distances(ctx context.Context) (spread, error) {
	n := g.Nodes()
	dist, queue := make([]int32, n), make([]int32, 0, n)
	if n == 0 {
		return spread{connected: true}, nil
	}
	// One search finds most graphs that are not connected, without looking for a
	// symmetry or at the other sources.
	one, ok := g.from(0, dist, queue)
	if !ok {
		return spread{}, nil
	}
	if _, transitive := g.Symmetry(); transitive {
		one.total *= int64(n)
		return one, ctx.Err()
	}

	workers := min(threads.Of(ctx), n)
	parts := make([]spread, workers)
	var source atomic.Int64
	var broken atomic.Bool
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			dist, queue := make([]int32, n), make([]int32, 0, n)
			for !broken.Load() && ctx.Err() == nil {
				src := int(source.Add(1)) - 1
				if src >= n {
					return
				}
				s, ok := g.from(src, dist, queue)
				if !ok {
					broken.Store(true)
				}
				parts[w].diameter = max(parts[w].diameter, s.diameter)
				parts[w].total += s.total
			}
		})
	}
	all.Wait()
	if err := ctx.Err(); err != nil {
		return spread{}, err
	}
	if broken.Load() {
		return spread{}, nil
	}
	sum := spread{connected: true}
	for _, p := range parts {
		sum.diameter = max(sum.diameter, p.diameter)
		sum.total += p.total
	}
	return sum, nil
}

// from sums up the distances from one node; ok is false if it cannot reach all.
func (g *Graph) from(src int, dist, queue []int32) (s spread, ok bool) {
	reached := g.Distances(src, dist, queue)
	if len(reached) < g.Nodes() {
		return spread{}, false
	}
	for _, v := range reached {
		s.total += int64(dist[v])
	}
	s.diameter = int(dist[reached[len(reached)-1]])
	s.connected = true
	return s, true
}

// MooreDiameter returns the smallest diameter that the Moore bound allows n nodes of degree d:
// 1 + d + d^2 + .. + d^k >= n for directed graphs (Zhao et al., Def. 11), 1 + d + d(d-1) + .. +
// d(d-1)^(k-1) >= n for bidirectional ones (Table 7). If n and d are both odd, one node of a
// bidirectional graph has a port less, and reaches no more than 1 + (d-1) + (d-1)^2 + .. +
// (d-1)^k nodes. It returns false if no diameter is enough.
func MooreDiameter(n, d int, bidirectional bool) (int, bool) {
	growth := d
	if bidirectional {
		growth = d - 1
	}
	reached, layer := 1, min(d, n)
	if bidirectional && n%2 == 1 && d%2 == 1 {
		layer = min(d-1, n)
	}
	for k := 0; ; k++ {
		if reached >= n {
			return k, true
		}
		if layer <= 0 {
			return 0, false
		}
		reached += layer
		// A layer of n nodes is as good as any larger one, and cannot overflow.
		if growth > 0 && layer > n/growth {
			layer = n
		} else {
			layer *= growth
		}
	}
}
