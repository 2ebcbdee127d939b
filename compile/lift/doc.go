// Package lift turns programs back into plans, so that schedules of any origin can be
// priced, simulated and compared, and so that a plan can be seen as a runtime carries it
// out.
//
// A program has no steps between barriers, and ranks hold several versions of a chunk in
// different places. A plan has steps, and one value of every chunk at every node. So data
// is followed through the program:
//
//   - Where nothing is reduced, every message is a transfer of one hop: intermediate ranks
//     have what they pass on.
//   - Where chunks are reduced, a message is a transfer that ends when its contents are
//     added to what the receiver holds, or take its place. What is received into scratch
//     and only sent on is on its way: the transfer then has a route of several hops. What a
//     rank has received is a part of its value where all of that is added up by itself, and so
//     is what it contributes where that is sent when the value is another.
//
// There are as few steps as the order of versions allows: what reads one comes after the step
// that wrote it, and not after the one that replaces it. Transfers that may go to several
// steps go where circuits are free.
package lift
