package jumpset

import (
	"context"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
)

// TestWordsAreShortest compares the lengths of words with a search over stages and nodes
// that relaxes until nothing changes.
func TestWordsAreShortest(t *testing.T) {
	for _, c := range []struct {
		g    model.Group
		k, d int
	}{{model.Rotations(12), 1, 3}, {model.Group{M: 6, Q: 2, R: 5}, 2, 2}, {model.Group{M: 5, Q: 4, R: 2}, 1, 4}, {model.Group{M: 8, Q: 2, R: 3}, 3, 2}, {model.Group{M: 7, Q: 3, R: 2}, 2, 1},
		{model.Rotations(200), 2, 2}, {model.Group{M: 64, Q: 2, R: 63}, 2, 2}, {model.Group{M: 130, Q: 2, R: 129}, 3, 1},
		{model.Group{M: 2, Q: 64, R: 1}, 2, 1}, {model.Rotations(192), 1, 2}} {
		n := c.g.Nodes()
		for seed := range uint64(5) {
			units, _ := UnitsOf(c.g, c.k, false, UpTo(n-1))
			s := NewWordSearch(c.g, units, c.d)
			s.Scatter(seed)
			total := s.update(0)
			sum := 0
			length := slices.Repeat([]int{Far}, n)
			length[0] = 0
			for i, generators := range s.generators {
				for range n {
					for u := range n {
						for _, g := range generators {
							v := c.g.Multiply(u, g)
							length[v] = min(length[v], length[u]+1)
						}
					}
				}
				for u := range n {
					if int(s.lengths(i + 1)[u]) != length[u] {
						t.Fatalf("%v stage %d: %v, want %v", c.g, i, s.lengths(i+1), length)
					}
				}
			}
			for _, l := range length {
				sum += l
			}
			if total != sum {
				t.Errorf("%v: total %d, want %d", c.g, total, sum)
			}
		}
	}
}

// TestDescentEndsAtALocalOptimum: no single generator can be exchanged for a better one.
func TestDescentEndsAtALocalOptimum(t *testing.T) {
	g := model.Group{M: 6, Q: 2, R: 5}
	all := UpTo(g.Nodes() - 1)
	units, _ := UnitsOf(g, 2, false, all)
	s := NewWordSearch(g, units, 2)
	s.Scatter(1)
	total, err := s.Descend(context.Background(), 0, 1<<40)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.update(0); got != total {
		t.Fatalf("total %d, said %d", got, total)
	}
	for i, generators := range s.generators {
		for p, old := range slices.Clone(generators) {
			for _, v := range all {
				s.set(i, units[p], v)
				if got := s.update(0); got < total {
					t.Errorf("stage %d port %d: %d gives %d, below %d", i, p, v, got, total)
				}
			}
			s.set(i, units[p], old)
			s.update(0)
		}
	}
}

// TestBalancedWordsAreStillShortest: moving words in the tree keeps their lengths, and the
// tracked loads are those of the words.
func TestBalancedWordsAreStillShortest(t *testing.T) {
	for _, g := range []model.Group{model.Rotations(20), {M: 5, Q: 4, R: 2}, {M: 16, Q: 4, R: 3}} {
		units, _ := UnitsOf(g, 2, false, UpTo(g.Nodes()-1))
		s := NewWordSearch(g, units, 2)
		s.Scatter(2)
		if s.update(0) >= Far {
			t.Fatalf("%v: not all nodes are reached", g)
		}
		tree := NewWordTree(s)
		before, _ := tree.slots()
		if err := tree.Balance(t.Context()); err != nil {
			t.Fatal(err)
		}
		after, _ := tree.slots()
		if after > before {
			t.Errorf("%v: %d slots, before %d", g, after, before)
		}
		r := tree.Ways()
		load, _ := r.Loads()
		for i := range load {
			if !slices.Equal(load[i], tree.load[i]) {
				t.Errorf("%v: loads %v, said %v", g, load[i], tree.load[i])
			}
		}
		for o, legs := range r.Legs {
			at, hops := 0, int32(0)
			for _, l := range legs {
				hops += l.Hops
				for range l.Hops {
					at = g.Multiply(at, r.Generators[l.Stage][l.Port])
				}
			}
			if at != o || hops != s.lengths(2)[o] {
				t.Fatalf("%v: word to %d ends at %d after %d hops, want %d", g, o, at, hops, s.lengths(2)[o])
			}
		}
	}
}
