// Package cast finds the fastest broadcasts, and reductions as their reversals: whole copies or
// pieces down trees, pieces over rotating hypercubes and circulants or in rounds of calls, or a
// scatter and a gather. It also finds the fastest scatters and, reversed, gathers in groups.
package cast
