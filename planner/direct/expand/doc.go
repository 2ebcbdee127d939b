// Package expand makes schedules of expanded topologies out of schedules of the graphs
// that are expanded: line graphs, degree expansions, Cartesian powers, and the two-way
// form of one-way graphs. (Zhao et al., Efficient Direct-Connect Topologies for
// Collective Communications, §5 and appendices A, C and F.)
//
// Constructed schedules need not follow shortest paths, so that a breadth-first broadcast on
// the same graph may be better or worse. Solve takes the better one, also for the graphs inside
// an expression. Everything is exact. Schedules are streams: transfers are computed on demand
// from those of the base, at a few nanoseconds each and in memory linear in the circuits. The
// formulas of the theorems, which need no schedule, are in package finder.
package expand
