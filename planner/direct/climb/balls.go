package climb

import "math/bits"

// balls measures broadcasts in bits, from all nodes at once: the nodes within t steps of u are
// those within t-1 steps of u or of a sender to u, and of those that are new, a sender can deliver
// what is within t-1 steps of itself. Only the nodes that may differ have a row: the rows of the
// others are theirs, turned.
//
// A step takes n/64 words for every circuit into such a node, and for every set of circuits into it
// of which two could deliver the same shard. A search from each takes n words for every circuit.
type balls struct {
	nodes, width int
	words        int      // per row
	last         uint64   // the bits of the last word that are in use
	turns        []int32  // of every node, by how many nodes it is ahead of the one whose row it has
	inside       []uint64 // nodes within t-1 steps: twice over, so that a turn is a shift
	within       []uint64 // nodes within t steps
	fresh        []uint64 // work: nodes that are new
	left         []uint64 // work: those that are not dealt yet
	given        []uint64 // work: per circuit, nodes within t-1 steps of where it comes from
	union        []uint64 // work: a word of what each set of circuits can deliver
	count        []int32  // work: shards that each set of circuits can deliver
}

// doubled is how many words hold a row twice over, and one more so that shifts may read on. Where
// every node may differ, nothing is turned.
func (b *balls) doubled() int {
	if b.width == b.nodes {
		return b.words
	}
	return (2*b.nodes+63)/64 + 1
}

func newBalls(nodes, width, degree int) *balls {
	b := &balls{nodes: nodes, width: width, words: (nodes + 63) / 64}
	b.last = ^uint64(0) >> (b.words*64 - nodes)
	b.turns = make([]int32, nodes)
	for v := range b.turns {
		b.turns[v] = int32(v - v%width)
	}
	b.inside = make([]uint64, width*b.doubled())
	b.within = make([]uint64, width*b.words)
	b.fresh, b.left = make([]uint64, b.words), make([]uint64, b.words)
	b.given = make([]uint64, degree*b.words)
	b.union = make([]uint64, 1<<degree)
	b.count = make([]int32, 1<<degree)
	return b
}

// start has every node reach itself alone.
func (b *balls) start() {
	clear(b.within)
	for u := range b.width {
		b.within[u*b.words+u/64] = 1 << (u % 64)
	}
}

// step doubles the rows, for the next step.
func (b *balls) step() {
	size := b.doubled()
	if size == b.words {
		copy(b.inside, b.within)
		return
	}
	clear(b.inside)
	whole, rest := b.nodes/64, uint(b.nodes%64)
	for u := range b.width {
		row := b.within[u*b.words : (u+1)*b.words]
		twice := b.inside[u*size : (u+1)*size]
		copy(twice, row)
		for j, word := range row {
			twice[whole+j] |= word << rest
			twice[whole+j+1] |= word >> (64 - rest)
		}
	}
}

// turned writes the nodes within t-1 steps of a node, whose row is that of another, turned.
func (b *balls) turned(to []uint64, v int32) {
	turn := int(b.turns[v])
	base := int(v) - turn
	row := b.inside[base*b.doubled() : (base+1)*b.doubled()]
	if turn == 0 {
		copy(to, row[:b.words])
	} else {
		whole, rest := (b.nodes-turn)/64, uint(b.nodes-turn)%64
		row = row[whole : whole+b.words+1]
		for j := range to {
			to[j] = row[j]>>rest | row[j+1]<<(64-rest)
		}
	}
	to[b.words-1] &= b.last
}

// grow moves on by one step for node u, which receives from these. It returns the load of the
// busiest circuit, if that can be above a floor, and how many nodes are new.
func (b *balls) grow(m *meter, u int, from []int32, floor int64) (load int64, news int) {
	words := b.words
	row := b.within[u*words : (u+1)*words]
	clear(b.fresh)
	given := b.given[:0]
	for _, v := range from {
		if v < 0 || int(v) == u {
			continue
		}
		given = given[:len(given)+words]
		to := given[len(given)-words:]
		b.turned(to, v)
		for j, word := range to {
			word &^= row[j]
			to[j] = word
			b.fresh[j] |= word
		}
	}
	var sum, most int
	for i := 0; i < len(given); i += words {
		one := 0
		for _, word := range given[i : i+words] {
			one += bits.OnesCount64(word)
		}
		sum += one
		most = max(most, one)
	}
	for j, word := range b.fresh {
		news += bits.OnesCount64(word)
		row[j] |= word
	}
	if load = int64(most) * shard; sum == news || load <= floor {
		return load, news // no two circuits can deliver the same shard, or none has much to deliver
	}
	if floor >= 0 && b.dealt(given, int(floor/shard)) {
		return floor, news
	}
	return b.densest(m, given, news), news
}

