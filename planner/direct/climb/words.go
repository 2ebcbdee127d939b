package climb

import (
	"math"
	"math/bits"
)

// words measures broadcasts in bits, as balls does, where a row is one word. It first finds the
// nodes within every number of steps, from which the cost is at least what it would be if all
// circuits into a node were equally busy; then what each node takes, as long as the whole can be
// within a limit.
type words struct {
	nodes, width, degree int
	last                 uint64   // the bits of a word that are in use
	turns                []int32  // of every node: see turnsOf
	rows                 []uint64 // for 0 steps, 1 step and so on, the nodes within so many of each
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

// turned is the row of a node, whose row is that of another, turned.
func (w *words) turned(rows []uint64, v int32) uint64 {
	turn := w.turns[v]
	row := rows[v-turn]
	if turn == 0 {
		return row
	}
	return (row<<turn | row>>(w.nodes-int(turn))) & w.last
}

// spread finds the rows of up to so many steps, with the least that the peaks and the cost can be.
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

// limit is how much a cost may grow, and how much times and sums count for that.
type limit struct{ rest, time, sum int64 }

// unlimited lets costs grow.
func unlimited() *limit { return &limit{rest: math.MaxInt64} }

// within reports whether a part of the cost keeps it within the limit.
func (l *limit) within(time, sum int64) bool {
	l.rest -= l.time*time + l.sum*sum
	return l.rest >= 0
}

// weigh raises the peaks and the cost of spread to what they are. It reports false where they are
// beyond the limit.
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

// load is that of the busiest circuit into a node that receives from these what is fresh.
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

// densest is that of balls. Circuits that deliver nothing are left out.
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
