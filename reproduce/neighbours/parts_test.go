package neighbours

import (
	"context"
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/reproduce/claim"
)

// Values are those of the times that are shown beside them. The claim of SWOT takes too long for
// this: its cells are tried on fewer GPUs.
func TestValuesFollowFromTheirParts(t *testing.T) {
	for id, from := range map[string]func(p []float64) float64{
		"neighbours/bridge/allreduce-ring": func(p []float64) float64 { return p[0] / p[1] },
	} {
		parts, want := partsOf(t, id, func(e claim.Entry) func(context.Context) (float64, error) { return e.Convention.Ours })
		if got := from(parts); !near(got, want) {
			t.Errorf("%s: parts %v give %v, the value is %v", id, parts, got, want)
		}
	}
}

// partsOf are the parts of a claim, which are finite and have names, and its value.
func partsOf(t *testing.T, id string, value func(e claim.Entry) func(context.Context) (float64, error)) (parts []float64, want float64) {
	t.Helper()
	for _, e := range Paper().Entries {
		if e.ID != id {
			continue
		}
		list, err := e.Parts(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range list {
			if p.Name == "" || math.IsNaN(p.Value) || math.IsInf(p.Value, 0) {
				t.Errorf("%s: part %q is %v", id, p.Name, p.Value)
			}
			parts = append(parts, p.Value)
		}
		if want, err = value(e)(t.Context()); err != nil {
			t.Fatal(err)
		}
		return parts, want
	}
	t.Fatalf("no claim %s", id)
	return nil, 0
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(b) }

// A cell is by itself what it is in a grid, and more GPUs gain more.
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
