// Package bound says how fast a collective can be at best on a fabric, before there is a plan.
//
// OfAlgorithm bounds every plan for the steps of one algorithm: whatever the circuits and
// whenever they change. OfOperation bounds every plan for an operation, whatever its algorithm.
// Both count what ports allow: while circuits stay, a node with d ports has at most d^h nodes at
// distance h.
package bound
