// Package draw writes the circuits of a plan as graphs: for Graphviz, and as edge lists.
package draw
