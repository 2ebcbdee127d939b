// Package matching divides communication into matchings, sets of pairs in which every node
// sends at most once and receives at most once: what one port of every node can do at a time.
//
// Divide colours the edges of pairs with as few matchings as possible (König). Assign finds the
// perfect matching with the least cost. The functions for Slots decompose a matrix of demands
// into matchings that are each held for some time (Birkhoff and von Neumann): ShortestSlots in
// the least total time, FewestSlots in the fewest matchings. EachDivision visits these and
// mixtures of both, for callers that pay a delay for changing from one matching to the next.
package matching
