// Package chakra reads and writes Chakra execution traces (MLCommons Chakra, schema of May 2024):
// the nodes of a rank as messages of protocol buffers, each behind its length, and workloads as
// such traces.
//
// A trace has a file for every rank, NAME.RANK.et. The groups of collectives are in a file
// comm_group.json, {"1": [0, 1, ..], ..}, or in a node of each trace named "## process_group:init
// ##". Tools differ, and the reader follows them: numbers may have any integer type, flags may be
// numbers, an empty group stands for all ranks, and dependencies on nodes that are not there count
// for nothing.
package chakra
