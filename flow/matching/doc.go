// Package matching divides communication into matchings, sets of pairs in which every node sends
// at most once and receives at most once: what one port of every node can do at a time.
//
// Divide colours the edges of pairs with as few matchings as possible (König). Assign finds the
// perfect matching of least cost. The functions with Slots decompose a matrix of demands into
// matchings that are each held for a while (Birkhoff and von Neumann): ShortestSlots in the least
// total time, FewestSlots in the fewest matchings. EachDivision shows these and mixtures of both;
// the best of them is taken where changing from one matching to the next costs a delay.
package matching
