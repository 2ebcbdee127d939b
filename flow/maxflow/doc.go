// Package maxflow finds maximum flows and minimum cuts of networks with integer or floating-point
// capacities. A network is prepared once and solved for any pair of nodes:
//
//	maximise  the sum of x(a) over arcs a that leave the source, less those that enter it
//	such that at every other node as much arrives as leaves,
//	          0 <= x(a) <= capacity(a).
//
// The value equals the capacity of the minimum cut; SourceSide returns the cut's source side.
package maxflow
