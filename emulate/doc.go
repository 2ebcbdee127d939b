// Package emulate runs plans: real bytes move over circuits that exist only while the plan
// holds them, and measured times are compared with the model.
//
// Every GPU is a rank (package rank), a process or part of one. Ranks reach each other only
// through their ports, which end at a software optical switch (package crossbar). The switch
// carries bytes from each port to the port it is cross-connected with at that moment, at the
// fabric's rate, and reports bytes sent into a dark port. The coordinator (package coordinator)
// sets circuits, runs the barriers between steps, takes the times and ends the run at the first
// fault. They speak the protocol of package wire.
//
// The fabric's times are slowed down by the factor Slow, because no host moves bytes as fast as
// optical circuits do.
package emulate
