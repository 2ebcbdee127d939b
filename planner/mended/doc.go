// Package mended plans around what has failed with everything that is left: if one GPU has lost a
// port, the other GPUs keep theirs.
//
// Repaired repairs a plan for a whole fabric, with islands, fixed links and layouts: other GPUs
// stand in for those that have failed, and transfers over failed parts take other routes. Relayed
// makes the plan of last resort, up one tree and down another, which works wherever anything
// connects the GPUs.
package mended
