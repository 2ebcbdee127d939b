// Package boundtest holds bounds and plans against the truth: tests use it. It finds the fastest
// plans for few GPUs by exhaustive search: over all ways to wire the ports, all numbers of steps
// and hops, and, for each, the best division of the data over everything that a byte can do.
//
// It covers plans that set their circuits before the first step and keep them. All GPUs step
// together, and a step takes a start-up, its hops and the bytes of its busiest circuit. Buffers
// may be cut into any number of parts, which may take different routes.
package boundtest
