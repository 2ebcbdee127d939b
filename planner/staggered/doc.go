// Package staggered plans for planes of switches that are rewired by themselves
// (fabric.OverlapPlanes): port p of every GPU is on plane p, and while some planes change,
// the others send. It takes the steps of an algorithm, each of which must be a matching, or
// part of one: nobody sends to two others in a step, or receives from two.
//
// A plane has the circuits of one of the steps, and serves a step over them directly or, in
// several hops, by going round. Which plane serves which step, and what share of it, is
// decided by package planes; what cannot be staggered with profit is planned with all planes
// together, by planner harvest, so that the plan is never slower than harvest's.
//
// What it gains: over plans whose circuits serve only the steps that they match, 1.3 times on
// two planes and more on others (a test of package planes, which shows that on few planes
// there is no more to be had); over harvest's, which route over several hops and so rewire
// less, 1.10 to 1.15. Exchanges, whose matchings need not wait for one another, have planes that
// are rewired by themselves from planner exchange.
//
// The idea is that of SWOT (arXiv 2510.19322) and Spectra (arXiv 2603.07373). Other than
// there, steps have barriers, planes need not serve every step, and circuits may serve steps
// that they do not match.
package staggered
