// Package number holds what emulated ranks compute with: element types, their sums, the
// inputs of every rank and what the sums of these must be.
package number
