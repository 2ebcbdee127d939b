// Package pairing has gathers in rounds of calls. In a round every point talks to at most one
// other, and both learn what the other knows. With one two-way port, circuits are such pairs, and
// each round needs a reconfiguration.
package pairing
