// Package pool makes the topologies that planners choose from: the base and its shifts, circuits
// that match steps and their unions, rings of subsets, tori, an expander, the best known
// graphs, and topologies that a search tailors to intervals of steps.
package pool
