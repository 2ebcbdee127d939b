// Package stepwise simulates packets one event after the other. It does what package sim
// does for the phases of a program, slower, and where phases cannot say beforehand what
// happens: messages start when others have arrived (triggers, plans without barriers),
// circuits come and go with them, and nodes have little room.
//
// Without limits the result is that of package sim, to the picosecond: queues are served in
// the order of arrival, and what comes in the same picosecond is ordered alike. A queue can be
// told to serve packets in an order of its own instead (Engine.Turn).
//
// With Config.Buffer a node has room for B bytes of packets that have come from one other
// node and go on. A packet of b bytes that goes on starts on a circuit only when the node at
// its end has b left of that room; it takes the room from its start until it has left that
// node, at t, and the node that sends knows at t + delay (a credit). Packets wait in order:
// one that has no room holds up those behind it. Nothing is lost. If packets wait for room in
// a circle, nothing moves any more: that is a *Deadlock, which names the circle.
package stepwise
