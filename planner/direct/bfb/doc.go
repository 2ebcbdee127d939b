// Package bfb makes breadth-first-broadcast schedules: allgathers, and with them
// reduce-scatters and allreduces, in which every shard travels along shortest paths
// only and arrives at distance t in step t. (Zhao et al., Efficient Direct-Connect
// Topologies for Collective Communications, §6 and appendix D.)
//
// Which of the neighbours that have a shard deliver which part of it is the one
// decision left, and it is made for every node and step on its own. The least possible
// load of a node's links is found exactly, without a linear program: it is set by the
// set of links that is tightest (Theorem 19), which a sum over all sets or a minimum cut
// finds, and a maximum flow gives the parts.
package bfb
