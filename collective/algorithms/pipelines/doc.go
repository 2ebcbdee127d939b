// Package pipelines lays out pieces of a buffer that follow one another down trees. From one
// run it computes the number of steps for any number of pieces.
package pipelines
