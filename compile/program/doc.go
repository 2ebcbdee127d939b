// Package program defines the form of a plan for runtimes in which every GPU, a rank, runs
// thread blocks. Each is a list of operations on chunks of three buffers, and owns at most one
// connection out and one in. The package defines collectives in terms of these buffers, so a
// program can be checked without its plan.
package program
