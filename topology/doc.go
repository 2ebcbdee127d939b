// Package topology defines the graphs that circuits form: a compact directed
// multigraph, the named families, the expressions that describe them, their
// metrics, and the translation symmetries that planners exploit.
//
// A node is a GPU; an edge (u, v) with multiplicity c is c circuits from u to v.
// A two-way circuit is two edges. Nodes are numbered 0..n-1.
package topology
