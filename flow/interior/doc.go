// Package interior finds the routing of smallest peak by an interior point method, for steps in
// which most pairs of nodes have demands. It computes flows on arcs; package flow turns them into
// routes and proves how good these are.
package interior
