// Package compile turns plans into files that runtimes, simulators and switches load, and
// reads such files back to check them.
//
// Package compile/lower turns a plan into programs of thread blocks, and one package per format
// writes them as files. Whoever made a file, compile/check decides whether it does what its
// collective promises.
package compile
