// Package chakra reads and writes Chakra execution traces (MLCommons Chakra, schema of May 2024):
// the nodes of a rank as length-prefixed protocol buffer messages. It turns traces into workloads
// and workloads into traces.
//
// A trace has a file for every rank, NAME.RANK.et. The groups of collectives are in a file
// comm_group.json, {"1": [0, 1, ..], ..}, or in a node of each trace named "##
// process_group:init ##". Tools write traces differently, and the reader accepts their
// variants: numbers may have any integer type, flags may be numbers, an empty group means all
// ranks, and dependencies on missing nodes are ignored.
package chakra
