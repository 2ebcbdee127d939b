// Package synthesis finds the one topology on which an interval of steps takes the least time:
// the inner problem of HARVEST (Eq. 5 and 6, appendix A), which planners otherwise solve over a
// pool of known topologies.
//
// A topology is any directed multigraph with no more circuits out of and into a node than it
// has ports, or any symmetric one if circuits are two-way. Each step is routed separately,
// optimally if the policy says so, and takes alpha + delta*hops + bytes of its most loaded
// circuit over bandwidth.
//
// Exact proves an optimum for small systems: about 8 nodes with two ports, or 14 with one.
// Search finds good topologies for large ones, and bounds their distance from the optimum. Both
// use package flow to price a topology, counting bounds, and a relaxation to fractional circuits.
// The relaxation's optimum is a bound, its dual values are cuts that rule out topologies without
// routing anything, and its rounded solution is a good starting topology.
package synthesis
