// Package covering solves linear programs of the form that the times of planes have: the least
// cost with every demand met, where no cost is negative.
package covering
