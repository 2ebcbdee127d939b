package jumpset

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/lightpath-net/lightpath/internal/countdown"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
)

// treesOf returns the same tree of words several times.
func treesOf(t *testing.T, g model.Group, ports, stages, count int) []*WordTree {
	t.Helper()
	units, _ := UnitsOf(g, ports, false, UpTo(g.Nodes()-1))
	s := NewWordSearch(g, units, stages)
	s.Scatter(3)
	if s.update(0) >= Far {
		t.Fatalf("%v: not all nodes are reached", g)
	}
	trees := make([]*WordTree, count)
	for i := range trees {
		trees[i] = NewWordTree(s)
	}
	return trees
}

// balanceNaive is Balance by the definition: a trial moves all weights, and all loads are
// added up after it.
func balanceNaive(t *WordTree) {
	slots, squares := t.slots()
	for changed := true; changed; {
		changed = false
		for i := range t.letter {
			for x := range t.n {
				for letter := int32(stay); int(letter) < len(t.moves[i]); letter++ {
					old, weight := t.letter[i][x], t.weight[i][x]
					if weight == 0 || t.length[i+1][x] == 0 || letter == old || !t.fits(i, x, letter) {
						continue
					}
					t.shift(i, x, -weight)
					t.letter[i][x] = letter
					t.shift(i, x, weight)
					if s, q := t.slots(); s < slots || s == slots && q < squares {
						slots, squares, changed = s, q, true
						continue
					}
					t.shift(i, x, -weight)
					t.letter[i][x] = old
					t.shift(i, x, weight)
				}
			}
		}
	}
}

// Trials that touch only what changes decide like trials that count everything: few stages of
// long words, and many of short ones.
func TestBalanceDecidesAsItsDefinition(t *testing.T) {
	for _, c := range []struct {
		group         model.Group
		ports, stages int
	}{
		{model.Rotations(20), 2, 2}, {model.Group{M: 5, Q: 4, R: 2}, 2, 3}, {model.Group{M: 16, Q: 4, R: 3}, 3, 2},
		{model.Group{M: 16, Q: 4, R: 3}, 4, 1}, {model.Group{M: 16, Q: 4, R: 3}, 2, 24}, {model.Rotations(96), 1, 40},
	} {
		trees := treesOf(t, c.group, c.ports, c.stages, 2)
		if err := trees[0].Balance(t.Context()); err != nil {
			t.Fatal(err)
		}
		balanceNaive(trees[1])
		for _, same := range []struct {
			what     string
			got, not any
		}{
			{"letters", trees[0].letter, trees[1].letter}, {"loads", trees[0].load, trees[1].load}, {"weights", trees[0].weight, trees[1].weight},
		} {
			if !reflect.DeepEqual(same.got, same.not) {
				t.Errorf("%v, %d ports, %d stages: other %s than by definition", c.group, c.ports, c.stages, same.what)
			}
		}
	}
}

// A context that ends between two stages ends the balancing there: it is asked before the nodes
// of every stage, and no further trial is made.
func TestBalanceHeedsItsContext(t *testing.T) {
	const stages = 24
	for _, asked := range []int{0, 1, stages, stages + 5} {
		tree := treesOf(t, model.Group{M: 16, Q: 4, R: 3}, 2, stages, 1)[0]
		ctx := countdown.New(t.Context(), asked)
		if err := tree.Balance(ctx); !errors.Is(err, context.Canceled) {
			t.Fatalf("after %d questions: %v", asked, err)
		}
		if ctx.Asked() != asked+1 {
			t.Errorf("asked %d times, and %d more were answered", asked, ctx.Asked()-asked)
		}
		if most := asked * tree.n * 3; tree.trials > most {
			t.Errorf("after %d questions: %d trials, at most %d are due", asked, tree.trials, most)
		}
	}
}
