// Package classic constructs distance-regular graphs that are known by a name of their own: those
// of which the nodes at some distance from one and at some distance from another are as many for
// all pairs that are equally far apart. (Brouwer, Cohen and Neumaier, Distance-Regular Graphs.)
package classic
