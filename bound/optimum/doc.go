// Package optimum finds the fastest plans there are for few GPUs, by trying everything: all ways to
// wire the ports, all numbers of steps and hops, and, for each, the best division of the data over
// everything that a byte can do.
//
// The plans that it ranges over set their circuits before the first step and keep them; all GPUs
// step together, a step takes a start-up, its hops and the bytes of its busiest circuit; buffers
// may be cut into as many parts as one likes, which may go different ways.
package optimum
