// Package iterations turns the plan of an iteration into the jobs that package emulate runs. A
// job belongs to a group of ranks, waits for other jobs, and sets or uses circuits on their
// ports.
//
// The order is the plan's. Every port of a rank, every island and every set of circuits does its
// jobs one after the other, so a job waits for the earlier jobs there, and for the dependencies
// in the program of its ranks. To execute the plan, begin every job when all jobs that it waits
// for have ended, however long jobs take.
package iterations
