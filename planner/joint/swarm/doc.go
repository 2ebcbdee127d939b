// Package swarm gathers shards on circuits of any shape, also on circuits that change: in every
// step each node takes over each circuit what it lacks, the rarest first, as the peers of
// BitTorrent do (Cohen, "Incentives build robustness in BitTorrent", 2003). No schedule is
// planned ahead, so nodes may differ in their ports. A node that received less than others in one
// stage catches up in the next.
package swarm
