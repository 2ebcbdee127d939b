// Package emulate runs plans: real bytes move over circuits that exist only when the plan
// says so, and the clock is compared with the model.
//
// Every GPU is a rank (package rank), a process or a part of one. Its only way to others is
// its ports, which end at a software optical switch (package crossbar); the switch carries
// bytes from a port to the one that is cross-connected with it at that moment, at the pace
// of the fabric, and reports bytes that are sent into a dark port. The coordinator
// (package coordinator) sets circuits, keeps the barriers between steps, takes the times
// and ends the run at the first fault. They speak the protocol of package wire.
//
// The fabric's times pass Slow times slower than they would, because no host moves bytes
// as fast as optical circuits do.
package emulate
