// Package derived makes plans of an operation from plans of other operations that achieve it on
// the way: an allreduce broadcasts what the root has, an allgather gathers at every GPU, and a
// scatter is a gather reversed in time.
//
// It follows a plan of the other operation from where data is at the start. Of all that arrives
// at a GPU, it keeps the first copy and drops the rest; then it drops every transfer that no GPU
// needs in the end. If circuits are free at the start, what is left takes no longer than the
// original plan. Reductions are followed backward in time, as broadcasts.
package derived
