// Package pairing has gathers in rounds of calls: in a round every point talks to one other at
// most, and both learn what the other knows. With one two-way port, circuits are such pairs, and
// a round is a reconfiguration.
package pairing
