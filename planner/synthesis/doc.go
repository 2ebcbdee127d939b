// Package synthesis finds the topology on which an interval of steps takes the least time,
// when the circuits stay as they are throughout: the inner problem of HARVEST (Eq. 5 and
// 6, appendix A), which planners otherwise solve over a pool of known topologies.
//
// A topology is any directed multigraph with no more circuits out of and into a node than
// it has ports, or any symmetric one if circuits are two-way. Each step is routed by itself,
// optimally if the policy says so, and takes alpha + delta*hops + bytes of its most loaded
// circuit over bandwidth.
//
// Exact proves an optimum, for small systems: some 8 nodes with two ports, or 14 with one.
// Search finds good topologies for large ones, and bounds how far they are from the
// optimum. Both rest on the same pieces: the price of a topology by package flow, bounds
// by counting, and the relaxation to fractions of circuits, whose optimum is a bound, whose
// dual values are cuts that rule out topologies without routing anything, and whose
// solution, rounded, is a good topology to begin with.
package synthesis
