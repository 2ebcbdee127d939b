// Package cast finds the fastest broadcasts, and reductions as their reversals: whole copies or
// pieces down trees, pieces over hypercubes and circulants that rotate, a scatter and a gather.
package cast