// dealt reports whether the circuits, one after the other, can each take up to so many of the
// shards that are left, so that none is. Where it does not, there may be another way.
func (b *balls) dealt(given []uint64, most int) bool {
	words := b.words
	left := append(b.left[:0], b.fresh...)
	for i := 0; i < len(given); i += words {
		free := most
		for j, word := range given[i : i+words] {
			word &= left[j]
			if word == 0 {
				continue
			}
			if free -= bits.OnesCount64(word); free < 0 {
				for ; free < 0; free++ {
					word &= word - 1
				}
				left[j] &^= word
				break
			}
			left[j] &^= word
		}
	}
	for _, word := range left {
		if word != 0 {
			return false
		}
	}
	return true
}

// densest is the load of the busiest circuit: the most, over all sets of circuits, of the shards
// that only these can deliver, over their number. (Zhao et al., Theorem 19.)
func (b *balls) densest(m *meter, given []uint64, news int) int64 {
	words := b.words
	ports := len(given) / words
	sets := 1 << ports
	count := b.count[:sets]
	clear(count)
	for j, fresh := range b.fresh {
		if fresh == 0 {
			continue
		}
		for i := range ports {
			word := given[i*words+j]
			from, into, counts := b.union[:1<<i], b.union[1<<i:2<<i], count[1<<i:2<<i]
			for set, covered := range from {
				covered |= word
				into[set] = covered
				counts[set] += int32(bits.OnesCount64(covered))
			}
		}
	}
	// What a set cannot deliver, only its complement can.
	var most int64
	for set, deliverable := range count {
		most = max(most, int64(int32(news)-deliverable)*m.size[sets-1-set])
	}
	return most
}

// gather is that of the meter.
func (b *balls) gather(m *meter, lists []int32, steps int) cost {
	m.start(steps)
	if b.words == 1 {
		return b.gatherWords(m, lists, steps)
	}
	b.start()
	var c cost
	for t := range steps {
		b.step()
		all := 0
		for u := range b.width {
			floor := int64(-1)
			if m.peaksOnly {
				floor = m.peaks[t]
			}
			load, news := b.grow(m, u, lists[u*m.degree:(u+1)*m.degree], floor)
			m.peaks[t] = max(m.peaks[t], load)
			c.sum += load
			all += news
		}
		if all == 0 {
			break
		}
	}
	for _, word := range b.within {
		c.missing -= bits.OnesCount64(word)
	}
	c.missing += b.width * b.nodes
	for _, p := range m.peaks {
		c.time += p
	}
	return c
}

// gatherWords is gather where a row is one word.
func (b *balls) gatherWords(m *meter, lists []int32, steps int) cost {
	inside, within := b.inside[:b.width], b.within[:b.width]
	for u := range within {
		within[u] = 1 << u
	}
	var c cost
	for t := range steps {
		copy(inside, within)
		all := uint64(0)
		for u, old := range inside {
			given, ports := b.given, 0
			fresh, most, sum := uint64(0), 0, 0
			for _, v := range lists[u*m.degree : (u+1)*m.degree] {
				if v < 0 {
					continue
				}
				turn := b.turns[v]
				word := inside[v-turn]
				word = (word<<turn | word>>(b.nodes-int(turn))) & b.last &^ old
				if word == 0 {
					continue
				}
				fresh |= word
				given[ports] = word
				ports++
				one := bits.OnesCount64(word)
				most = max(most, one)
				sum += one
			}
			if fresh == 0 {
				continue
			}
			within[u] |= fresh
			all |= fresh
			load := int64(most) * shard
			if news := bits.OnesCount64(fresh); news < sum {
				load = b.densestWord(m, given[:ports], news)
			}
			m.peaks[t] = max(m.peaks[t], load)
			c.sum += load
		}
		if all == 0 {
			break
		}
	}
	c.missing = b.width * b.nodes
	for _, word := range within {
		c.missing -= bits.OnesCount64(word)
	}
	for _, p := range m.peaks {
		c.time += p
	}
	return c
}

// densestWord is densest where a row is one word. Circuits that deliver nothing are left out.
func (b *balls) densestWord(m *meter, given []uint64, news int) int64 {
	union := b.union
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
