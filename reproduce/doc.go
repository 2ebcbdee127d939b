// Package reproduce holds numeric claims of the papers that this project builds on: what was
// published, how the library computes the same quantity, and how the two compare. Our values are
// always computed; a claim records only the expected verdict and its reason. So a change of the
// library that moves a value across its tolerance is noticed.
//
// There is one package per paper or group of papers. Not every claim of the papers has been
// entered.
package reproduce
