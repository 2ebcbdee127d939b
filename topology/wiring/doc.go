// Package wiring reads and writes topologies of one's own: which circuits lead from where
// to where, how many side by side, and where they are not all alike, their bandwidth and
// delay. Files are edge lists (CSV), Graphviz (.dot, .gv) or GraphML; a written file read
// back is the same wiring.
//
//	u,v,count,bandwidth,delay
//	0,1
//	1,0,2
//	1,2,1,400Gbps,300ns
//
// A wiring becomes a topology expression, Edges(n;u,v,count,..), so that whatever takes an
// expression takes a file, and requests and plan files carry the circuits, not the path of
// a file.
package wiring
