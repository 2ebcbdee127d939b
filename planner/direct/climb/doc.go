// Package climb searches for graphs on which breadth-first broadcasts are cheap: it exchanges
// the ends of circuits at random and keeps what is better, by simulated annealing, or by descents
// that begin anew where they come to nothing. Graphs are lifts of small ones: they look the same
// after a rotation by a part of their nodes, which may be none, so that an exchange moves many
// circuits at once and few nodes need to be measured.
//
// The same numbers give the same graph, on every machine.
package climb
