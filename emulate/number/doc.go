// Package number provides the arithmetic of emulated ranks: element types, their sums, the
// inputs of every rank and the expected sums.
package number
