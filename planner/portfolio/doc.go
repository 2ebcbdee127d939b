// Package portfolio searches over planners. It lists the ways to carry out an operation, finds
// the fastest plan, and finds the baselines to compare it with. Commands are its clients.
package portfolio
