// Package replay turns plans into programs for the simulators, bounds the results beforehand,
// explains how they differ from the plan, and determines what a plan loses when circuits or
// GPUs fail.
//
// # Plan and simulation
//
// A plan charges a step delta for every hop of its longest route, plus the load of its busiest
// circuit. The simulators start all messages at the start of the step and let them queue packet
// by packet, first come, first served, or share circuits fairly. Let W be the work of the
// busiest circuit, with bytes, packets of every route and picoseconds rounded to integers; h
// the hops of the longest route; p the time of a packet. Then (LimitsOf computes it, and the
// tests check it for every planner):
//
//   - No step takes less than W + delta. So a simulation is at most (h-1) delta faster than a
//     plan with cut-through: packets propagate while others queue, so their propagation is
//     hidden. With store-and-forward the plan also counts each route as messages that are sent
//     hop by hop, whereas packets overlap.
//   - A step of single hops over single circuits takes exactly W + delta.
//   - A circuit is fed by the circuits over which packets come to its queue. If none is fed by
//     more than one, a step takes at most W + h delta, and with store-and-forward (h-1) p more:
//     packets never come in faster than they go out, so a queue only empties, and a packet that
//     has found it empty never waits again.
//   - Circuits that the symmetry of a step maps to each other form a class: they are busy at
//     the same times. A packet waits only while the class that it waits for is busy, which is
//     never longer than the work of its circuit. So a step takes at most h delta plus the work
//     of the classes on a route, each counted once. With one class this is W + h delta again.
//     Parallel circuits add up to one packet, or with store-and-forward one for each hop.
//   - At flow level, some full circuit always limits a message, and the same sum over classes
//     is a bound. So is the message's size times the largest number of messages on one of its
//     circuits, which is at most W if all are of equal size. With store-and-forward, each
//     further hop adds p.
//
// Reconfigurations do not follow the plan's times. When a phase begins, a table of the ports of
// every GPU says which are dark and until when, by the rules of package plan and the
// simulation's clock. A flow starts when all ports on its routes are up. So if packets are
// faster or slower than the plan, they see more or less of a change, and if a plan claims less
// time than its circuits need, the simulation uses what they need.
//
// What this means for the planners:
//
//	planner                         simulated packet by packet
//	direct-connect                  exact
//	exchange, stored chunk by chunk exact
//	every-step, matched circuits    exact
//	any, 1 port                     never slower, or (h-1) p with store-and-forward
//	static, two-way ring            never slower, or (h-1) p with store-and-forward
//	any, routes that merge          queueing may be added
//
// "Exact" ignores that bytes and packets are whole: parallel circuits between two GPUs share
// packets, not bits. At flow level the same holds if the messages of a step are of equal size.
//
// The last row is for steps on two or more ports whose routes part and meet again. The plan's
// time assumes senders that spread their bytes over the whole step. If messages are sent at
// once into first-come, first-served queues, circuits idle that are needed later: the worst
// plan in the tests takes 23% longer than planned at packet level, and the worst 16% at flow
// level.
//
// # Pace
//
// Therefore the routes of a step send at a pace (Paced): each spreads its bytes over W, at its
// source and again wherever it is forwarded. The rate of a route is its share of its message,
// in bytes, over W; it follows from the plan and need not be stored there. By the definition of
// W the rates of the routes on a circuit add up to at most its bandwidth. A packet then waits
// on every hop for at most one packet of each other route there, and a paced step ends by
//
//	W + h delta + p + the sum over the hops of a route of (m-1) p
//
// where m routes use the circuit of the hop, rounding each packet up to a picosecond; with
// store-and-forward by (h-1) p more, and where c circuits are parallel with (m-1) p/c + p
// for the hop. (The comment on type pacing in package sim has the proof; LimitsOf computes
// it, and the tests check it for planners with 1 to 6 ports.) Routes with fewer hops than the
// longest have time to spare; the capacity they leave goes to routes that do not, without
// changing the bound. For 4MiB and packets of 1KiB the worst plan of the
// tests is 0.6% late, and all but 2 of 122 are within 0.3%. Of 5546 plans on random fabrics (all
// planners but staggered, 4 to 24 GPUs, 1 to 6 ports, 1 to 1600 Gbps, delta up to 2us) 97.8% are
// within 0.3% and 99% within 0.51%; the worst are 3.3% late, of many steps that are each late by
// some packets and take less than 200.
//
// If no queue is fed by several circuits, packets sent as soon as possible are never late, and
// their propagation is hidden. So PaceMerging, the default, paces only the other steps.
//
// # Without barriers
//
// RunAsynchronous lets every GPU start its next step when it has received and reduced
// everything of the previous step, and changes a circuit when its ends are done with the
// previous stage. Packets of several steps then meet at a queue. They pass every circuit in the
// order that they have with barriers; a packet that comes early waits. So no step ends later
// than with barriers: every event happens at the maximum of the same times as with barriers, or
// of fewer, and none of these is later (type turns has the proof; the tests check it for all
// planners, overlaps and delay models: of 10 000 plans on random fabrics none is later).
//
// In order of arrival, packets of a later step could delay packets of an earlier one for which
// others wait: of 576 runs 49 ended later than with barriers, by up to 26%. Some others end
// sooner that way, by up to 32%; the averages agree to a thousandth. A plan with a route that
// passes a GPU twice, which no planner makes, is served in order of arrival.
package replay
