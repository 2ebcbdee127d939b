// Package strategy makes schedules of exchanges. A schedule says which topologies follow one
// another, and which chunk moves over which circuit in which slot.
//
//   - paper: the construction of the paper; shifts: better jumps in its model; exact: any
//     permutations in its model, by complete search for few nodes.
//   - relay: chunks wait for later topologies of jumps; cayley: the same over the
//     generators of a group in which order matters; bruck, retri: the digits of offsets.
//   - direct: a circuit for every chunk, several at the end; static, rings: one topology for all.
//   - match, birkhoff, mixnet: for demands that differ from pair to pair, which paper,
//     relay, cayley, direct, static and rings plan as well.
//   - auto: the best of all.
package strategy
