// Package staged plans when and how to rewire for a given algorithm, whose steps
// are taken as they are: static (never), every-step (always), Light Bends (base
// topology or the step's own), and HARVEST (any topology of a pool).
//
// All four are one dynamic program over the steps with different pools: the state
// is the topology that is up, a change costs the fabric's reconfiguration delay.
package staged
