package exchange

import (
	"context"
	"slices"
	"testing"
)

// TestGroupsAreGroups checks the axioms, and that circuits follow products.
func TestGroupsAreGroups(t *testing.T) {
	for _, n := range []int{2, 4, 6, 8, 12, 16, 18, 20, 21} {
		list := groupsOf(n)
		if list[0] != Rotations(n) {
			t.Errorf("n=%d: first %v, want rotations", n, list[0])
		}
		for _, g := range list {
			if err := g.check(n); err != nil {
				t.Fatal(err)
			}
			commutes := true
			next := make([]int32, n)
			for a := range n {
				g.step(a, next)
				seen := make([]bool, n)
				for b := range n {
					if g.Multiply(b, a) != int(next[b]) {
						t.Fatalf("%v: %d*%d is %d, the circuit leads to %d", g, b, a, g.Multiply(b, a), next[b])
					}
					seen[next[b]] = true
					commutes = commutes && g.Multiply(a, b) == g.Multiply(b, a)
					for c := range n {
						if g.Multiply(g.Multiply(a, b), c) != g.Multiply(a, g.Multiply(b, c)) {
							t.Fatalf("%v: (%d*%d)*%d differs from %d*(%d*%d)", g, a, b, c, a, b, c)
						}
					}
				}
				if slices.Contains(seen, false) || g.Multiply(a, 0) != a || g.Multiply(0, a) != a || g.Multiply(a, g.Inverse(a)) != 0 || g.Multiply(g.Inverse(a), a) != 0 {
					t.Fatalf("%v: %d has no inverse or 0 is not neutral", g, a)
				}
			}
			if commutes != g.Commutative() {
				t.Errorf("%v commutes: %v, said %v", g, commutes, g.Commutative())
			}
		}
	}
}

// TestGroupsOfPrimeOrderAreRotations: there is no other group.
func TestGroupsOfPrimeOrderAreRotations(t *testing.T) {
	for _, n := range []int{2, 3, 5, 7, 61} {
		if list := groupsOf(n); len(list) != 1 {
			t.Errorf("n=%d: %v", n, list)
		}
	}
}

// TestWordsAreShortest compares the lengths of words with a search over stages and nodes
// that relaxes until nothing changes.
func TestWordsAreShortest(t *testing.T) {
	for _, c := range []struct {
		g    Group
		k, d int
	}{{Rotations(12), 1, 3}, {Group{6, 2, 5}, 2, 2}, {Group{5, 4, 2}, 1, 4}, {Group{8, 2, 3}, 3, 2}, {Group{7, 3, 2}, 2, 1}} {
		n := c.g.Nodes()
		for seed := range uint64(5) {
			units, _ := unitsOf(c.g, c.k, false, counts(n-1))
			s := newWordSearch(c.g, units, c.d)
			s.scatter(seed)
			total := s.update(0)
			sum := 0
			length := slices.Repeat([]int{far}, n)
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
					if int(s.words[i+1].length[u]) != length[u] {
						t.Fatalf("%v stage %d: %v, want %v", c.g, i, s.words[i+1].length, length)
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
	g := Group{6, 2, 5}
	all := counts(g.Nodes() - 1)
	units, _ := unitsOf(g, 2, false, all)
	s := newWordSearch(g, units, 2)
	s.scatter(1)
	total, err := s.descend(context.Background(), 0, 1<<40)
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

// TestBalancedWordsAreStillShortest: hanging words elsewhere keeps their lengths, and the
// loads that are kept are those of the words.
func TestBalancedWordsAreStillShortest(t *testing.T) {
	for _, g := range []Group{Rotations(20), {5, 4, 2}, {16, 4, 3}} {
		units, _ := unitsOf(g, 2, false, counts(g.Nodes()-1))
		s := newWordSearch(g, units, 2)
		s.scatter(2)
		if s.update(0) >= far {
			t.Fatalf("%v: not all nodes are reached", g)
		}
		tree := newWordTree(s)
		before, _ := tree.slots()
		tree.balance()
		after, _ := tree.slots()
		if after > before {
			t.Errorf("%v: %d slots, before %d", g, after, before)
		}
		r := tree.routing()
		load, _ := r.loads()
		for i := range load {
			if !slices.Equal(load[i], tree.load[i]) {
				t.Errorf("%v: loads %v, said %v", g, load[i], tree.load[i])
			}
		}
		for o, legs := range r.legs {
			at, hops := 0, int32(0)
			for _, l := range legs {
				hops += l.hops
				for range l.hops {
					at = g.Multiply(at, r.generators[l.stage][l.port])
				}
			}
			if at != o || hops != s.words[2].length[o] {
				t.Fatalf("%v: word to %d ends at %d after %d hops, want %d", g, o, at, hops, s.words[2].length[o])
			}
		}
	}
}

// TestWordsReachMoreThanSums: two ports and one topology of 64 nodes, where groups that do
// not commute take little more than half the slots of circulants.
func TestWordsReachMoreThanSums(t *testing.T) {
	demand := uniformDemand(t, 64, 1)
	slots := make(map[string]int)
	for _, strategy := range []string{Relay, Cayley} {
		slots[strategy] = solved(t, Problem{Demand: demand, Ports: 2, R: 1, T: 1, Stages: 1, Strategy: strategy}).Slots()
	}
	if bound, _ := LoadBound(64, 2, 1); slots[Relay] != 260 || slots[Cayley] != 144 || bound != 132 {
		t.Errorf("%v, bound %d, want relay 260, cayley 144, bound 132", slots, bound)
	}
}
