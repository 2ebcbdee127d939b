// Package coordinator runs an emulation: it waits until all ranks and the switch have joined,
// requests circuits, starts each step when all ranks have ended the previous one, measures the
// times, and ends the run at the first fault. Machine makes all decisions, from events and their
// times; Serve does the input and output.
package coordinator
