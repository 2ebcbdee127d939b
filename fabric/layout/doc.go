// Package layout knows which optical switch every port of every GPU is plugged into, and what
// circuits such a plugging can set up: a circuit joins two ports of the same switch.
//
// A Layout is the plugging as people write it: rails, a grid such as 8x8:2,2, cubes:4x4x4, or a
// table. On a number of GPUs and ports it becomes a Plugging, which assigns ports and switches to
// the circuits of a graph.
package layout
