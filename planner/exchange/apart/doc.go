// Package apart spreads matchings over planes that do not wait for one another. It knows times but
// no plans. A matching takes some time to send, which may be divided among planes, plus a fixed
// time for every turn of a plane that serves it: a start-up, and the reconfiguration before it.
//
// Matchings that are independent of one another need no barriers: while one plane is dark, the
// others send. Which plane serves which matchings is a problem of parallel machines with
// set-up times and jobs that can be split. The longest jobs go first, and splitting evens out the
// ends (after Spectra, arXiv 2603.07373). Unlike Spectra, a linear program then chooses the lengths
// of all turns together: pairs that several matchings connect are divided among these.
package apart
