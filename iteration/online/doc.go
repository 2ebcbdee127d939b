// Package online decides, step by step, whether a training job keeps its circuits or rewires,
// when the demand of its experts changes from step to step and the next steps are unknown.
//
// A state is a plan of an iteration: which circuits are up when. State 0 is home, the plan for
// even demand, in which the first step begins. At the beginning of a step its demand is known.
// The step can be carried out in an existing state, over other routes, or in one that is
// planned for it. Entering another state makes a step longer, by at most a Game's delay.
//
// Follow is the work function algorithm [Borodin, Linial and Saks, J. ACM 39(4), 1992] under a
// budget. At any time it has taken no longer than staying at home would have, because it leaves
// home, and stays away, only if what it has gained so far pays for the way back. There is an
// exception: if that rule would take more than Ratio times the best possible up to now, or
// staying at home is behind that by Evidence delays, it may fall behind staying at home by up
// to two delays.
//
// A Player does the same for steps that come one after another, and can resume after a stop
// from its written state.
//
// Hindsight is exact: the fastest of all sequences of the planned states.
package online
