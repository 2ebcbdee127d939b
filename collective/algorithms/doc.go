// Package algorithms has the algorithms that carry collectives out: each lays an operation out as
// steps of transfers. A Registry knows them by name, with those that a user adds.
package algorithms
