// Package program holds what a plan becomes for runtimes in which every GPU, a rank,
// runs thread blocks: each a list of operations on chunks of three buffers, each owning
// at most one connection out and one in. It knows what collectives mean in terms of
// these buffers, so that a program can be checked by itself.
package program
