// Package collective describes collective operations and the algorithms that perform them, as
// steps of transfers. Every transfer names the chunks that it moves, and whether they replace
// what the receiver holds or are reduced into it, so a plan can be checked on data.
//
// An algorithm knows nothing about circuits: the planner decides which circuits
// carry a transfer and when to reconfigure them.
package collective
