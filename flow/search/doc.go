// Package search finds shortest paths and distances on graphs of circuits: from one node to few or
// many, under lengths, within a limit on hops, and the images of paths under symmetries.
package search
