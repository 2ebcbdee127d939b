// Package pass is the dynamic program over the steps of a collective: which topology of a pool is
// up in which step, when changes wait for steps, run beside them on free ports, or leave circuits
// that carry on. A Schedule is its answer, and becomes a plan.
package pass
