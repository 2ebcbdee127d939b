// Package interior finds the routing of smallest peak by an interior point method, for steps in
// which most pairs of nodes have demands. It knows flows on arcs; package flow makes routes of them
// and proves what they are worth.
package interior
