// Package derived makes plans of an operation from plans of others that achieve it on the way: an
// allreduce broadcasts what the root has, an allgather gathers at every GPU, and a scatter is a
// gather reversed in time.
//
// A plan of the other operation is followed from where data is at the start. Of all that arrives at
// a GPU, the first copy is kept and the rest is left out; then every transfer is left out that no
// GPU needs in the end. Where circuits are free at the start, what is left takes no longer than
// the plan that it was taken from. Reductions are followed backward in time, as the broadcasts that
// they are then.
package derived
