// Package iteration plans a whole training step: when every collective and every send starts,
// on how many ports and by which plan, and when every port is rewired, possibly while its GPU
// computes or its other ports send.
//
// Ranks that run the same program with the same partners behave identically, so a Program has
// classes of ranks, not ranks. The ports of a class are lanes. Circuits occupy lanes of the
// classes that they join, and stay up until another job takes one of these lanes. An Offer is
// one way to carry out a communication over some circuits. A Course says which offer every job
// takes, on which lanes and in which order. Time computes how long a course takes in the steady
// state, in which an iteration begins with the circuits that it ends with.
package iteration
