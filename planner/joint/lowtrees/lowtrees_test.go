package lowtrees

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func never() bool { return false }

// check reports the first thing that is wrong with trees of a shape. It shares no code with the
// search.
func check(s Shape, w *Trees) error {
	circuits, sends := map[[2]int]bool{}, map[[2]int]int{}
	for i, parent := range w.Parent {
		for v := 1; v < s.Nodes; v++ {
			steps := 0
			for u := v; u != 0; u = parent[u] {
				if steps++; steps > s.Nodes {
					return fmt.Errorf("tree %d: %d is below itself", i, v)
				}
			}
			if steps != w.Level[i][v] || steps > w.Depth {
				return fmt.Errorf("tree %d: %d is %d steps away, on level %d of %d", i, v, steps, w.Level[i][v], w.Depth)
			}
			u := parent[v]
			if j := sends[[2]int{u, v}]; j > 0 {
				return fmt.Errorf("trees %d and %d both send from %d to %d", j-1, i, u, v)
			}
			sends[[2]int{u, v}] = i + 1
			circuits[[2]int{min(u, v), max(u, v)}] = true
		}
	}
	degree := make([]int, s.Nodes)
	for ends := range circuits {
		degree[ends[0]]++
		degree[ends[1]]++
	}
	for v, d := range degree {
		if d > s.Degree {
			return fmt.Errorf("%d has %d circuits", v, d)
		}
	}
	type sent struct{ from, to, step int }
	got, over := map[[2]int]int{}, map[sent]bool{}
	for i, level := range w.Level {
		for v, x := range level {
			if got[[2]int{i, v}] = x; v > 0 {
				over[sent{w.Parent[i][v], v, x - 1}] = true // the last piece, down the tree
				for j := range x - 1 {
					over[sent{w.Parent[i][v], v, j}] = true // an earlier one
				}
			}
			if x == w.Depth && len(w.Late) > 0 {
				got[[2]int{i, v}] = far
			}
		}
	}
	for _, m := range w.Late {
		if got[[2]int{m.Tree, m.To}] != far || w.Level[m.Tree][m.From] > m.Step || m.Step > w.Depth-2 {
			return fmt.Errorf("%+v is not needed, not there, or too late", m)
		}
		if !circuits[[2]int{min(m.From, m.To), max(m.From, m.To)}] || over[sent{m.From, m.To, m.Step}] {
			return fmt.Errorf("%+v has no circuit, or not alone", m)
		}
		got[[2]int{m.Tree, m.To}], over[sent{m.From, m.To, m.Step}] = m.Step+1, true
	}
	for at, when := range got {
		if len(w.Late) > 0 && when > w.Depth-1 {
			return fmt.Errorf("%d gets the last piece of tree %d in step %d", at[1], at[0], when)
		}
	}
	if len(w.Parent) != s.Trees || w.Depth < s.Least() {
		return fmt.Errorf("%d trees of %d levels, %d at least", len(w.Parent), w.Depth, s.Least())
	}
	return nil
}

// Trees span all nodes and never send the same way over a circuit. They are found for every shape,
// and few are over a level higher than the bound.
func TestTreesAreFoundForEveryShape(t *testing.T) {
	made, shorter, higher := 0, 0, [9]int{}
	for _, n := range []int{5, 6, 7, 8, 9, 11, 13, 16, 21, 32, 33, 47, 64, 100, 128} {
		for d := 3; d <= 8; d++ {
			for trees := 1; trees <= d; trees++ {
				s := Shape{n, d, trees}
				if !s.Fits() {
					continue
				}
				w := Find(s, never)
				if w == nil {
					t.Fatalf("%+v: no trees found", s)
				}
				if err := check(s, w); err != nil {
					t.Fatalf("%+v: %v", s, err)
				}
				made++
				if len(w.Late) > 0 {
					shorter++
				}
				higher[min(w.Depth-s.Least(), 8)]++
			}
		}
	}
	t.Logf("%d shapes, by levels above the bound %v, %d a step shorter", made, higher, shorter)
	if higher[0]+higher[1] < made*95/100 || higher[0] < made/2 || shorter < made/5 {
		t.Errorf("of %d shapes %d are at the bound, %d a level higher, %d a step shorter", made, higher[0], higher[1], shorter)
	}
}

// A search that is stopped ends without trees or with those found so far.
func TestTheSearchStops(t *testing.T) {
	asked := 0
	Find(Shape{2000, 8, 8}, func() bool { asked++; return true })
	if asked == 0 || asked > 3 {
		t.Errorf("asked %d times whether to stop", asked)
	}
}

// Trees of larger shapes are found, too, in a limited number of moves.
func TestTreesAreFoundForLargeShapes(t *testing.T) {
	for _, s := range []Shape{{1000, 4, 4}, {1001, 3, 2}, {5000, 8, 8}} {
		w := Find(s, never)
		if w == nil {
			t.Fatalf("%+v: no trees found", s)
		}
		if err := check(s, w); err != nil {
			t.Fatalf("%+v: %v", s, err)
		}
		if w.Depth > s.Least()+4 {
			t.Errorf("%+v: %d levels, bound %d", s, w.Depth, s.Least())
		}
	}
}

