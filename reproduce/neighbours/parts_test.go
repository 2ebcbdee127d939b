package neighbours

import (
	"context"
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/reproduce/claim"
	"github.com/lightpath-net/lightpath/reproduce/claim/claimtest"
)

// Values follow from the times shown beside them. The claim of SWOT takes too long for this
// test, which tries its cells on fewer GPUs.
func TestValuesFollowFromTheirParts(t *testing.T) {
	for id, from := range map[string]func(p []float64) float64{
		"neighbours/bridge/allreduce-ring": func(p []float64) float64 { return p[0] / p[1] },
	} {
		parts, want := claimtest.Parts(t, Paper().Entries, id, func(e claim.Entry) func(context.Context) (float64, error) { return e.Convention.Ours })
		if got := from(parts); !near(got, want) {
			t.Errorf("%s: parts %v give %v, the value is %v", id, parts, got, want)
		}
	}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(b) }

// A cell has the same value by itself as in a grid, and more GPUs gain more.
func TestCellsOfSwot(t *testing.T) {
	before := 0.0
	for _, gpus := range []int{8, 16, 32} {
		grid, err := swotCells(t.Context(), gpus, sizes[:2], delays[:2])
		if err != nil {
			t.Fatal(err)
		}
		one, err := swotCells(t.Context(), gpus, sizes[1:2], delays[:1])
		if err != nil {
			t.Fatal(err)
		}
		if len(grid) != 4 || len(one) != 1 || grid[2] != one[0] {
			t.Errorf("%d GPUs: %v in a grid, %v alone", gpus, grid, one)
		}
		now := most(grid).reduction()
		if !near(now, 100*(1-1/most(grid).speedup())) || now <= before {
			t.Errorf("%d GPUs: lower by %v%%, fewer by %v%%", gpus, now, before)
		}
		before = now
	}
}
