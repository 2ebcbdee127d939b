// Package interior finds the routing with the smallest peak by an interior point method, for
// steps in which most pairs of nodes have demands. It computes flows on arcs; package flow
// converts them to routes and proves how good these are.
package interior
