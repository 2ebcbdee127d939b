// Package pieces plans pipelined algorithms, such as a chain, which cut a buffer into pieces. It
// finds the number of pieces that takes the least time.
//
// More pieces fill the pipeline sooner, but each costs a start-up. Let s be the steps beyond one
// per piece, a the time of the whole buffer over a circuit, and b the time of a step without
// bytes. Then P pieces take (s+P)*(b+a/P), which is least next to sqrt(s*a/b). On circuits that
// do not match the trees, and where circuits change, times have this form only for large P; there
// the planner is asked, which needs only a sketch (collective.Pieces), not a layout.
package pieces
