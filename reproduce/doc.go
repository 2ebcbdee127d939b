// Package reproduce holds numeric claims of the papers that this project builds on: what
// was published, how the library computes the same quantity, and how the two compare. Every
// value of ours is computed when it is asked for; what is recorded with a claim is only the
// verdict to expect and the reason for it, so that a change of the library that moves a
// value across its tolerance is seen.
//
// There is one file per paper. The claims are those that have been entered, not all that
// the papers make.
package reproduce
