// Package sim simulates traffic on reconfigurable circuits: messages over given routes, or over
// shortest paths, in phases between which the circuits may change. It has two levels, which
// take the same Program and return the same kind of Result.
//
// The packet level follows every packet. Circuits between the same two nodes, a
// bundle, share one queue at the node where they start; packets are served in order
// of arrival, or by priority. A packet of b bytes takes b*8/bandwidth on a circuit,
// rounded up to a whole picosecond, and arrives a propagation delay later. All times
// are integers, and the result is exact.
//
//   - Store-and-forward: a packet queues for the next circuit when its last bit has
//     arrived.
//   - Cut-through (virtual): a packet queues when its first bit has arrived, and starts when a
//     circuit is free, so it is serialised only once on an idle path. Its bits must not run out
//     on the way, so on a circuit faster than the one before, it starts late enough to end no
//     sooner than its last bit has arrived.
//
// Packets that reach a queue in the same picosecond are ordered. First come the node's own
// packets, in the order of the phase's flows. Then come arriving packets, by the number of the
// node that they come from (if the phase has a group, after it has moved the node of the queue
// home), then by the number of the circuit in its bundle. A message enters its queue whole at
// its start: if two messages start together over the same circuit, all of the one listed first
// goes first.
//
// With Phase.Pace a message does not enter the queue whole. At its source and wherever it is
// forwarded, each packet enters a queue no sooner than p/r after the previous one. Here p is
// the size of a packet, and r is the rate at which the message takes as long as the busiest
// circuits of the phase, or somewhat longer if its route is short and other messages gain by
// it. A packet then waits on a hop for at most one packet of every other route there (type
// pacing of package packet has the proof).
//
// A packet that would start on a circuit that is not up, or that is in flight when its circuit
// goes dark, is an error and not a loss: in a fabric without retransmission it means that the
// schedule is wrong.
//
// The flow level shares the bandwidth of every bundle max-min fairly among its flows, without
// packets. With Phase.Pace all flows have the rates at which they take as long as the busiest
// bundle.
//
// The running time of the packet level is proportional to trains of packets times hops. At the
// flow level, every start and end of a message takes time proportional to what it changes (type
// levels of package fluid), but a count of the work limits the total to about what packets
// would take. Where thousands of small messages share full circuits, every end changes most
// rates, and rates are recomputed only from time to time (type sampled there). Result.RatesKept
// says for how long they were kept: 0 means exact, and Options.Exact enforces it.
//
// # Options
//
// Let B be the bandwidth of a circuit, d its delay, p the size of a packet, b the size of a
// message and h the number of hops of its route.
//
//   - Packet: a packet of p bytes takes x = ceil(8 p/B) on a circuit. A message is n =
//     ceil(b/p) packets, the last of which may be smaller; a route of share s, after routes
//     whose shares add up to S, has packets floor(S n) up to floor((S+s) n).
//   - Forwarding: on idle circuits a packet takes x + h d with cut-through, and h (x + d) with
//     store-and-forward; a message takes 8 (b-p)/B more.
//   - Priorities: when a circuit becomes free, the waiting packet with the lowest Flow.Priority
//     starts; among equals, the first to arrive. A packet waits for at most one packet with a
//     higher number.
//   - Relay: the most bytes that forwarded packets may occupy at a bundle at any time; a packet
//     beyond that is an error.
//   - Skew: node u starts its messages of a phase later by two times, drawn uniformly: one from
//     0 to Node, the same in all phases, and one from 0 to Phase, new for every phase.
//   - Orbit: with a group of order g, one of g images is simulated; times are the same, and
//     sums are multiplied by g.
//   - Exact, flow level: rates are recomputed whenever a message starts or ends, whatever the
//     cost.
//   - Coarse, flow level: flows that end within c (now - begin) of each other end together;
//     with 0 all rates are exact. The rate r of a flow is max-min fair: on some bundle of its
//     route the rates add up to the capacity, and none is above r.
//   - Phase.Pace: packets of a message are at least p T/b apart at every hop, where T is the
//     work of the busiest bundle (spreads says which messages take a little longer); a packet
//     waits for at most sum(m-1) x on a route whose bundles have m routes each.
//   - Change, Failure: circuits that change are dark from At until At + Delay, those that
//     fail from At on.
//   - Multipath: a message (SpreadFlow) or each of its packets (SpreadSpray) takes each of the
//     k circuits to next nodes on shortest paths with probability 1/k.
//   - Series: utilization = busy/(interval circuits); queue = bytes that have arrived and not
//     started.
//
// Package stepwise, below, adds credits (finite buffers) and triggers.
package sim
