// Package check decides whether a program of thread blocks, whatever wrote it, does what its
// collective promises in every legal interleaving, not just in one run.
//
// A program becomes a graph of events: what each reads and writes in the memories of the
// ranks, and which must end before it. Thread blocks run in order, waits name the step
// that they wait for, a message is received after it was sent, and a sender blocks when
// the slots of its connection are full. All of this is known before anything runs, so:
//
//   - a program completes if and only if the graph has no cycle, slots included;
//   - it is free of races if any two events that touch a chunk, unless both only read it, are
//     ordered by the graph without its slots (a runtime may have more slots);
//   - without races every order gives the same values, so one symbolic run shows the result of
//     all of them.
package check
