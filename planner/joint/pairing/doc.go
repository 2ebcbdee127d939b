// Package pairing has gathers and broadcasts in rounds of calls. In a round every point talks to at
// most one other. With one two-way port, circuits are such pairs, and each round needs a
// reconfiguration.
package pairing
