// Package control sets the cross-connects of real optical switches according to a timetable, and
// reads their state.
//
// A Switch is one switch with any protocol; the packages below have the drivers. A Controller
// brings several switches from one set of cross-connects to another as one transaction:
//
//	prepare  every switch is read and every port checked; nothing changes yet
//	intend   the journal gets what is up before and what is wanted, and is synced to disk
//	commit   every switch gets its differences, disconnects first; what is up is read again
//	done     the journal says so; or, if a switch refuses, all go back to what was up before
//
// No step trusts an answer. A command whose answer is lost may have been executed, so a retry
// first reads the current state and sends only the remaining differences: nothing is applied
// twice. After a kill, the journal has an intent without an end, and the next run continues from
// the state that it reads.
//
// The package assumes that a switch executes commands one after another. So after a timeout or a
// lost connection, it reads the state until two readings a quiet time apart agree.
package control
