// Package stagedtest has what tests of package staged and of those below it share: requests,
// tolerances, and HARVEST's Algorithm 1 as it is printed, as a twin of the search.
package stagedtest
