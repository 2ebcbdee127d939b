// Package permutations enumerates all orders of a few numbers, for tests that compare with an
// exhaustive search.
package permutations

import (
	"iter"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
)

// Of yields every permutation of 0..n-1, in a slice that is reused for the next one.
func Of(n int) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		p := arithmetic.UpTo(n)
		var place func(i int) bool
		place = func(i int) bool {
			if i == n {
				return yield(p)
			}
			for j := i; j < n; j++ {
				p[i], p[j] = p[j], p[i]
				if !place(i + 1) {
					return false
				}
				p[i], p[j] = p[j], p[i]
			}
			return true
		}
		place(0)
	}
}
