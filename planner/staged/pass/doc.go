// Package pass is the dynamic program over the steps of a collective. It decides which topology
// of a pool is up in which step. Reconfigurations may wait for steps, run beside them on free
// ports, or let circuits that stay continue to send. The result is a Schedule, which becomes a
// plan.
package pass
