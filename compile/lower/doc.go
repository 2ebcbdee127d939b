// Package lower turns a plan into programs of thread blocks, one for every stage.
//
// A plan says what nodes send in steps between barriers, over multi-hop routes and in shares of
// transfers. Runtimes have no barriers, routes or shares: ranks send whole chunks to peers, and
// thread blocks run in order and wait for one another. So
//
//   - chunks are cut into units, and every route carries whole units;
//   - a multi-hop route becomes messages through scratch buffers of the ranks on its way;
//   - barriers become waits for earlier steps that write what a step reads, or that read what it
//     overwrites.
//
// # Why the programs do not deadlock
//
// All operations are listed in one order, in which every message is received before the next is
// sent on the same connection, and every operation comes after those that it must wait for.
// Thread blocks keep that order. So at any time the first unfinished operation of the list can
// run, even if connections have room for only one message.
//
// Within a step, all transfers read the values from before the step. First come messages that do
// not conflict with others, and messages whose route does not end at the first hop, because
// these go to scratch: one is sent on every connection and all are received, then the next one
// on every connection, and so on. Then come the remaining messages, grouped by the chunks that
// they carry: all messages with the same chunks are sent, at most one per connection, and then
// received. This requires that any two such messages carry either the same chunks or disjoint
// ones. Last come the further hops, which read only scratch.
//
// Fusing receives with sends needs more care: a rank that forwards what it receives holds a slot
// until the next rank has received it. So receives are fused only if the checker finds that the
// program still completes with the connections' slots, however messages are split.
package lower
