// Package sides finds allreduces by windows of partial sums that grow on both sides, on two-way
// rings.
//
// A point's value is always the sum of a window: its own vector and those of some points on
// either side. A step makes the window longer at both ends by sums from other points. These
// points' windows overlap with each other and with the point's own, so most of them must leave
// something out. Therefore a point also keeps sums of some of what it has received: side sums
// (collective.Sides).
//
// 13 points on a ring that stays, in two steps of 2 and 4 hops:
//
//	step   window of y   y gets
//	1      y-2 .. y+2    the vectors of y-2, y-1, y+1 and y+2
//	2      all           from y+4 its sum of y+3 .. y+6, without y+2
//	                     from y-4 its sum of y-6 .. y-3, without y-2
//
// The package knows no plans: it counts steps, hops and vectors.
package sides
