// Package sweep explores a design space: it plans every cell of a grid over the parameters of a
// fabric and a collective, keeps the results in a file, and answers from it.
//
// A [Spec] lists the cells, a [Solver] plans each of them, a [Store] keeps the answers, keyed by
// the content of their requests, and [Run] does the work on all cores. A run can be killed at
// any time and continues where it stopped. A shard of the grid is a grid of its own, so several
// machines can share the work: see [Slurm] and [Kubernetes].
//
// If the reconfiguration delay does not depend on what changes, the time is a lower envelope of
// lines in the delay. A column of cells with different delays then costs one plan per line, not one
// per cell. Tests check that the times are those of planning every cell.
package sweep
