// Package mended plans around what has failed with everything that is left: if one GPU has lost a
// port, the other GPUs keep theirs.
//
// Repaired repairs a plan for a whole fabric, with islands, fixed links and layouts: other GPUs
// stand in for those that have failed, and what was sent over something that has failed takes other
// ways. Relayed is the plan of last resort, up a tree and down another, wherever anything connects
// the GPUs.
package mended
