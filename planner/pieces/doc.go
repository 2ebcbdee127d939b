// Package pieces plans algorithms that cut a buffer into pieces which follow one another,
// such as a chain, with the number of pieces that takes the least time.
//
// More pieces fill a pipeline sooner, and each costs a start-up: with s steps besides one
// for every piece, a buffer that takes a over a circuit and b for a step without bytes, P
// pieces take (s+P)*(b+a/P), which is least next to sqrt(s*a/b). On circuits that do not
// match the trees, and where circuits change, times are of the same form for large P only
// and are asked of the planner instead, which needs no layout for it but a sketch
// (collective.Pieces).
package pieces
