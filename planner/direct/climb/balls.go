package climb

import (
	"math/bits"

	"github.com/lightpath-net/lightpath/planner/direct/deal"
	"github.com/lightpath-net/lightpath/topology"
)

// balls measures broadcasts from all nodes at once, on bit sets. The nodes within t steps of u
// are those within t-1 steps of u or of a sender to u. Of the new nodes, a sender can deliver
// those within t-1 steps of itself. Only the nodes that may differ have a row. The row of any
// other node is one of these, rotated.
//
// A step takes n/64 words for every circuit into a node with a row and, if two of these
// circuits could deliver the same shard, for every set of them. A search from each such node
// takes n words for every circuit.
type balls struct {
	nodes, width int
	words        int        // per row
	last         uint64     // the bits of the last word that are in use
	turns        []int32    // of every node: how far it is ahead of the one whose row it uses
	inside       []uint64   // nodes within t-1 steps: twice over, so that a rotation is a shift
	within       []uint64   // nodes within t steps
	fresh        []uint64   // work: nodes that are new
	hands        deal.Hands // work: what each circuit can deliver of them
}

// doubled returns the number of words that hold a row twice over, plus one so that shifts may
// read past the end. If every node may differ, nothing is rotated and the row is there once.
func (b *balls) doubled() int {
	if b.width == b.nodes {
		return b.words
	}
	return (2*b.nodes+63)/64 + 1
}

// turnsOf returns, for every node, how many nodes it is ahead of the one that stands for it.
func turnsOf(nodes, width int) []int32 {
	turns := make([]int32, nodes)
	for v := range turns {
		turns[v] = int32(v - v%width)
	}
	return turns
}

func newBalls(nodes, width int) *balls {
	b := &balls{nodes: nodes, width: width, words: (nodes + 63) / 64}
	b.last = ^uint64(0) >> (b.words*64 - nodes)
	b.turns = turnsOf(nodes, width)
	b.inside = make([]uint64, width*b.doubled())
	b.within = make([]uint64, width*b.words)
	b.fresh = make([]uint64, b.words)
	return b
}

// start lets every node reach only itself.
func (b *balls) start() {
	clear(b.within)
	for u := range b.width {
		b.within[u*b.words+u/64] = 1 << (u % 64)
	}
}

// step copies the rows, doubled, for the next step.
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

// turned writes the nodes within t-1 steps of node v: the row of the node that stands for it,
// rotated.
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

// grow advances node u, which receives from the given nodes, by one step. It returns the number
// of new nodes, and the load of the busiest circuit, which is exact only if it can be above
// floor.
func (b *balls) grow(m *meter, u int, from []int32, floor int64) (load int64, news int) {
	words := b.words
	row := b.within[u*words : (u+1)*words]
	b.hands.Clear(words)
	clear(b.fresh)
	sum, most := 0, 0
	for _, v := range from {
		if v < 0 || int(v) == u {
			continue
		}
		hand := b.hands.Add()
		b.turned(hand, v)
		one := 0
		for j, word := range hand {
			word &^= row[j]
			hand[j] = word
			b.fresh[j] |= word
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
	if floor >= 0 && b.hands.Dealt(func(int) int { return int(floor / shard) }) {
		return floor, news
	}
	return b.densest(m, news), news
}

// densest returns the load of the busiest circuit: the maximum, over all sets of circuits, of
// the number of shards that only the set can deliver, divided by the number of its circuits.
// (Zhao et al., Theorem 19.)
func (b *balls) densest(m *meter, news int) int64 {
	reach := b.hands.Reach()
	// What a set cannot deliver, only its complement can.
	var most int64
	for set, deliverable := range reach {
		most = max(most, int64(int32(news)-deliverable)*m.size[len(reach)-1-set])
	}
	return most
}

// gather is meter.gather on bit sets.
func (b *balls) gather(m *meter, lists []int32, steps int) cost {
	m.start(steps)
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

// diameter returns the number of steps after which every node reaches all others, and false if
// that is above a limit. It needs a row for every node.
func (b *balls) diameter(g *topology.Graph, limit int) (int, bool) {
	b.start()
	for t := 0; ; t++ {
		reached := 0
		for _, word := range b.within {
			reached += bits.OnesCount64(word)
		}
		if reached == b.nodes*b.nodes {
			return t, true
		}
		if t == limit {
			return 0, false
		}
		b.step()
		for u := range b.nodes {
			row := b.within[u*b.words : (u+1)*b.words]
			to, _ := g.Row(u)
			for _, v := range to {
				for j, word := range b.inside[int(v)*b.words : (int(v)+1)*b.words] {
					row[j] |= word
				}
			}
		}
	}
}
