// Package staged plans when and how to reconfigure for a given algorithm, whose steps it takes as
// they are: static (never), every-step (always), Light Bends (base topology or the step's own),
// and HARVEST (any topology of a pool).
//
// All four are one dynamic program over the steps with different pools: the state is the topology
// that is up, and a change costs the fabric's reconfiguration delay.
package staged
