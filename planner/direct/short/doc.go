// Package short has graphs whose nodes all have the same number of circuits, and whose diameter is
// small for their number of nodes. One-way line digraphs have such diameters, but only for
// multiples of the degree, and generalised Kautz graphs for few other numbers; two-way families
// leave gaps at odd numbers. Between these, a search among the tests exchanges ends of circuits at
// random. What it has found is kept as data.
package short
