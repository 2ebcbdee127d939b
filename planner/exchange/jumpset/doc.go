// Package jumpset finds generators of topologies that look the same from every node and on
// which chunks make few hops, and the routes over them.
//
// With one port and jumps J, one topology for each, offset o takes the fewest hops h with
// h*j = o for some j of J, if a chunk travels its whole path within one topology (Coverage).
// A chunk may also wait at a node and continue over circuits of a later stage. Jumps commute,
// so offset o then takes as many hops as its distance from 0 in the circulant graph with all
// jumps of all stages (Distances), and d stages with one port take as many slots as the sum of
// distances in a directed circulant graph of degree d.
//
// In a non-commutative group, routes are words: letters of the first stage, then of the
// second, and so on (WordSearch).
//
// Searches are deterministic: if they start from several points, fixed seeds choose them.
package jumpset
