// Package network routes the vectors of a digit over a graph of circuits: along shortest paths,
// spread evenly over links, with what the busiest link carries and bounds on that.
package network
