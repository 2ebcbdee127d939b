// Package iterations lays the plan of an iteration out as what package emulate runs: jobs of groups
// of ranks, what every job waits for, and the circuits that it sets or uses, on their ports.
//
// The order is the plan's. Every port of a rank, every island and every set of circuits goes
// through its jobs one after the other, so a job waits for those before it there, and for what
// the program of its ranks waits for. Whoever begins every job when all that it waits for has
// ended carries the plan out, however long jobs take.
package iterations
