// Package trees plans broadcasts and reductions on circuits that stay, of any shape: pieces of
// the data follow one another down spanning trees that share no circuit.
//
// By Edmonds' theorem ("Edge-disjoint branchings", 1973) a graph has k such trees if and only if
// at least k circuits must be cut to separate any node from the root. The trees are found one
// after the other as in Lovász' proof ("On two minimax theorems in graph", 1976), each as low as
// the proof allows.
package trees
