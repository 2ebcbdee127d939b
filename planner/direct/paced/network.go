package paced

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/topology"
)

// MostSenders is the largest number of neighbours that may send to a node: a table has an entry
// for every set of them.
const MostSenders = 8

// ErrUnsuitable says that the graph is not connected, or that too many neighbours send to a
// node.
var ErrUnsuitable = errors.New("paced: no allgather on this graph")

// network lists the senders to each node. It leaves out circuits from a node to itself.
type network struct {
	nodes, words int
	start        []int32 // the senders of u are from[start[u]:start[u+1]]
	from         []int32
	circuits     []int32 // of every bundle
	total        int     // circuits
	widest       int     // the most senders of a node
	last         uint64  // the bits of the last word of a set
}

func newNetwork(g *topology.Graph) (*network, error) {
	n := g.Nodes()
	net := &network{nodes: n, words: (n + 63) / 64, start: make([]int32, n+1), last: ^uint64(0)}
	if n%64 != 0 {
		net.last = 1<<(n%64) - 1
	}
	into := g.Transpose("")
	for u := range n {
		senders, counts := into.Row(u)
		for i, w := range senders {
			if int(w) != u {
				net.from, net.circuits = append(net.from, w), append(net.circuits, counts[i])
				net.total += int(counts[i])
			}
		}
		net.start[u+1] = int32(len(net.from))
		if width := int(net.start[u+1] - net.start[u]); width > MostSenders {
			return nil, fmt.Errorf("%w: %d neighbours send to node %d, more than %d", ErrUnsuitable, width, u, MostSenders)
		} else {
			net.widest = max(net.widest, width)
		}
	}
	return net, nil
}

// senders returns the nodes with circuits to u, and how many each has.
func (net *network) senders(u int) (from, circuits []int32) {
	return net.from[net.start[u]:net.start[u+1]], net.circuits[net.start[u]:net.start[u+1]]
}

// holdings has the set of shards that each node holds.
type holdings struct {
	words int
	bits  []uint64
}

func (net *network) noHoldings() holdings {
	return holdings{net.words, make([]uint64, net.nodes*net.words)}
}

// own gives every node its own shard, and nothing else.
func (h holdings) own(nodes int) {
	clear(h.bits)
	for u := range nodes {
		h.of(u)[u/64] |= 1 << (u % 64)
	}
}

// of returns the shards that u holds.
func (h holdings) of(u int) []uint64 { return h.bits[u*h.words : (u+1)*h.words] }

// part holds the shards of one word that exactly one set of senders has.
type part struct {
	set  uint8
	bits uint64
}

// divide splits the shards of word w that a node lacks by the set of senders that have them.
// nowhere holds those that no sender has.
func (net *network) divide(rows [][]uint64, own []uint64, w int, into []part) (parts []part, nowhere uint64) {
	lack := ^own[w]
	if w == net.words-1 {
		lack &= net.last
	}
	if lack == 0 {
		return into[:0], 0
	}
	any := uint64(0)
	for _, row := range rows {
		any |= row[w]
	}
	nowhere = lack &^ any
	if lack &= any; lack == 0 {
		return into[:0], nowhere
	}
	parts = append(into[:0], part{0, lack})
	for j, row := range rows {
		has := row[w]
		for i := len(parts) - 1; i >= 0; i-- {
			p := parts[i]
			with, without := p.bits&has, p.bits&^has
			switch {
			case with == 0:
			case without == 0:
				parts[i].set |= 1 << j
			default:
				parts[i].bits = without
				parts = append(parts, part{p.set | 1<<j, with})
			}
		}
	}
	return parts, nowhere
}

// count adds up, by the set of senders that have them, the shards that u lacks. Shards that no
// sender has count for the empty set.
func (net *network) count(held holdings, u int, sets []int32, room *room) {
	clear(sets)
	rows, own := room.rows(net, held, u), held.of(u)
	for w := range own {
		parts, nowhere := net.divide(rows, own, w, room.parts)
		sets[0] += int32(bits.OnesCount64(nowhere))
		for _, p := range parts {
			sets[p.set] += int32(bits.OnesCount64(p.bits))
		}
	}
}

// room is working memory of one goroutine.
type room struct {
	senders [][]uint64
	parts   []part
	sums    []int32
	got     [][]uint64 // by sender: the shards of this step
	flow    spread
}

func (net *network) newRoom() *room {
	r := &room{parts: make([]part, 0, 1<<net.widest), sums: make([]int32, 1<<net.widest)}
	for range net.widest {
		r.got = append(r.got, make([]uint64, net.words))
	}
	return r
}

// rows returns the shards that each sender of u holds.
func (r *room) rows(net *network, held holdings, u int) [][]uint64 {
	from, _ := net.senders(u)
	r.senders = r.senders[:0]
	for _, w := range from {
		r.senders = append(r.senders, held.of(int(w)))
	}
	return r.senders
}

// densest returns the least load with which the circuits can deliver all shards: the maximum,
// over sets of senders, of the number of shards that only the set has, divided by the number of
// its circuits.
func (r *room) densest(sets, circuits []int32) int {
	width := len(circuits)
	sums := r.sums[:1<<width]
	copy(sums, sets)
	sums[0] = 0
	for bit := 1; bit < len(sums); bit <<= 1 {
		for set := range sums {
			if set&bit != 0 {
				sums[set] += sums[set&^bit]
			}
		}
	}
	most := 0
	for set := 1; set < len(sums); set++ {
		ports := 0
		for rest := uint(set); rest != 0; rest &= rest - 1 {
			ports += int(circuits[bits.TrailingZeros(rest)])
		}
		most = max(most, arithmetic.CeilDiv(int(sums[set]), ports))
	}
	return most
}
