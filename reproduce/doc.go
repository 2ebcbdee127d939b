// Package reproduce holds numeric claims of the papers that this project builds on: what was
// published, how the library computes the same quantity, and how the two compare. Our values are
// always computed; a claim records only the expected verdict and its reason. So a change of the
// library that moves a value across its tolerance does not go unnoticed.
//
// There is one file per paper. Not every claim of the papers has been entered.
package reproduce
