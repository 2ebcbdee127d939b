// Package stepwise simulates packets event by event. It is slower than package sim, but handles
// what phases cannot know beforehand: messages that start when others have arrived (triggers,
// plans without barriers), circuits that come and go with them, and nodes with limited buffers.
//
// Without limits the result is that of package sim, to the picosecond: queues serve packets in
// order of arrival, with the same order within a picosecond. A queue can be given another order
// instead (Engine.Turn).
//
// With Config.Buffer a node has a buffer of B bytes per neighbour for the packets from there
// that it forwards. A packet of b bytes that will be forwarded starts on a circuit only when
// the next node has b bytes of that buffer left. It occupies them from its start until it has
// left that node, at t, and the sending node learns so at t + delay (a credit). Packets wait in
// order: one without room blocks those behind it. Nothing is lost. If packets wait for buffers
// in a cycle, nothing can move: that is a *Deadlock, which names the cycle.
package stepwise
