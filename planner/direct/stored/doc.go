// Package stored holds graphs of up to 64 nodes that were searched for: those of their size and
// degree on which an allreduce by breadth-first broadcast takes fewer steps, or less bandwidth in
// as many, than on any graph that the families and expansions of package finder give; and one-way
// ones on which an allgather alone does, and a reduce-scatter on their transposes.
//
// The search is package climb's. The tests of this package run it and write the graphs, with what
// finds each again:
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