// For all trees that two GPUs and more can have, the bound holds, and the search finds the lowest.
func TestTheSearchEqualsEnumeration(t *testing.T) {
	for _, s := range []Shape{{5, 3, 1}, {5, 3, 2}, {6, 3, 1}, {6, 3, 2}, {6, 4, 1}, {6, 4, 2}} {
		all := arborescences(s.Nodes)
		lowest := s.Nodes
		for _, a := range all {
			rest := all[:1]
			if s.Trees == 2 {
				rest = all
			}
			for _, b := range rest {
				w := &Trees{Parent: [][]int{a.parent}, Level: [][]int{a.level}, Depth: a.depth}
				if s.Trees == 2 {
					w = &Trees{Parent: [][]int{a.parent, b.parent}, Level: [][]int{a.level, b.level}, Depth: max(a.depth, b.depth)}
				}
				if w.Depth < lowest && fits(s, w) {
					lowest = w.Depth
				}
			}
		}
		if got := Find(s, never); got == nil || got.Depth != lowest || s.Least() > lowest {
			t.Errorf("%+v: found %v, bound %d, the lowest have %d levels", s, got, s.Least(), lowest)
		}
	}
}

type arborescence struct {
	parent, level []int
	depth         int
}

// arborescences lists all trees with root 0.
func arborescences(nodes int) []arborescence {
	var all []arborescence
	parent := make([]int, nodes)
	var choose func(v int)
	choose = func(v int) {
		if v < nodes {
			for u := range nodes {
				if u != v {
					parent[v] = u
					choose(v + 1)
				}
			}
			return
		}
		a := arborescence{append([]int{}, parent...), make([]int, nodes), 0}
		for v := 1; v < nodes; v++ {
			for u := v; u != 0; u = parent[u] {
				if a.level[v]++; a.level[v] > nodes {
					return
				}
			}
			a.depth = max(a.depth, a.level[v])
		}
		all = append(all, a)
	}
	choose(1)
	return all
}

// fits reports whether nodes have circuits enough for trees, and no circuit sends twice.
func fits(s Shape, w *Trees) bool {
	var joined [8][8]bool
	var sends [8][8]bool
	var degree [8]int
	for _, parent := range w.Parent {
		for v := 1; v < s.Nodes; v++ {
			u := parent[v]
			if sends[u][v] {
				return false
			}
			sends[u][v] = true
			if !joined[u][v] {
				joined[u][v], joined[v][u] = true, true
				degree[u]++
				degree[v]++
			}
			if degree[u] > s.Degree || degree[v] > s.Degree || degree[0] > s.rootDegree() {
				return false
			}
		}
	}
	return true
}

// The rule makes trees of every shape that it takes, and of many nodes with few levels.
func TestHeaps(t *testing.T) {
	made := 0
	for d := 3; d <= 8; d++ {
		for n := d + 2; n <= 200; n += 1 + n/20 {
			s := Shape{n, d, d}
			if !s.Fits() {
				continue
			}
			if w := byRule(s, rand.New(rand.NewPCG(1, 1))); w != nil {
				if err := check(s, w); err != nil {
					t.Fatalf("%+v: %v", s, err)
				}
				made++
			} else if n > 8*d {
				t.Errorf("%+v: no trees", s)
			}
		}
	}
	if made < 150 {
		t.Errorf("%d shapes", made)
	}
	for _, large := range []struct {
		Shape
		above int
	}{
		{Shape{1000, 4, 4}, 1}, {Shape{1001, 8, 8}, 1}, {Shape{4096, 5, 5}, 1}, {Shape{5000, 3, 3}, 3}, {Shape{16384, 4, 4}, 2},
		{Shape{40001, 5, 4}, 5}, {Shape{65536, 4, 4}, 2}, {Shape{65536, 8, 8}, 1},
	} {
		w := Find(large.Shape, never)
		if w == nil {
			t.Fatalf("%+v: no trees", large.Shape)
		}
		if large.Nodes <= 1<<14 { // larger ones would take seconds
			if err := check(large.Shape, w); err != nil {
				t.Fatalf("%+v: %v", large.Shape, err)
			}
		}
		if w.Depth > large.Least()+large.above {
			t.Errorf("%+v: %d levels, %d at least", large.Shape, w.Depth, large.Least())
		}
	}
}

// Matching kinds of slots finds as many mates as matching slots one by one.
func TestMatesAreFoundIfThereAreAny(t *testing.T) {
	draw := rand.New(rand.NewPCG(7, 7))
	some := func() (list []free) {
		for at := range 6 {
			list = append(list, free{at, 1 + draw.IntN(4), draw.IntN(3)})
		}
		return list
	}
	possible := 0
	for range 3000 {
		a, b := some(), some()
		depth := 3 + draw.IntN(5)
		allowed := func(x, y free) bool { return y.level+1+x.run <= depth && x.level+1+y.run <= depth }
		var any func(i int, taken int) bool
		any = func(i, taken int) bool {
			if i == len(a) {
				return true
			}
			for j := range b {
				if taken>>j&1 == 0 && allowed(a[i], b[j]) && any(i+1, taken|1<<j) {
					return true
				}
			}
			return false
		}
		want, pairs := any(0, 0), mates(a, b, depth)
		if want != (pairs != nil) {
			t.Fatalf("%v and %v within %d: %v, want %v", a, b, depth, pairs, want)
		}
		if want {
			possible++
		}
		ofA, ofB := 0, 0
		for _, p := range pairs {
			if !allowed(a[p[0]], b[p[1]]) {
				t.Fatalf("%v and %v within %d: %v", a, b, depth, p)
			}
			ofA, ofB = ofA|1<<p[0], ofB|1<<p[1]
		}
		if want && (ofA != 63 || ofB != 63) {
			t.Fatalf("%v and %v: %v", a, b, pairs)
		}
	}
	if possible < 300 || possible > 2700 {
		t.Errorf("%d of 3000 are possible", possible)
	}
}
