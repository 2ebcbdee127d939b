// Package plan holds the one intermediate form of Lightpath: which circuits are up
// when, and what every GPU sends over them. It prices a plan from its own routes,
// and reads and writes it as JSON.
//
// Every planner returns a *Plan; everything after planning reads only that.
//
// # Time
//
// Every port of a GPU ends one circuit, which is up, dark or not there. Whatever prices,
// checks or simulates a plan follows these rules, each in its own code (Price in clock.go,
// plan/verify in timeline.go, sim/replay in its timeline.go):
//
//  1. A stage whose circuits differ from those before is one change: one command to the
//     switches, at one time c, for all circuits that differ. Circuits that are set up are
//     dark from c until c + d, where d is the delay that fabric.Reconfig gives for the
//     whole change. Circuits that are taken down end at c.
//  2. No byte is on a circuit that is dark: a transfer starts when all circuits of its
//     routes are up, and a circuit is taken down when the last byte has left it.
//  3. The switches make one change at a time: no command before the last change is over.
//     This holds for parallel switches too, whose delay has them change one after another.
//  4. A circuit that is there before and after a change carries on, and so does a bundle
//     that does not grow. Parallel switches (fabric.PerSwitch) are dark as a whole when
//     they change.
//  5. Steps follow one another: the next begins when the last byte of the one before has
//     arrived. A change also costs a barrier of fabric.Sync.
//  6. A fabric that is free at the start has the first circuits up at 0; one that is dark,
//     or has others, makes a change like any other.
//
// With b the time at which the last step on the old circuits ends, the kinds of overlap
// set the time of the command and who waits:
//
//	none      c = b. Everything waits for c + d and then the barrier.
//	compute:T c = b - T, on a clock that stops while GPUs compute. The rest as with none.
//	ports     c = when the first step on the old circuits began to send, if every new
//	          circuit finds ports that are free besides the old circuits; else c = b.
//	          Everything waits for the later of b and c + d, and then the barrier.
//	circuits  c = b and the barrier, or when the change before is over, if that is later.
//	          Transfers wait for their own circuits only: those over circuits that carry on
//	          begin at c, in as many steps as the change lasts.
//
//	planes    Port p of every GPU is on plane p, with a switch of its own. Only plans that
//	          say so (Stage.Lanes) make use of it; others are as with none. A plane is
//	          commanded when the last byte on it has arrived, whatever the others do, and is
//	          dark as a whole until c + d and the barrier, where d is for its own circuits. A
//	          step is divided: the share of a plane begins when the plane is up and the step
//	          before has ended on all planes, and takes its own start-up, hops and bytes over
//	          its own circuits. The step ends with the last share. Rule 3 is for each plane;
//	          where the fabric is not free at the start, every plane has to be set up.
//	          In a plan that says that planes are independent (Plan.Independent) every stage
//	          is a turn of one plane, which waits for the turn before on that plane and for no
//	          other: GPUs send only what they had from the start.
//
// So whatever is a plan without overlap is one with it, and takes no longer.
//
// In a plan, a step that waits has the wait before its Start: Start + Cost is when its last
// byte arrives. Of a step in which some transfers need not wait (circuits), those start in
// the gap between the step before and Start. The cost of a step that planes divide is that of
// the share that takes longest, and Start is that much before its end.
package plan
