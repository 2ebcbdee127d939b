// Package finder finds the topologies of n nodes and degree d on which collectives need
// the fewest steps, the least bandwidth, or a trade between the two that no other known
// topology beats in both. (Zhao et al., Efficient Direct-Connect Topologies for
// Collective Communications, §5.4.)
//
// Topologies are built bottom-up: families of graphs, and line graphs, degree expansions,
// powers, products and two-way versions of smaller results. Theorems give the cost of an
// expansion, so that most expansions are discarded without being built. Those that could still
// be of use are built, and the best breadth-first-broadcast schedule on them is computed, which
// may be better or worse than the theorem's.
package finder
