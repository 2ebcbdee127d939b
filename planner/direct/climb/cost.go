package climb

import "math/bits"

// A shard is this many units of load, so that up to MaxDegree circuits can share it evenly.
const (
	shard     = 840 // the least common multiple of 1 to MaxDegree
	MaxDegree = 8   // subsets of the circuits into a node are tabulated
)

// meter measures breadth-first broadcasts.
type meter struct {
	degree int
	dist   []int32
	masks  []uint8
	queue  []int32
	sets   []int32
	size   []int64 // of a set of circuits: shard over their number
	peaks  []int64
	balls  *balls // of lifts
	words  *words // of lifts of few nodes

	peaksOnly bool // sums need not be exact
}

func newMeter(nodes, degree int) *meter {
	m := &meter{degree: degree, dist: make([]int32, nodes), masks: make([]uint8, nodes), queue: make([]int32, 0, nodes)}
	m.sets = make([]int32, 1<<degree)
	m.size = make([]int64, 1<<degree)
	for set := 1; set < len(m.size); set++ {
		m.size[set] = shard / int64(bits.OnesCount(uint(set)))
	}
	return m
}

// cost is what a broadcast takes.
type cost struct {
	missing int   // pairs that are farther apart than the steps allow, from the measured nodes
	time    int64 // of the busiest circuits of all steps, in parts of a shard
	sum     int64 // over the measured nodes, of the time that each would take by itself
}

func (c cost) plus(o cost) cost { return cost{c.missing + o.missing, c.time + o.time, c.sum + o.sum} }

// start forgets the peaks of what was measured before.
func (m *meter) start(steps int) {
	if cap(m.peaks) < steps {
		m.peaks = make([]int64, steps)
	}
	m.peaks = m.peaks[:steps]
	clear(m.peaks)
}

// gather measures an allgather of up to steps steps. lists has, for every node, the nodes that
// send to it. Only the first nodes are measured, which stand for all. Steps that are not needed
// cost nothing.
func (m *meter) gather(lists []int32, nodes, steps int) cost {
	if len(m.dist) <= mostWords {
		c := m.spread(lists, nodes, steps)
		m.words.weigh(m, lists, &c, unlimited())
		return c
	}
	if m.balls == nil || m.balls.width != nodes {
		m.balls = newBalls(len(m.dist), nodes)
	}
	return m.balls.gather(m, lists, steps)
}

// mostWords is the largest number of nodes for which a row is one word.
const mostWords = 64

// spread returns a lower bound on the cost of an allgather among few nodes, see words.
func (m *meter) spread(lists []int32, nodes, steps int) cost {
	if m.words == nil || m.words.width != nodes {
		m.words = newWords(len(m.dist), nodes, m.degree)
	}
	return m.words.spread(m, lists, steps)
}

// search is gather by a breadth-first search from every node.
func (m *meter) search(lists []int32, nodes, steps int) cost {
	m.start(steps)
	var c cost
	for u := range int32(nodes) {
		missing, own := m.receive(lists, u, steps)
		c.missing += missing
		c.sum += own
	}
	for _, p := range m.peaks {
		c.time += p
	}
	return c
}

// steps returns the number of steps that the last allgather needs.
func (m *meter) steps() int {
	steps := 0
	for _, p := range m.peaks {
		if p > 0 {
			steps++
		}
	}
	return steps
}

// receive measures what one node receives and raises the peaks.
func (m *meter) receive(lists []int32, u int32, steps int) (missing int, sum int64) {
	d := m.degree
	for i := range m.dist {
		m.dist[i] = -1
	}
	m.dist[u] = 0
	queue := m.queue[:0]
	for i, v := range lists[int(u)*d : int(u)*d+d] {
		switch {
		case v < 0 || v == u:
		case m.dist[v] < 0:
			m.dist[v], m.masks[v] = 1, 1<<i
			queue = append(queue, v)
		default:
			m.masks[v] |= 1 << i
		}
	}
	first := 0
	for t := 1; first < len(queue); t++ {
		last := len(queue)
		load := m.load(queue[first:last])
		sum += load
		m.peaks[t-1] = max(m.peaks[t-1], load)
		if t == steps {
			break
		}
		for ; first < last; first++ {
			x := queue[first]
			mask := m.masks[x]
			for _, v := range lists[int(x)*d : int(x)*d+d] {
				if v < 0 {
					continue
				}
				if m.dist[v] < 0 {
					m.dist[v], m.masks[v] = int32(t+1), mask
					queue = append(queue, v)
				} else if int(m.dist[v]) == t+1 {
					m.masks[v] |= mask
				}
			}
		}
	}
	return len(m.dist) - 1 - len(queue), sum
}

// load returns the load of the busiest circuit if shards are spread in the best way: the
// maximum, over all sets of circuits, of the number of shards that only the set can deliver,
// divided by the number of its circuits. (Zhao et al., Theorem 19.)
func (m *meter) load(level []int32) int64 {
	sets := m.sets
	clear(sets)
	for _, v := range level {
		sets[m.masks[v]]++
	}
	for bit := 1; bit < len(sets); bit <<= 1 {
		for block := 0; block < len(sets); block += 2 * bit {
			low, high := sets[block:block+bit], sets[block+bit:block+2*bit]
			for i, x := range low {
				high[i] += x
			}
		}
	}
	var most int64
	for set, shards := range sets {
		most = max(most, int64(shards)*m.size[set])
	}
	return most
}
