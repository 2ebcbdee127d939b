// Package expand makes schedules of expanded topologies out of schedules of the graphs
// that are expanded: line graphs, degree expansions, Cartesian powers, and the two-way
// form of one-way graphs. (Zhao et al., Efficient Direct-Connect Topologies for
// Collective Communications, §5 and appendices A, C and F.)
//
// What is constructed need not follow shortest paths, so that a breadth-first-broadcast
// schedule of the same graph may be better or worse. Solve takes the better one, also for
// the graphs inside an expression. Everything is exact, and schedules are streams: they are
// computed from the base's transfers when they are asked for, at a few nanoseconds each and
// in memory that is linear in the circuits. The formulas of the theorems, which need no
// schedule, are package finder's.
package expand
