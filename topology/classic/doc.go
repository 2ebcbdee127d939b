// Package classic constructs distance-regular graphs that are known by a name of their own. In
// a distance-regular graph, the number of nodes at distance i from one node and at distance j
// from another depends only on i, j and the distance between the two. (Brouwer, Cohen and
// Neumaier, Distance-Regular Graphs.)
package classic
