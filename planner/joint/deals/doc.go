// Package deals has broadcasts to few nodes over circuits that stay, on graphs that a search has
// found.
//
// First the root deals out pieces of the message, in one step of several hops. Then come rounds
// of one hop, in which all nodes pass on pieces to their neighbours. Copies that all nodes make
// are cheaper than copies that the root makes, so the root deals out no more than the rounds
// need: each node must get, by the end, every piece that any node near it has.
//
//	6 nodes, 2 ports, pieces A to F        0 > 1, 2   1 > 2, 5   2 > 3, 4
//	                                       3 > 4, 5   4 > 0, 3   5 > 0, 1
//	step 1, 2 hops: 1 and 4 get A and B, 2 and 5 get C and D, 3 gets E and F
//	step 2, 1 hop:  all get the four pieces that they lack from two neighbours
//
// The root sends five pieces over each circuit, and then every circuit carries two: 7/6 of the
// message over three hops in two steps, the proven optimum for 256 KiB.
//
// The search is among the tests. One of them runs it for all sizes and writes deals.txt, which this
// package reads:
//
//	go test ./planner/joint/deals -run TestDealsSearch -search -timeout 0
package deals
