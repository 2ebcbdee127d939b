// Package sim simulates traffic on reconfigurable circuits: messages over given routes,
// or over shortest paths, in phases between which the circuits may change. There are two
// levels, which take the same Program and give the same Result.
//
// The packet level follows every packet. Circuits between the same two nodes, a
// bundle, share one queue at the node where they start; packets are served in order
// of arrival, or by priority. A packet of b bytes takes b*8/bandwidth on a circuit,
// rounded up to a whole picosecond, and arrives a propagation delay later. All times
// are integers, and the result is exact.
//
//   - Store-and-forward: a packet queues for the next circuit when its last bit has
//     arrived.
//   - Cut-through (virtual): it queues when its first bit has arrived, and starts when
//     a circuit is free, so on an idle path it is serialised once. Its bits must not run
//     out on the way: on a circuit faster than the one before, it starts late enough to
//     end no sooner than its last bit has arrived.
//
// Packets that reach a queue in the same picosecond are ordered: first what the node
// itself sends, in the order of the phase's flows; then what arrives, by the number of
// the node that it comes from (after the phase's group, if it has one, has moved the
// node of the queue home); then by the number of the circuit in its bundle. A message
// enters its queue whole at its start: of two messages that start together over the same
// circuit, the one listed first goes first, all of it.
//
// With Phase.Pace a message does not enter the queue whole. At its source and wherever it is
// forwarded, each packet enters a queue no sooner than p/r after the one before. p is the size of
// a packet, and r is the rate at which the message takes as long as the busiest circuits of the
// phase, or somewhat longer if its route is short and others gain by it. Then a packet waits on a
// hop for at most one packet of every other route there (type pacing of package packet has the
// proof).
//
// A packet that would start on a circuit that is not up, or is in flight when its
// circuit goes dark, is an error and not a loss: in a fabric without retransmission
// it means that the schedule is wrong.
//
// The flow level shares the bandwidth of every bundle max-min fairly between the flows
// on it, without packets. With Phase.Pace all flows have the rates that make them take
// as long as the busiest bundle.
//
// Running time: the packet level is proportional to trains of packets and hops. The flow level is
// proportional, for every start and end of a message, to what that changes (type levels of package
// fluid), but by a count of work it takes no more than about what packets take. Where thousands of
// small messages share full circuits, every end changes most rates; then rates are recomputed only
// now and then (type sampled there). Result.RatesKept says for how long they were kept; 0 is
// exact, and Options.Exact makes it so.
//
// # Options
//
// Let B be the bandwidth of a circuit, d its delay, p the size of a packet, b that of a
// message and h the hops of its route.
//
//   - Packet: a packet of p bytes takes x = ceil(8 p/B) on a circuit. A message is ceil(b/p)
//     packets, the last of which may be smaller; a route of share s, after routes with shares
//     that add up to S, has packets floor(S n) up to floor((S+s) n) of n.
//   - Forwarding: on idle circuits a packet takes x + h d with cut-through, and h (x + d) with
//     store-and-forward; a message takes 8 (b-p)/B more.
//   - Priorities: when a circuit becomes free, the waiting packet with the least Flow.Priority
//     starts; among equals, the first to arrive. A packet waits for at most one packet with a
//     higher number.
//   - Relay: the most bytes that forwarded packets may occupy at a bundle at any time; a packet
//     beyond that is an error.
//   - Skew: node u starts its messages of a phase later by a time drawn uniformly from 0 to Node,
//     always the same, plus one from 0 to Phase, new for every phase.
//   - Orbit: with a group of order g, one of g images is simulated; times are the same, and
//     sums are g times as large.
//   - Exact, flow level: rates are recomputed whenever a message starts or ends, whatever the
//     cost.
//   - Coarse, flow level: flows that end within c (now - begin) of each other end together;
//     with 0 all rates are exact. A rate r of a flow is max-min fair: on some bundle of its
//     route the rates add up to what it has, and none is above r.
//   - Phase.Pace: packets of a message are p T/b apart or more at every hop, T the work of
//     the busiest bundle (spreads has who takes a little longer); a packet waits for at most
//     sum(m-1) x on a route whose bundles have m routes each.
//   - Change, Failure: circuits that change are dark from At until At + Delay, those that
//     fail from At on.
//   - Multipath: of k circuits to next nodes on shortest paths, each is taken with 1/k, by a
//     message (SpreadFlow) or by each of its packets (SpreadSpray).
//   - Series: utilization = busy/(interval circuits); queue = bytes that have come and not
//     started.
//
// Package stepwise, below, has credits (finite room) and triggers.
package sim
