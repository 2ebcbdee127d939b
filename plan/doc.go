// Package plan defines the one intermediate form of Lightpath: which circuits are up
// when, and what every GPU sends over them. It prices a plan from its own routes,
// and reads and writes it as JSON.
//
// Every planner returns a *Plan; everything after planning reads only that.
//
// # Time
//
// Every port of a GPU ends one circuit, which is up, dark or absent. Price (clock.go), plan/verify
// (timeline.go) and sim/replay (timeline.go) each implement these rules independently:
//
//  1. A stage with other circuits than the stage before is one change: one command to the
//     switches, at one time c, for all circuits that differ. New circuits are dark from c
//     until c + d, where d is the delay that fabric.Reconfig gives for the whole change.
//     Removed circuits end at c.
//  2. No byte is on a dark circuit: a transfer starts when all circuits of its routes are up,
//     and a circuit is removed when the last byte has left it.
//  3. The switches make one change at a time: no command before the last change is over.
//     This holds for parallel switches too; their delay assumes one after another.
//  4. A circuit that exists before and after a change stays up, and so does a bundle that
//     does not grow. Parallel switches (fabric.PerSwitch) are dark as a whole when they
//     change.
//  5. Steps are sequential: the next begins when the last byte of the one before has
//     arrived. A change also costs a barrier of fabric.Sync.
//  6. Islands and fixed links are always up: a step whose routes use no circuit waits for no
//     change. At the beginning of a stage it goes on while the circuits of that stage are set
//     up. A stage has a step that uses circuits, or changes none.
//  7. A fabric that charges steps (fabric.ChargeSteps) has the circuits of every step set anew,
//     which is one change each, unless they are the base's and up.
//  8. A fabric that is free at the start has the first circuits up at time 0; one that is
//     dark, or has other circuits up, makes a change like any other.
//
// Let b be the time at which the last step on the old circuits ends. The kind of overlap
// determines the time of the command and what waits:
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
// So a plan without overlap is also a plan with overlap, and takes no longer.
//
// In a plan, a step's wait comes before its Start: Start + Cost is when its last byte arrives.
// If some transfers of a step need not wait (circuits), they start in the gap between the step
// before and Start. The cost of a step that planes divide is that of its longest share, and
// Start is that much before its end.
package plan
