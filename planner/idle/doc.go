// Package idle has planners leave something of a fabric unused where that may be better than
// to use all of it, as planners mostly do: ports, or that circuits need not lead both ways. A
// plan for a fabric that allows less is a plan for one that allows more, so that whoever
// plans on these too is not slower for having more.
package idle
