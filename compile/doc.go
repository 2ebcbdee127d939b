// Package compile turns plans into files that runtimes, simulators and switches load, and
// reads such files back to check them.
//
// A plan becomes programs of thread blocks (compile/lower), which the packages of the
// formats write down. Whoever made a file, compile/check decides whether it does what its
// collective promises.
package compile
