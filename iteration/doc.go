// Package iteration plans a whole training step: when every collective and every send of it starts,
// over how many ports and by which plan, and when every port is rewired, also while its GPU
// computes or its other ports send.
//
// Ranks that run the same program in the same surroundings act alike, so a Program has classes of
// ranks, not ranks. The ports of a class are lanes. Circuits take lanes of the classes that they
// join and stay up until somebody else takes a lane of theirs; an Offer is a way to carry a piece
// of communication out over some circuits. A Course says which offer every job takes, on which
// lanes and in which order; Time says how long that takes in the steady state, in which an
// iteration begins with the circuits that it ends with.
package iteration
