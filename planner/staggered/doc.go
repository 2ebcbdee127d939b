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
// The idea is that of SWOT (arXiv 2510.19322) and Spectra (arXiv 2603.07373). Other than
// there, steps have barriers, planes need not serve every step, and circuits may serve steps
// that they do not match.
package staggered
