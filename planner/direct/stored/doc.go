// Package stored holds graphs of up to 64 nodes that a search has found. On each of them an
// allreduce by breadth-first broadcast takes fewer steps, or less bandwidth in the same number
// of steps, than on any graph of the same size and degree from the families and expansions of
// package finder. Some one-way graphs are stored because this holds for an allgather only, and
// for a reduce-scatter on their transposes.
//
// The search is package climb. The tests of this package run it and write the graphs, with the
// parameters that find each of them again:
//
//	go test ./planner/direct/stored -run TestSearch -search -timeout 0
//
// The package also holds graphs on which all pairs send to each other in one step. A test of
// package planner/staged/pool searches for them, because they must beat the pool's other graphs:
//
//	go test ./planner/staged/pool -run TestPairsSearch -pairs -timeout 0
//
// Another search, which only swaps circuits, tries to beat the finder's frontiers for up to 32
// nodes and seven ports. The file swaps.txt records how many swaps it has tried for each size, more
// than a core tries in an hour. Most of them ran on a GPU, by the program swaps.cu:
//
//	go test ./planner/direct/stored -run TestSwaps -swaps 1h -timeout 0
package stored
