// Package pipelines lays out pieces of a buffer that follow one another down trees, and tells how
// many steps that takes for any number of pieces from running it once.
package pipelines
