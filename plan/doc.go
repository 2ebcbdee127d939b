// Package plan holds the one intermediate form of Lightpath: which circuits are up
// when, and what every GPU sends over them. It prices a plan from its own routes,
// checks it on data, bounds how much better any plan for the same algorithm could
// be, and reads and writes it as JSON.
//
// Every planner returns a *Plan; everything after planning reads only that.
package plan
