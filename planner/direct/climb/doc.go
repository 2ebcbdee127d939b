// Package climb searches for graphs on which breadth-first broadcasts are cheap. It exchanges
// the ends of random circuits and keeps improvements, by simulated annealing or by descents
// that restart when they are stuck. Graphs are lifts of small ones: they look the same after a
// rotation by a part of their nodes, so that an exchange moves many circuits at once and few
// nodes need to be measured. The rotation may be trivial.
//
// The same task gives the same graph on every machine.
package climb
