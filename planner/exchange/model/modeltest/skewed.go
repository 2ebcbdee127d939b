// Package modeltest makes demands for the tests of packages that schedule them.
package modeltest

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
)

// Kinds are the kinds of demands that Skewed makes: the paper's two (reconfigure-or-not,
// section 5.1), and one with many pairs that have nothing to send.
var Kinds = []string{"random", "zipf", "sparse"}

// Skewed returns a demand of one of the Kinds among n GPUs, always the same one.
func Skewed(t testing.TB, kind string, n int) model.Demand {
	t.Helper()
	random := rand.New(rand.NewPCG(uint64(n), 9))
	rank := random.Perm(n * n)
	counts := make([][]int, n)
	for u := range counts {
		counts[u] = make([]int, n)
		for v := range counts[u] {
			switch kind {
			case "random":
				counts[u][v] = 1 + random.IntN(7)
			case "zipf":
				counts[u][v] = int(math.Round(2.4 * math.Pow(float64(1+rank[u*n+v])/float64(n*n), -0.4)))
			case "sparse":
				counts[u][v] = random.IntN(9) * (random.IntN(4) / 3)
			}
		}
	}
	demand, err := model.Counts(counts)
	if err != nil {
		t.Fatal(err)
	}
	return demand
}
