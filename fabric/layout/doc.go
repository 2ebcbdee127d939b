// Package layout knows which optical switch every port of every GPU is plugged into, and which
// circuits that allows: a circuit joins two ports of the same switch.
//
// A Layout is written as rails, a grid such as 8x8:2,2, cubes:4x4x4, or a table. For a given number
// of GPUs and ports it becomes a Plugging, which assigns ports and switches to the circuits of a
// graph.
package layout
