// Package apart spreads matchings over planes that do not wait for one another. It knows
// times and no plans: a matching takes some time to send, which may be divided among planes,
// and something for every turn of a plane that serves it: a start-up, and a change of circuits
// before it.
//
// Matchings that are independent of one another need no barriers: while one plane is dark, the
// others send. Which plane serves which matchings is a problem of parallel machines with
// set-up times and jobs that can be split, for which the longest are taken first, and the ends
// evened by splitting (after Spectra, arXiv 2603.07373). Other than there, how long the turns are
// is then decided once more for all together, by a linear program: pairs that several matchings
// connect are divided among these.
package apart
