// Package stagedtest has what the tests of package staged and its subpackages share: requests,
// tolerances, and HARVEST's Algorithm 1 as printed, as a naive twin of the search.
package stagedtest
