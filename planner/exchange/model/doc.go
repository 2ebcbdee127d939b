// Package model defines the model in which exchanges are planned: demands, schedules, when a
// schedule is correct, and how few slots any schedule can take.
//
// The model is that of Zhou, Addanki and Apostolaki (To Reconfigure or Not to
// Reconfigure, section 2). Every node has k ports, so a topology is a directed
// graph whose nodes have at most k circuits out and k in. While a topology is up (a
// stage), time runs in slots: in a slot each circuit carries at most one chunk over
// one hop, and a node sends only what it held before the slot (store and forward).
// The fabric starts dark. With R the time to set up a topology and T the time of a
// slot, d stages that take s slots together cost d*R + s*T.
//
// When every pair of nodes exchanges equally many chunks, schedules may look the same
// from all nodes: circuits lead from u to u*g for the generators g of the stage, where
// the product is that of a Group, in the simplest case u+g mod n; and the chunk from u
// to u*o moves as the chunk from 0 to o does. Such a schedule lists only the chunks of
// node 0.
//
// LoadBound holds if a chunk travels its whole path within one topology, as in the paper;
// RelayBound and DemandBound always hold.
package model
