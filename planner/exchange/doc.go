// Package exchange plans all-to-all exchanges: which topologies a fabric takes one
// after the other and what moves over their circuits when, decided together.
//
// It is where the packages below it become plans; they know numbers and graphs only.
//
//   - model: demands, schedules, their proof, and lower bounds.
//   - shop: work in order on machines, as chunks on circuits are.
//   - jumpset: generators of topologies that look the same from every node.
//   - routing: ways over given topologies.
//   - rounds: the construction of the paper that the model is from.
//   - strategy: all of this together, and the baselines of the literature.
//   - apart: matchings on planes that are rewired by themselves (fabric.OverlapPlanes) and do
//     not wait for one another.
package exchange
