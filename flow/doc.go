// Package flow routes the demands of one communication step over a graph of
// circuits: over which paths each demand goes, what the largest load on a circuit
// is and how long the longest path is.
//
// The policy "optimal" finds the smallest possible peak load (the inverse of the
// maximum concurrent flow) and proves it: every result carries a lower bound on the
// peak that no routing can beat. A ladder answers: unique paths, shortest paths that
// a counting bound proves optimal, a closed form, a linear program over paths or, where
// most pairs have demands, over the flows of each source, and a bounded approximation for
// what is too large for that. Where one node sends to many or receives from many, maximum flows
// find the fastest routes of steps that are too large for a program. The policies "shortest" and "shortest-split" are the ones
// that need no central computation.
//
// Steps that look alike from every node need not be listed in full: with a group
// of translations only one demand per orbit is given, and the linear program
// shrinks to one row per orbit of circuits. Where no group is given, one is looked
// for; and where everybody sends the same to everybody on a graph that is large, all its
// automorphisms are.
//
// Package flow/maxflow finds maximum flows; flow/matching has what schedules of circuits are
// made of: assignments, edge colourings and slots.
//
// Circuits from a node to itself carry nothing and are ignored throughout.
package flow
