// Package portfolio is the search over planners: the ways to carry out an operation, and the
// baselines that the fastest of them is compared with. Commands are its clients.
package portfolio
