// Package network routes the vectors of a digit over a graph of circuits, along shortest paths
// and spread evenly over links. It computes the load of the busiest link and lower bounds on that
// load.
package network
