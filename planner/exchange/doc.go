// Package exchange plans all-to-all exchanges: it chooses the sequence of topologies together
// with what moves over their circuits, and when.
//
// It turns the results of the packages below it into plans; they know only numbers and graphs.
//
//   - model: demands, schedules, their verification, and lower bounds.
//   - shop: open shops and job shops, for chunks on circuits.
//   - jumpset: generators of topologies that look the same from every node.
//   - routing: routes over given topologies.
//   - rounds: the construction of the paper that the model comes from.
//   - strategy: all strategies, and the baselines of the literature.
//   - apart: matchings on independent planes (fabric.OverlapPlanes).
//
// With one two-way port, plans for an odd number of GPUs are also made from plans for fewer.
package exchange
