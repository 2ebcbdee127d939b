// Package rotated makes allgathers for thousands of nodes on graphs that a rotation maps onto
// themselves. If moving all nodes by a width w leaves the circuits as they are, only what the
// first w nodes receive needs a schedule: the others do the same, moved. So 65 536 nodes of width
// 32 take 2 million numbers, not 4 billion.
//
// Shards stay whole and follow shortest paths, one step per hop, as in a breadth-first broadcast
// (Zhao et al., "Efficient Direct-Connect Topologies for Collective Communications", NSDI 2025).
// Different from that paper, a step may take several hops at once: it sends shards to nodes up to
// h hops away, along the paths that h steps would have taken. That spares h-1 start-ups, and a
// shard crosses some circuits several times, once for each of the nodes behind them. The first
// steps carry few shards, so several of them become one step at nearly no cost; for small
// collectives all steps do.
package rotated
