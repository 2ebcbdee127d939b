// Package pass is the dynamic program over the steps of a collective. It decides which topology of
// a pool is up in which step, for changes that wait for steps, that run beside them on free ports,
// or during which circuits that stay keep sending. Its answer is a Schedule, which becomes a plan.
package pass
