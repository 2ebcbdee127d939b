// Package extend shows how a program outside of Lightpath adds an algorithm, a topology
// family and a planner of its own. Nothing is registered globally: they are values, passed
// to what needs them. Plans made with them are proven by the same verifier, which is told
// what the names stand for.
package extend
