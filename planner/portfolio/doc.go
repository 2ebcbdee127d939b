// Package portfolio is the search over planners: the ways to carry an operation out, and what
// the fastest of them is compared with. Commands are its clients.
package portfolio
