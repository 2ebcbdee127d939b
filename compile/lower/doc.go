// Package lower turns a plan into programs of thread blocks, one for every stage.
//
// A plan says what nodes send in steps between barriers, over routes of several hops and
// in shares of transfers. Runtimes know neither barriers, nor routes, nor shares: ranks
// send whole chunks to peers, thread blocks run in order and wait for one another. So
//
//   - chunks are cut into units, of which every route carries whole ones;
//   - a route of several hops becomes messages through scratch of the ranks on its way;
//   - barriers become waits of steps for those that wrote what they read, or that still
//     had to read what they write.
//
// # Why the programs do not block
//
// All operations are listed in one order, in which every message is received before the
// next is sent on the same connection, and every operation comes after those that it must
// wait for. Thread blocks keep that order. So at any time the first operation of the list
// that has not ended can run, even if connections have room for one message only.
//
// Within a step, all transfers read what was there when it began. First come messages that
// read or write nothing that another of them writes or reads, and of the others those that
// do not end at the first hop, for these go to scratch: one of every connection is sent,
// all are received, and then the next of each. Then come those that do, by the chunks that they carry: first all
// messages with the same chunks are sent, of which no connection has two, then they are
// received. This is why such messages carry chunks that are the same or have none in
// common. At last come the further hops, which read scratch only.
//
// Joining receives with sends needs more: a rank that sends on what it receives holds a slot
// until the next has received. It is done where the checker finds that the program still
// completes with the slots that connections have, however messages are split.
package lower
