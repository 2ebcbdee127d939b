// Package jumpset finds the generators of topologies that look the same from every node,
// so that chunks make few hops, and the ways over them.
//
// With one port and the jumps J, one topology for each, offset o takes the fewest hops h
// with h*j = o for one j of J if a chunk makes its whole way within one topology
// (Coverage). A chunk may as well wait at a node and go on over circuits of a later
// stage. Jumps add up whatever their order, so that offset o then takes as many hops as
// its distance from 0 in the circulant graph that has all jumps of all stages
// (Distances), and the slots of d stages with one port are the sum of distances in a
// directed circulant graph of degree d.
//
// In a group in which order matters, the ways are words: letters of the first stage, then
// of the second, and so on (WordSearch).
//
// Searches are deterministic: where they start from several places, fixed seeds choose
// them.
package jumpset
