// Package paced makes allgathers of whole shards on any graph, for so many nodes that a schedule
// for every pair of nodes would be too large.
//
// A breadth-first broadcast delivers every shard as soon as it can, and a step takes as long as
// its busiest circuit. If nodes differ, a few of them slow down every step: a GPU that was inserted
// into the circuits of a line graph forwards everything one step late. Here a step has a pace, the
// most shards that a circuit may carry. What does not fit waits for a later step, when more
// neighbours have it. For every node and step, a maximum flow decides which shards come over which
// circuit: from the sets of neighbours that have a shard to the circuits.
//
// Nodes hold sets of shards, a bit for each, and all steps work on words of them: n nodes take
// n^2/4 bytes of memory and, with d ports, O(n^2 d/64) time for every step.
package paced
