// Package staggered plans for planes of switches that reconfigure independently
// (fabric.OverlapPlanes): port p of every GPU is on plane p, and while some planes reconfigure,
// the others send. It takes the steps of an algorithm. Each step must be a matching, or part of
// one: in a step, no GPU sends to two others or receives from two.
//
// A plane holds the circuits of one of the steps, and serves a step over them directly or over
// several hops around a cycle. Package planes decides which plane serves which step, and with what
// share. If staggering does not pay, planner harvest plans all planes together, so a plan is never
// slower than harvest's.
//
// The largest gains are 1.3 times on two planes, and more on other numbers of planes, over plans
// whose circuits serve only the steps that they match (a test of package planes also shows that
// on few planes no more can be gained). Over harvest's plans, which route over several hops and
// so reconfigure less, the largest gains are 1.10 to 1.15 times. For exchanges, whose matchings
// need not wait for one another, planner exchange uses independent planes.
//
// The idea comes from SWOT (arXiv 2510.19322) and Spectra (arXiv 2603.07373). Unlike there, steps
// have barriers, planes need not serve every step, and circuits may serve steps that they do not
// match.
package staggered
