// Package collective describes collective operations and the algorithms that
// carry them out, as steps of transfers with a meaning: every transfer names the
// chunks that it moves and whether they replace or are reduced into what the
// receiver holds, so that a plan can be checked on data.
//
// An algorithm knows nothing of circuits: which of them carry a transfer, and
// when they are rewired, is the planner's business.
package collective
