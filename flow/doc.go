// Package flow routes the demands of one communication step over a graph of
// circuits: over which paths each demand goes, what the largest load on a circuit
// is and how long the longest path is.
//
// The policy "optimal" finds the smallest possible peak load exactly, as a linear
// program over paths, and proves it: every result carries a lower bound on the
// peak that no routing can beat. The policies "shortest" and "shortest-split" are
// the ones that need no central computation.
//
// Steps that look alike from every node need not be listed in full: with a group
// of translations only one demand per orbit is given, and the linear program
// shrinks to one row per orbit of circuits.
//
// Circuits from a node to itself carry nothing and are ignored throughout.
package flow
