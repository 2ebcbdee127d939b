// Package bound computes lower bounds on the time of a collective on a fabric, without a plan.
//
// OfAlgorithm bounds every plan for the steps of one algorithm, on any circuits and with any
// reconfigurations. OfOperation bounds every plan for an operation, by any algorithm. Both follow
// from the ports: while circuits stay, a node with d ports has at most d^h nodes at distance h.
package bound
