package rounds_test

import (
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/rounds"
)

// TestPaperRuleForTwoPorts: the slots of the paper's rule over circulants. For 8 nodes they are
// computed by hand: jumps 2 and 3 take 1 + 2 + 3 + 3 slots in rounds of two, since 5 = 2+3 and
// 7 = 3+2+2 share one. Every further topology reduces the longest round to one hop.
func TestPaperRuleForTwoPorts(t *testing.T) {
	for n, want := range map[int][]int{
		8:  {9, 7, 5, 4},
		16: {29, 24, 16, 14, 12, 10, 9, 8},
	} {
		c, err := rounds.NewCirculants(t.Context(), n, 2)
		if err != nil {
			t.Fatal(err)
		}
		demand, err := model.Uniform(n, 2)
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for more := true; more; {
			got = append(got, c.Slots())
			s := c.Schedule(n, 2, 2)
			if err := s.Check(demand); err != nil || s.Slots() != 2*c.Slots() {
				t.Fatalf("n=%d, %d topologies: %d slots, %v, want twice %d", n, len(got), s.Slots(), err, c.Slots())
			}
			if more, err = c.Contract(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("n=%d: %v slots, want %v", n, got, want)
		}
	}
}

// TestContractionSavesARound: with a circulant base every topology saves slots. With a Kautz
// base, where more trips of a round may end at a node than it has ports, no topology adds slots.
// Schedules are correct.
func TestContractionSavesARound(t *testing.T) {
	for _, n := range []int{5, 9, 12, 20} {
		demand, err := model.Uniform(n, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range []int{2, 3} {
			a, err := rounds.NewCirculants(t.Context(), n, k)
			if err != nil {
				t.Fatal(err)
			}
			b, err := rounds.NewKautz(t.Context(), n, k)
			if err != nil {
				t.Fatal(err)
			}
			for base, c := range []*rounds.Contraction{a, b} {
				last := c.Slots() + 1
				for more := true; more; {
					if c.Slots() >= last+base {
						t.Errorf("n=%d, k=%d: %d slots after %d", n, k, c.Slots(), last)
					}
					last = c.Slots()
					if err := c.Schedule(n, k, 1).Check(demand); err != nil {
						t.Fatalf("n=%d, k=%d: %v", n, k, err)
					}
					if more, err = c.Contract(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
}

// TestShiftOrder compares ShiftOrder with sequences that are written out.
func TestShiftOrder(t *testing.T) {
	for n, want := range map[int][]int{2: {1}, 3: {1, 2}, 4: {1, 3, 2}, 9: {1, 8, 2, 3, 4, 5, 6, 7}} {
		if got := rounds.ShiftOrder(n); !slices.Equal(got, want) {
			t.Errorf("n=%d: %v, want %v", n, got, want)
		}
	}
}

// TestSlotsForFollowTheLongestFlow: equal flows repeat the rounds unchanged, and relabelled
// places are no worse than the given ones.
func TestSlotsForFollowTheLongestFlow(t *testing.T) {
	counts := [][]int{{0, 3, 1, 1, 1}, {1, 0, 1, 2, 1}, {1, 1, 0, 1, 4}, {2, 1, 1, 0, 1}, {1, 1, 1, 1, 0}}
	skewed, err := model.Counts(counts)
	if err != nil {
		t.Fatal(err)
	}
	even, err := model.Uniform(5, 3)
	if err != nil {
		t.Fatal(err)
	}
	ring, err := rounds.NewJumps(t.Context(), 5, []int{1})
	if err != nil {
		t.Fatal(err)
	}
	at := []int{0, 1, 2, 3, 4}
	if got := ring.SlotsFor(even, at); got != 3*ring.Slots() {
		t.Errorf("%d slots, want three times %d", got, ring.Slots())
	}
	// On a ring, offset 1 has at most 3 chunks, offset 2 has 4, and offsets 3 and 4 have 1.
	if got, want := ring.SlotsFor(skewed, at), 1*3+2*4+3*1+4*1; got != want {
		t.Errorf("%d slots, want %d", got, want)
	}
	places, err := ring.Group(t.Context(), skewed)
	if err != nil || ring.SlotsFor(skewed, places) > ring.SlotsFor(skewed, at) {
		t.Errorf("%v takes %d slots, %v", places, ring.SlotsFor(skewed, places), err)
	}
	graph, err := rounds.NewGraph(t.Context(), [][]int{{1, 2, 3, 4, 0}})
	if err != nil || graph.SlotsFor(skewed, at) > ring.SlotsFor(skewed, at) {
		t.Errorf("as a graph %d slots, %v", graph.SlotsFor(skewed, at), err)
	}
}
