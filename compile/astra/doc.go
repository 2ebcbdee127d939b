// Package astra writes a plan as the files that ASTRA-sim runs: a Chakra trace of messages
// for every rank as a custom collective algorithm, a workload that calls it, and the system
// and network files of the congestion-aware analytical network.
//
// That network does not accept arbitrary graphs. The files declare all ranks connected, each pair
// by its own link. A plan sends only along circuits that are up, so its messages take the time
// that they would take on the circuits, if these are all equal. A message goes one hop; a rank
// forwards it after receiving it whole. Steps become dependencies: a message is sent when its
// data has arrived. The start-up of a step is part of the latency of a link, and a
// reconfiguration is computation of whole microseconds on every rank, since traces have no
// shorter durations.
//
// Iterations (compile/iterations) use Schedule, which keeps the time of unequal circuits and
// islands on links that are alike.
package astra
