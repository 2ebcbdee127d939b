// Package balls finds allreduces in two steps on circuits of any shape that stay.
//
// First every point gets the vectors of all points within a few hops: of its ball. Then it gets the
// sum of all other points, as sums over parts of other balls, from points within a few hops more. A
// ball overlaps with others, so most of these points must leave something out. Therefore a point
// also keeps sums of some of what it has received: side sums (collective.Sides).
//
// As long as the two steps have as many hops together as the diameter of the graph, every point is
// in a ball that is near enough. So this works for any number of points, and no graph is needed in
// which balls fit together without overlaps.
//
// The package knows no plans: it finds routes.
package balls
