// Package stored holds graphs of up to 64 nodes that a search has found. On each of them an
// allreduce by breadth-first broadcast takes fewer steps, or less bandwidth in as many steps,
// than on any graph of the same size and degree from the families and expansions of package
// finder. Some one-way graphs are stored because this is true of an allgather only, and of a
// reduce-scatter on their transposes.
//
// The search is package climb. The tests of this package run it and write the graphs, with the
// parameters that find each of them again:
//
//	go test ./planner/direct/stored -run TestSearch -search -timeout 0
//
// Graphs on which all pairs send to each other in one step are stored, too. A test of package
// planner/staged/pool searches for them, because it is the pool's other graphs that they must beat:
//
//	go test ./planner/staged/pool -run TestPairsSearch -pairs -timeout 0
//
// Another search, of swaps alone, tries to beat what the finder makes of them, for up to 32 nodes
// and four ports; a file of this package says how many it has tried where:
//
//	go test ./planner/direct/stored -run TestSwaps -swaps 1h -timeout 0
package stored
