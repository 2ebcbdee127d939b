// Package rehearsal simulates the plan of an iteration: every communication is simulated packet
// by packet or flow by flow, computations are delays, and ports are rewired in the plan's
// order.
//
// # What shares a queue
//
// The plan gives each communication circuits of its own: no lane serves two at a time
// (iteration.Verify proves it). So packets of different communications never share a queue, nor
// do those of different groups of one communication, and how long a communication takes does
// not depend on when it starts. Each distinct communication is therefore simulated once,
// separately. Communications over circuits that all ranks share (policy one) are simulated with
// all groups together, because these do share queues.
//
// Then every lane and every island goes through its items in the plan's order: an item begins
// when the ranks are ready and all its lanes are free. With that order times are a longest
// path, computed in one pass over the items; nothing is decided again. An iteration begins when
// the previous one has ended for all ranks; its circuits may be set up earlier.
//
// Without jitter and slow GPUs, all ranks of a class behave identically, and one represents
// all. Otherwise every rank, every pair and every group has times of its own.
package rehearsal
