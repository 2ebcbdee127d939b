// Package bfb makes breadth-first-broadcast schedules: allgathers, and with them
// reduce-scatters and allreduces, in which every shard travels along shortest paths
// only and arrives at distance t in step t. (Zhao et al., Efficient Direct-Connect
// Topologies for Collective Communications, §6 and appendix D.)
//
// One decision is left: which of the neighbours that have a shard deliver which part of it. It
// is made separately for every node and step. The least possible load of a node's links is
// found exactly, without a linear program. The tightest set of links determines it (Theorem
// 19), and a sum over all sets or a minimum cut finds that set. A maximum flow then gives the
// parts.
package bfb
