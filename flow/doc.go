// Package flow routes the demands of one communication step over a graph of circuits. A result
// says which paths each demand takes, the largest load on a circuit, and the length of the
// longest path.
//
// The policy "optimal" finds the smallest possible peak load (the inverse of the
// maximum concurrent flow) and proves it: every result carries a lower bound on the
// peak that no routing can beat. Methods form a ladder: unique paths; shortest paths
// that a counting bound proves optimal; a linear program over paths or,
// if most pairs have demands, over the flows of each source; and a bounded approximation
// for problems too large for that. If one node sends to many or receives from many,
// maximum flows find the fastest routes of steps that are too large for a linear program.
// The policies "shortest" and "shortest-split" need no central computation.
//
// Steps that look the same from every node need not be listed in full: with a group of
// translations only one demand per orbit is given, and the linear program shrinks to one row
// per orbit of circuits. If no group is given, the package looks for one. For a uniform
// all-to-all on a large graph, it looks for all automorphisms.
//
// Package flow/maxflow finds maximum flows; flow/matching has the building blocks of circuit
// schedules: assignments, edge colourings and slots.
//
// Circuits from a node to itself carry nothing and are ignored throughout.
package flow
