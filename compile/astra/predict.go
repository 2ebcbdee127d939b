package astra

import (
	"cmp"
	"context"

	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload/chakra"
)

// Network is the links of the simulator's network: one in each direction between any two
// ranks.
type Network struct {
	Gigabytes float64 // of 2^30 bytes a second
	Latency   float64 // nanoseconds
	Still     bool    // circuits change at once
}

// place is a node of a rank.
type place struct {
	rank, node int32
}

// message is what a tag stands for.
type message struct {
	receive place
	size    int64
	arrived int64 // -1: not yet
	awaited bool  // the dependencies of the receive have ended
}

// predictor executes traces.
type predictor struct {
	ranks    []Rank
	tags     [][]int32 // by rank and node: its message
	first    [][]int32 // by rank and node: where its dependents begin in after
	after    [][]int32 // by rank
	left     [][]int32 // dependencies that have not ended
	ready    [][]int64 // the latest end of dependencies that have ended
	messages []message // by tag
	queue    []waiting // a heap
	free     map[link]int64
	last     int64
	still    bool
}

type link struct{ from, to int32 }

// Predict returns how long the simulator's congestion-aware analytical network takes for traces,
// by its rules. A link sends one message at a time, first come, first served. It is busy for the
// message's bytes over the bandwidth, in whole nanoseconds; the message arrives, and the send
// ends, one latency later. The simulator may choose either of two sends that are ready at the
// same time; here the lower rank goes first. Predict takes O(messages * log messages).
func Predict(ctx context.Context, ranks []Rank, n Network) (units.Time, error) {
	p := newPredictor(ranks)
	p.still = n.Still
	for r := range ranks {
		for i := range ranks[r].Nodes {
			if len(ranks[r].Nodes[i].Deps) == 0 {
				p.begin(place{int32(r), int32(i)})
			}
		}
	}
	for count := 0; len(p.queue) > 0; count++ {
		if count%1024 == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		s := p.pop()
		m := &p.messages[p.tags[s.rank][s.node]]
		on := link{s.rank, m.receive.rank}
		end := max(s.at, p.free[on]) + int64(float64(m.size)/(n.Gigabytes*(1<<30)/1e9))
		p.free[on] = end
		m.arrived = end + int64(n.Latency)
		p.end(s.place, m.arrived)
		if m.awaited {
			p.begin(m.receive)
		}
	}
	return units.Time(p.last), nil
}

func newPredictor(ranks []Rank) *predictor {
	p := &predictor{ranks: ranks, free: map[link]int64{}}
	for r := range ranks {
		nodes := ranks[r].Nodes
		tags, left, first := make([]int32, len(nodes)), make([]int32, len(nodes)), make([]int32, len(nodes)+1)
		for i := range nodes {
			left[i] = int32(len(nodes[i].Deps))
			for _, d := range nodes[i].Deps {
				first[d+1]++
			}
			if nodes[i].Type != chakra.Comp {
				tags[i] = p.note(place{int32(r), int32(i)}, &nodes[i])
			}
		}
		for i := range nodes {
			first[i+1] += first[i]
		}
		after, at := make([]int32, first[len(nodes)]), append([]int32(nil), first...)
		for i := range nodes {
			for _, d := range nodes[i].Deps {
				after[at[d]] = int32(i)
				at[d]++
			}
		}
		p.tags, p.left, p.first, p.after = append(p.tags, tags), append(p.left, left), append(p.first, first), append(p.after, after)
		p.ready = append(p.ready, make([]int64, len(nodes)))
	}
	return p
}

// note enters a send or a receive with its message and returns the message's tag.
func (p *predictor) note(at place, n *Node) int32 {
	var tag, size int64
	for i := range n.Attrs {
		switch n.Attrs[i].Name {
		case "comm_tag":
			tag = n.Attrs[i].Int
		case "comm_size":
			size = n.Attrs[i].Int
		}
	}
	for int64(len(p.messages)) <= tag {
		p.messages = append(p.messages, message{arrived: -1})
	}
	m := &p.messages[tag]
	if m.size = size; n.Type == chakra.CommRecv {
		m.receive = at
	}
	return int32(tag)
}

// begin executes a node whose dependencies have ended.
func (p *predictor) begin(b place) {
	at := p.ready[b.rank][b.node]
	switch n := &p.ranks[b.rank].Nodes[b.node]; n.Type {
	case chakra.CommSend:
		p.push(waiting{at, b})
	case chakra.CommRecv:
		if m := &p.messages[p.tags[b.rank][b.node]]; m.arrived >= 0 {
			p.end(b, max(at, m.arrived))
		} else {
			m.awaited = true
		}
	default:
		if p.still {
			p.end(b, at)
			return
		}
		p.end(b, at+int64(max(1, n.Micros*1000)))
	}
}

func (p *predictor) end(e place, at int64) {
	p.last = max(p.last, at)
	for _, next := range p.after[e.rank][p.first[e.rank][e.node]:p.first[e.rank][e.node+1]] {
		p.ready[e.rank][next] = max(p.ready[e.rank][next], at)
		if p.left[e.rank][next]--; p.left[e.rank][next] == 0 {
			p.begin(place{e.rank, next})
		}
	}
}

// waiting is a send that waits for its link.
type waiting struct {
	at int64
	place
}

func (w waiting) before(o waiting) bool {
	return cmp.Or(cmp.Compare(w.at, o.at), cmp.Compare(w.rank, o.rank), cmp.Compare(w.node, o.node)) < 0
}

// push adds a send to the heap.
func (p *predictor) push(w waiting) {
	p.queue = append(p.queue, w)
	for i := len(p.queue) - 1; i > 0; {
		up := (i - 1) / 2
		if !p.queue[i].before(p.queue[up]) {
			return
		}
		p.queue[i], p.queue[up] = p.queue[up], p.queue[i]
		i = up
	}
}

// pop takes the first send from the heap.
func (p *predictor) pop() waiting {
	first, last := p.queue[0], len(p.queue)-1
	p.queue[0] = p.queue[last]
	p.queue = p.queue[:last]
	for i := 0; ; {
		down := 2*i + 1
		if down >= last {
			return first
		}
		if down+1 < last && p.queue[down+1].before(p.queue[down]) {
			down++
		}
		if !p.queue[down].before(p.queue[i]) {
			return first
		}
		p.queue[i], p.queue[down] = p.queue[down], p.queue[i]
		i = down
	}
}
