// Package plan defines the one intermediate form of Lightpath: which circuits are up when, and
// what every GPU sends over them. A plan is priced from its own routes, and can be read and
// written as JSON.
//
// Every planner returns a *Plan, and everything after planning reads nothing else.
//
// # Time
//
// A port of a GPU ends one circuit, which is up, dark or absent. Price (clock.go), plan/verify
// (timeline.go) and sim/replay (timeline.go) implement these rules independently:
//
//  1. A change from one stage to the next with other circuits is one command to the switches,
//     given at one time c, for all circuits that differ. New circuits are dark from c until c +
//     d, where d is the delay that fabric.Reconfig gives for the whole change. Removed circuits
//     end at c.
//  2. Dark circuits carry no bytes: a transfer starts when all circuits of its routes are up,
//     and a circuit is removed when the last byte has left it.
//  3. The switches make one change at a time: no command is given before the last change is
//     over. This holds for parallel switches, too; their delay assumes that they change one
//     after another.
//  4. A circuit that exists before and after a change stays up, and so does a bundle that
//     does not grow. Parallel switches (fabric.PerSwitch) are dark as a whole when they
//     change.
//  5. Steps are sequential: the next begins when the last byte of the one before has
//     arrived. A change also costs a barrier of fabric.Sync.
//  6. Islands and fixed links are always up: a step whose routes use no circuit waits for no
//     change. At the beginning of a stage it runs while the circuits of that stage are set up.
//     Every stage that changes circuits has a step that uses some.
//  7. A fabric that charges steps (fabric.ChargeSteps) sets up the circuits of every step anew,
//     each as one change, unless they are those of the base and are up.
//  8. On a fabric that is free at the start, the first circuits are up at time 0. On one that
//     is dark, or has other circuits up, they are set up by a change like any other.
//
// Let b be the time at which the last step on the old circuits ends. The kind of overlap
// determines when the command is given and what waits:
//
//	none      c = b. Everything waits for c + d and then the barrier.
//	compute:T c = b - T, on a clock that stops while GPUs compute. The rest as with none.
//	ports     c = when the first step on the old circuits began to send, if every new
//	          circuit finds ports that the old circuits leave free; else c = b.
//	          Everything waits for the later of b and c + d, and then the barrier.
//	circuits  c = b and the barrier, or when the change before is over, if that is later.
//	          Transfers wait only for their own circuits: those over circuits that stay
//	          begin at c, in as many steps as the change lasts.
//
//	planes    Port p of every GPU is on plane p, with a switch of its own. Only plans that
//	          say so (Stage.Lanes) use this; for others it is as with none. A plane's command
//	          comes when the last byte on it has arrived, whatever the other planes do. The
//	          plane is dark as a whole until c + d and the barrier, where d is for its own
//	          circuits. A step is divided: the share of a plane begins when the plane is up
//	          and the step before has ended on all planes, and takes its own start-up, hops
//	          and bytes over its own circuits. The step ends with the last share. Rule 3
//	          holds for each plane; if the fabric is not free at the start, every plane has
//	          to be set up.
//	          If planes are independent (Plan.Independent), every stage is a turn of one
//	          plane, which waits only for the turn before on that plane: GPUs send only what
//	          they had from the start.
//
// A plan without overlap is therefore also valid with overlap, and takes no longer.
//
// In a plan, a step's wait comes before its Start: Start + Cost is when its last byte arrives.
// If some transfers of a step need not wait (overlap circuits), they start between the end of
// the previous step and Start. The cost of a step divided among planes is the cost of its
// longest share; Start is its end minus that cost.
package plan
