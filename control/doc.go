// Package control sets the cross-connects of real optical switches as a timetable says, and reads
// what is up.
//
// A Switch is one switch, whatever protocol it speaks; packages below have the drivers. A
// Controller brings several switches from one set of cross-connects to another as one transaction:
//
//	prepare  every switch is read and every port checked; nothing changes yet
//	intend   the journal gets what is up before and what is wanted, and is synced to disk
//	commit   every switch gets its differences, disconnects first; what is up is read again
//	done     the journal says so; or, if a switch refuses, all go back to what was up before
//
// No step trusts an answer. A command whose answer is lost may have been carried out, so a retry
// first reads what is up and sends only what still differs: nothing is applied twice. After a
// kill, the journal has an intent without an end, and the next run goes on from what it reads.
//
// It is assumed that a switch carries out commands one after another. After a timeout or a lost
// connection, the state is therefore read until two readings that are a quiet time apart agree.
package control
