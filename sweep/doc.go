// Package sweep explores a design space: it plans every cell of a grid over the parameters
// of a fabric and a collective, keeps what it found in a file, and answers from it.
//
// A [Spec] says which cells there are, a [Solver] what each takes, a [Store] keeps the
// answers under the content of their requests, and [Run] does the work on all cores, can be
// killed at any time and goes on where it was. A shard of the grid is a grid of its own, so
// that machines share the work: see [Slurm] and [Kubernetes].
//
// Where the delay of a reconfiguration does not depend on what changes, time is a lower
// envelope of lines in the delay, so that a column of cells with different delays costs one
// planning for each line and not for each cell; the times are those of planning every cell,
// which the tests hold it to.
package sweep
