// Package paced makes allgathers of whole shards on any graph, for so many nodes that a schedule
// for every pair of them is too much.
//
// A breadth-first broadcast delivers every shard as soon as it can, and a step takes as long as
// its busiest circuit. Where nodes differ, that is long for a few of them: a GPU that was put into
// the circuits of a line graph hands on everything a step late. Here a step has a pace, the shards
// that a circuit carries at most, and what does not fit waits for a later step, when more
// neighbours have it. Which shards come over which circuit is a maximum flow for every node and
// step, from the sets of neighbours that have a shard to the circuits.
//
// Nodes hold sets of shards, a bit for each, and all steps work on words of them: n nodes take
// n^2/4 bytes and, with d ports, O(n^2 d/64) for every step.
package paced
