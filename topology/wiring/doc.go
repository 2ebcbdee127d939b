// Package wiring reads and writes user-defined topologies: which circuits lead from where
// to where, how many run in parallel and, if they differ, their bandwidth and delay. Files are
// edge lists (CSV), Graphviz (.dot, .gv) or GraphML; reading back a written file gives the same
// wiring.
//
//	u,v,count,bandwidth,delay
//	0,1
//	1,0,2
//	1,2,1,400Gbps,300ns
//
// A wiring becomes a topology expression, Edges(n;u,v,count,..). So a file works wherever an
// expression does, and requests and plan files contain the circuits, not a path.
package wiring
