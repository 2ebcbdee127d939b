package astra

import (
	"container/heap"
	"context"

	"github.com/lightpath-net/lightpath/units"
)

// Network is the links of the simulator's network: one in each direction between any two
// ranks.
type Network struct {
	Gigabytes float64 // of 2^30 bytes a second
	Latency   float64 // nanoseconds
}

// waiting is a send that waits for its link.
type waiting struct {
	at         int64
	rank, node int
}

type sends []waiting

func (s sends) Len() int      { return len(s) }
func (s sends) Swap(i, j int) { s[i], s[j] = s[j], s[i] }
func (s sends) Less(i, j int) bool {
	switch a, b := &s[i], &s[j]; {
	case a.at != b.at:
		return a.at < b.at
	case a.rank != b.rank:
		return a.rank < b.rank
	default:
		return a.node < b.node
	}
}
func (s *sends) Push(x any) { *s = append(*s, x.(waiting)) }
func (s *sends) Pop() any {
	last := (*s)[len(*s)-1]
	*s = (*s)[:len(*s)-1]
	return last
}

// predictor carries traces out. A time is -1 as long as it is not known.
type predictor struct {
	ranks   []Rank
	after   [][][]int32 // by rank and node: who depends on it
	left    [][]int32   // dependencies that have not ended
	ready   [][]int64   // the latest end of those that have
	here    [][]bool    // a receive whose dependencies have ended
	arrived map[int64]int64
	receive map[int64][2]int // by tag
	queue   sends
	last    int64
}

// Predict returns how long the simulator's congestion-aware analytical network takes for
// traces, by its rules: a link sends one message at a time, first come, first served; a
// message arrives after its bytes over the bandwidth, in whole nanoseconds, and the latency;
// the link is free before the latency. Which of two sends that are ready at the same time is
// first is left to the simulator; here it is that of the lower rank. It takes
// O(messages * log messages).
func Predict(ctx context.Context, ranks []Rank, n Network) (units.Time, error) {
	p := &predictor{ranks: ranks, arrived: map[int64]int64{}, receive: map[int64][2]int{}}
	for r := range ranks {
		nodes := ranks[r].Nodes
		after, left := make([][]int32, len(nodes)), make([]int32, len(nodes))
		for i := range nodes {
			left[i] = int32(len(nodes[i].Deps))
			for _, d := range nodes[i].Deps {
				after[d] = append(after[d], int32(i))
			}
			if nodes[i].Type == CommRecv {
				p.receive[nodes[i].attr("comm_tag")] = [2]int{r, i}
			}
		}
		p.after, p.left = append(p.after, after), append(p.left, left)
		p.ready, p.here = append(p.ready, make([]int64, len(nodes))), append(p.here, make([]bool, len(nodes)))
	}
	for r := range ranks {
		for i := range ranks[r].Nodes {
			if p.left[r][i] == 0 {
				p.begin(r, i)
			}
		}
	}
	free := map[[2]int]int64{}
	for count := 0; len(p.queue) > 0; count++ {
		if count%1024 == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		s := heap.Pop(&p.queue).(waiting)
		node := &ranks[s.rank].Nodes[s.node]
		link := [2]int{s.rank, int(node.attr("comm_dst"))}
		start := max(s.at, free[link])
		free[link] = start + int64(float64(node.attr("comm_size"))/(n.Gigabytes*(1<<30)/1e9))
		tag := node.attr("comm_tag")
		p.arrived[tag] = free[link] + int64(n.Latency)
		p.end(s.rank, s.node, s.at)
		if at := p.receive[tag]; p.here[at[0]][at[1]] {
			p.begin(at[0], at[1])
		}
	}
	return units.Time(p.last), nil
}

// begin carries out a node whose dependencies have ended.
func (p *predictor) begin(rank, node int) {
	at := p.ready[rank][node]
	switch n := &p.ranks[rank].Nodes[node]; n.Type {
	case CommSend:
		heap.Push(&p.queue, waiting{at, rank, node})
	case CommRecv:
		if came, there := p.arrived[n.attr("comm_tag")]; there {
			p.end(rank, node, max(at, came))
		} else {
			p.here[rank][node] = true
		}
	default:
		p.end(rank, node, at+int64(max(1, n.Micros*1000)))
	}
}

func (p *predictor) end(rank, node int, at int64) {
	p.last = max(p.last, at)
	for _, next := range p.after[rank][node] {
		p.ready[rank][next] = max(p.ready[rank][next], at)
		if p.left[rank][next]--; p.left[rank][next] == 0 {
			p.begin(rank, int(next))
		}
	}
}

// attr returns a number of a node.
func (n *Node) attr(name string) int64 {
	for i := range n.Attrs {
		if n.Attrs[i].Name == name {
			return n.Attrs[i].Int
		}
	}
	return 0
}
