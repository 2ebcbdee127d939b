// Package number has what emulated ranks compute with: element types, their sums, the inputs of
// every rank and the sums to expect.
package number
