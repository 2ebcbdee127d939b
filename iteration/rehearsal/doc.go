// Package rehearsal carries the plan of an iteration out in simulation: every communication is
// simulated packet by packet or flow by flow, computations are delays, and ports are rewired in the
// plan's order.
//
// # What meets what
//
// The plan gives a communication circuits of its own: no lane serves two at a time
// (iteration.Verify proves it). So packets of different communications never share a queue, nor do
// those of different groups of one communication, and how long a communication takes does not
// depend on when it starts. Each distinct one is simulated once, by itself. Communications over
// circuits that all ranks share (policy one) are simulated with all groups together, because these
// do meet.
//
// Then every lane and every island goes through its items in the plan's order: an item begins when
// the ranks are ready and all its lanes are free. That order makes times a longest path, computed
// in one pass over the items; nothing is decided twice. An iteration begins when the one before has
// ended for all ranks; its circuits may be set up earlier.
//
// Without jitter and slow GPUs, all ranks of a class act alike, and one stands for all. Otherwise
// every rank, every pair and every group has times of its own.
package rehearsal
