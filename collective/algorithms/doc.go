// Package algorithms has the collective algorithms. Each lays out an operation as steps of
// transfers. A Registry finds them by name, including user-defined ones.
package algorithms
