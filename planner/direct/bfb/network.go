package bfb

import "github.com/lightpath-net/lightpath/topology"

// link is a bundle as a receiver sees it.
//
// Invariant: circuits and rate are at least 1, latency is at least 0.
type link struct {
	circuits int64
	rate     int64 // what a circuit carries per unit of time
	latency  int64 // time before any of it arrives
}

// weight is what the whole bundle carries per unit of time.
func (l link) weight() int64 { return l.circuits * l.rate }

// network is what an allgather sees of a graph: who sends to each node, over what.
// Circuits from a node to itself carry nothing and are not in it.
type network struct {
	nodes int
	start []int32 // the senders of u are from[start[u]:start[u+1]], ascending
	from  []int32
	link  []link

	shard  int64 // size of a shard
	chunks int64 // whole chunks in a shard, 0 if it may be cut anywhere
	// even says that a set of links acts as one bundle of their weight: there is no
	// latency, and whole chunks, if any, travel at rate 1 on all circuits.
	even bool
}

// newNetwork returns g as the allgather sees it or, for ReduceScatter, the transpose
// of g. links has an element for every bundle in the order of g.Edges.
func newNetwork(g *topology.Graph, op Op, links []link, shard, chunks int64) *network {
	n := g.Nodes()
	net := &network{nodes: n, start: make([]int32, n+1), shard: shard, chunks: chunks, even: true}
	ends := func(e topology.Edge) (receiver, sender int) {
		if op == ReduceScatter {
			return e.From, e.To
		}
		return e.To, e.From
	}
	for e := range g.Edges() {
		if e.From != e.To {
			receiver, _ := ends(e)
			net.start[receiver+1]++
		}
	}
	for u := range n {
		net.start[u+1] += net.start[u]
	}
	net.from = make([]int32, net.start[n])
	net.link = make([]link, net.start[n])
	// Edges ascend, so every row fills in ascending order of senders.
	next := make([]int32, n)
	copy(next, net.start)
	bundle := 0
	for e := range g.Edges() {
		if e.From != e.To {
			receiver, sender := ends(e)
			net.from[next[receiver]], net.link[next[receiver]] = int32(sender), links[bundle]
			next[receiver]++
		}
		bundle++
	}
	for _, l := range net.link {
		if l.latency > 0 || chunks > 0 && l.rate != 1 {
			net.even = false
		}
	}
	return net
}

// senders returns the nodes with circuits to u, ascending.
func (net *network) senders(u int) []int32 { return net.from[net.start[u]:net.start[u+1]] }

// links returns the bundles from senders(u).
func (net *network) links(u int) []link { return net.link[net.start[u]:net.start[u+1]] }
