// Package algorithms has the collective algorithms: each lays out an operation as steps of
// transfers. A Registry finds them by name, including those that a user adds.
package algorithms
