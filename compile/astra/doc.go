// Package astra writes a plan as the files that ASTRA-sim runs: a Chakra trace of messages
// for every rank as a custom collective algorithm, a workload that calls it, and the system
// and network files of the congestion-aware analytical network.
//
// That network knows no graphs of one's own. It is told that all ranks are connected, each
// pair by a link of its own; a plan only sends along circuits that are up, so its messages
// take the time that they would take on the circuits, if all of these are alike. A message
// goes one hop; a rank that passes it on has received it whole. Steps become what they are
// for: a message is sent when what it carries has arrived. The start-up of a step is part
// of the latency of a link, and a change of circuits is computation of so many whole
// microseconds on every rank, since traces know no shorter durations.
package astra
