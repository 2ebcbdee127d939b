// Package astra writes a plan as the files that ASTRA-sim runs: a Chakra trace of messages
// for every rank as a custom collective algorithm, a workload that calls it, and the system
// and network files of the congestion-aware analytical network.
//
// That network does not accept arbitrary graphs. The files declare all ranks connected, each
// pair by its own link. A plan sends only along circuits that are up, so its messages take as
// long as on the circuits, if these are all equal. A message takes one hop, and a rank forwards
// it after receiving it whole. Steps become dependencies: a message is sent when its data has
// arrived. The start-up of a step is part of the latency of a link, and a reconfiguration is
// computation of whole microseconds on every rank, since traces have no shorter durations.
//
// Iterations (compile/iterations) use Schedule, which reproduces the times of unequal circuits
// and of islands on identical links.
package astra
