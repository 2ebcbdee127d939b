package maxflow

import (
	"errors"
	"fmt"
	"math"
)

// ErrCapacity says that an arc has a capacity that is negative or not finite or an end outside
// the graph, that the sum of capacities overflows, or that source and sink are not two nodes.
var ErrCapacity = errors.New("invalid flow network")

// Capacity is the type of capacities. With int64 every result is exact. With float64 results
// are exact as long as the sums of capacities are, as they are for integers below 2^53;
// otherwise the flow is conserved and equal to the cut up to the rounding of those sums.
type Capacity interface{ int64 | float64 }

// Arc is a directed arc of a flow network.
type Arc[C Capacity] struct {
	From, To int
	Capacity C
}

// Network finds maximum flows between pairs of nodes of one network, by the algorithm of Dinic
// (1970): breadth-first levels from the source, then a blocking flow along them by depth-first
// search that never visits a dead end twice. It takes O(nodes^2 x arcs), and O(arcs^1.5) if
// capacities are 1 (Even and Tarjan 1975). Arcs into the source, out of the sink or from a node
// to itself carry nothing.
//
// Every augmentation empties an arc exactly, because its residual is subtracted from itself.
// That makes the search finite with float64, too, and no tolerance is needed to tell which arcs
// are full.
type Network[C Capacity] struct {
	arcs []Arc[C]
	// Arc k of the network is residual 2k, and 2k+1 is its reverse.
	residual []C
	to       []int32
	start    []int32 // first of each node's residuals in list
	list     []int32
	level    []int32 // hops from the source in the residual network, -1 if none
	next     []int32 // index in list from which a node continues to look
	queue    []int32
	path     []int32 // residuals from the source to the current node
	source   int
}

// Nodes returns the number of nodes of the network.
func (m *Network[C]) Nodes() int { return len(m.level) }

// Arcs returns the arcs of the network, which the caller must not change.
func (m *Network[C]) Arcs() []Arc[C] { return m.arcs }

// New prepares a network on nodes 0..n-1. Arcs may be parallel.
func New[C Capacity](n int, arcs []Arc[C]) (*Network[C], error) {
	m := &Network[C]{
		arcs:     arcs,
		residual: make([]C, 2*len(arcs)),
		to:       make([]int32, 2*len(arcs)),
		start:    make([]int32, n+1),
		list:     make([]int32, 2*len(arcs)),
		level:    make([]int32, n),
		next:     make([]int32, n),
		queue:    make([]int32, 0, n),
		path:     make([]int32, 0, n),
	}
	var total C
	for k, a := range arcs {
		if a.From < 0 || a.From >= n || a.To < 0 || a.To >= n {
			return nil, fmt.Errorf("%w: arc %d from %d to %d in a network of %d nodes", ErrCapacity, k, a.From, a.To, n)
		}
		if !(a.Capacity >= 0) || math.IsInf(float64(a.Capacity), 1) {
			return nil, fmt.Errorf("%w: arc %d from %d to %d has capacity %v", ErrCapacity, k, a.From, a.To, a.Capacity)
		}
		if total += a.Capacity; total < 0 || math.IsInf(float64(total), 1) {
			return nil, fmt.Errorf("%w: the capacities up to arc %d add up to more than a number holds", ErrCapacity, k)
		}
		m.to[2*k], m.to[2*k+1] = int32(a.To), int32(a.From)
		m.start[a.From+1]++
		m.start[a.To+1]++
	}
	for u := range n {
		m.start[u+1] += m.start[u]
	}
	fill := m.next
	copy(fill, m.start)
	for k, a := range arcs {
		m.list[fill[a.From]] = int32(2 * k)
		fill[a.From]++
		m.list[fill[a.To]] = int32(2*k + 1)
		fill[a.To]++
	}
	return m, nil
}

// Solve finds a maximum flow from source to sink and returns its value. It may be called again
// for other pairs, and allocates nothing; Flow and SourceSide then refer to the last call.
func (m *Network[C]) Solve(source, sink int) (C, error) {
	if n := len(m.level); source < 0 || source >= n || sink < 0 || sink >= n || source == sink {
		return 0, fmt.Errorf("%w: from node %d to node %d of %d, want two different ones", ErrCapacity, source, sink, n)
	}
	m.source = source
	for k, a := range m.arcs {
		m.residual[2*k], m.residual[2*k+1] = a.Capacity, 0
	}
	var value C
	for m.levels(source, sink) {
		copy(m.next, m.start)
		value += m.blocking(source, sink)
	}
	return value, nil
}

// levels computes how far nodes are from the source in the residual network, and reports
// whether the sink can be reached. It searches no further than the sink. If there is no path to
// it, the nodes with a level are the source side of a minimum cut.
func (m *Network[C]) levels(source, sink int) bool {
	for u := range m.level {
		m.level[u] = -1
	}
	m.level[source] = 0
	m.queue = append(m.queue[:0], int32(source))
	for head := 0; head < len(m.queue); head++ {
		u := m.queue[head]
		for _, e := range m.list[m.start[u]:m.start[u+1]] {
			v := m.to[e]
			if m.residual[e] > 0 && m.level[v] < 0 {
				m.level[v] = m.level[u] + 1
				if int(v) == sink {
					return true
				}
				m.queue = append(m.queue, v)
			}
		}
	}
	return false
}

// blocking sends flow along paths of rising level until every one has a full arc.
func (m *Network[C]) blocking(source, sink int) C {
	var value C
	m.path = m.path[:0]
	u := int32(source)
	for {
		if int(u) == sink {
			// Push as much as the path takes and step back to before the first arc that is now full.
			amount := m.residual[m.path[0]]
			for _, e := range m.path[1:] {
				amount = min(amount, m.residual[e])
			}
			first := len(m.path)
			for i := len(m.path) - 1; i >= 0; i-- {
				e := m.path[i]
				m.residual[e] -= amount
				m.residual[e^1] += amount
				if m.residual[e] == 0 {
					first = i
				}
			}
			value += amount
			u = m.to[m.path[first]^1]
			m.path = m.path[:first]
			continue
		}
		if e := m.forward(u); e >= 0 {
			m.path = append(m.path, e)
			u = m.to[e]
			continue
		}
		if len(m.path) == 0 {
			return value
		}
		// A dead end: no later path may pass through it.
		m.level[u] = -1
		last := len(m.path) - 1
		u = m.to[m.path[last]^1]
		m.path = m.path[:last]
	}
}

// forward returns the next arc from u that has room and leads one level on, or -1.
func (m *Network[C]) forward(u int32) int32 {
	for ; m.next[u] < m.start[u+1]; m.next[u]++ {
		e := m.list[m.next[u]]
		if m.residual[e] > 0 && m.level[m.to[e]] == m.level[u]+1 {
			return e
		}
	}
	return -1
}

// Flow returns the flow on an arc, between 0 and its capacity.
func (m *Network[C]) Flow(arc int) C {
	if m.residual[2*arc] == 0 {
		return m.arcs[arc].Capacity
	}
	return min(m.residual[2*arc+1], m.arcs[arc].Capacity)
}

// SourceSide reports whether a node is on the source's side of the minimum cut with the fewest
// nodes on that side: those that could still get more.
func (m *Network[C]) SourceSide(u int) bool { return m.level[u] >= 0 }
