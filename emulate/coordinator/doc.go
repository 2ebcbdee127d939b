// Package coordinator runs an emulation: it waits until all ranks and the switch are there,
// has circuits set, lets ranks begin each step when all have ended the one before, takes
// the times, and ends the run at the first fault. Machine decides all of it, from events
// and the times at which they come; Serve does the input and output.
package coordinator
