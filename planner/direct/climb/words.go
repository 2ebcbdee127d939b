package climb

import (
	"math"
	"math/bits"
)

// words measures broadcasts on bit sets, as balls does, for graphs so small that a row is one
// word. It first finds the nodes within every number of steps. They give a lower bound on the
// cost: its value if all circuits into a node were equally busy. Then it computes the time of
// each node, for as long as the total can be within a limit.
type words struct {
	nodes, width, degree int
	last                 uint64   // the bits of a word that are in use
	turns                []int32  // of every node: see turnsOf
	rows                 []uint64 // nodes within 0 steps of each node, 1 step and so on
	taken                int      // steps that bring something new
	given                [MaxDegree]uint64
	union                []uint64 // work: what each set of circuits can deliver
}

func newWords(nodes, width, degree int) *words {
	w := &words{nodes: nodes, width: width, degree: degree, last: ^uint64(0) >> (64 - nodes)}
	w.turns = turnsOf(nodes, width)
	w.union = make([]uint64, 1<<degree)
	return w
}

// turned returns the row of node v: that of the node that stands for it, rotated.
func (w *words) turned(rows []uint64, v int32) uint64 {
	turn := w.turns[v]
	row := rows[v-turn]
	if turn == 0 {
		return row
	}
	return (row<<turn | row>>(w.nodes-int(turn))) & w.last
}

// spread finds the rows of up to the given steps, and lower bounds on the peaks and the cost.
func (w *words) spread(m *meter, lists []int32, steps int) cost {
	m.start(steps)
	width := w.width
	w.rows = w.rows[:0]
	for u := range width {
		w.rows = append(w.rows, 1<<u)
	}
	var c cost
	size := m.size[len(m.size)-1]
	w.taken = 0
	for t := range steps {
		w.rows = append(w.rows, w.rows[t*width:(t+1)*width]...)
		old, row := w.rows[t*width:(t+1)*width], w.rows[(t+1)*width:(t+2)*width]
		most := 0
		for u, inside := range old {
			all := inside
			for _, v := range lists[u*w.degree : (u+1)*w.degree] {
				if v >= 0 {
					all |= w.turned(old, v)
				}
			}
			row[u] = all
			news := bits.OnesCount64(all &^ inside)
			most = max(most, news)
			c.sum += int64(news) * size
		}
		if most == 0 {
			break
		}
		m.peaks[t] = int64(most) * size
		c.time += m.peaks[t]
		w.taken++
	}
	c.missing = width * w.nodes
	for _, row := range w.rows[w.taken*width : (w.taken+1)*width] {
		c.missing -= bits.OnesCount64(row)
	}
	return c
}

// limit is how much a cost may still grow, and the weights of times and sums in it.
type limit struct{ rest, time, sum int64 }

// unlimited returns a limit that is never reached.
func unlimited() *limit { return &limit{rest: math.MaxInt64} }

// within adds a part to the cost and reports whether the cost is still within the limit.
func (l *limit) within(time, sum int64) bool {
	l.rest -= l.time*time + l.sum*sum
	return l.rest >= 0
}

// weigh raises the peaks and the cost from the lower bounds of spread to their exact values. It
// reports false if the cost exceeds the limit.
func (w *words) weigh(m *meter, lists []int32, c *cost, l *limit) bool {
	size := m.size[len(m.size)-1]
	for t := range w.taken {
		old, row := w.rows[t*w.width:(t+1)*w.width], w.rows[(t+1)*w.width:(t+2)*w.width]
		for u, inside := range old {
			fresh := row[u] &^ inside
			if fresh == 0 {
				continue
			}
			news := bits.OnesCount64(fresh)
			load := w.load(m, lists[u*w.degree:(u+1)*w.degree], old, fresh)
			more, higher := load-int64(news)*size, max(0, load-m.peaks[t])
			m.peaks[t] += higher
			c.sum += more
			c.time += higher
			if (more > 0 || higher > 0) && !l.within(higher, more) {
				return false
			}
		}
	}
	return true
}

// load returns the load of the busiest circuit into a node that receives the fresh shards from
// the given nodes.
func (w *words) load(m *meter, from []int32, old []uint64, fresh uint64) int64 {
	ports, most, sum := 0, 0, 0
	for _, v := range from {
		if v < 0 {
			continue
		}
		word := w.turned(old, v) & fresh
		if word == 0 {
			continue
		}
		w.given[ports] = word
		ports++
		one := bits.OnesCount64(word)
		most = max(most, one)
		sum += one
	}
	if news := bits.OnesCount64(fresh); news < sum {
		return w.densest(m, w.given[:ports], news)
	}
	return int64(most) * shard
}

// densest is balls.densest without the circuits that deliver nothing.
func (w *words) densest(m *meter, given []uint64, news int) int64 {
	union := w.union
	size := m.size[:1<<len(given)]
	most := int64(news) * size[len(size)-1]
	for i, word := range given {
		from, into := union[:1<<i], union[1<<i:2<<i]
		rest := size[len(size)-2<<i : len(size)-1<<i]
		for set, covered := range from {
			covered |= word
			into[set] = covered
			if load := int64(news-bits.OnesCount64(covered)) * rest[1<<i-1-set]; load > most {
				most = load
			}
		}
	}
	return most
}
