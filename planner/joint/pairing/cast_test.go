package pairing_test

import (
	"fmt"
	"math/bits"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/planner/joint/pairing"
)

// In a cast every point talks to one other at most, gives only what it had before the round, and
// gets every piece once. An even number of points needs the fewest rounds that there can be. An
// odd number n of points needs no more than n-1 do, and a round for every n-1 pieces, or for a
// few less.
func TestCastsDeliverEveryPieceOnce(t *testing.T) {
	cast := func(points, pieces int) {
		rounds := pairing.Cast(points, pieces)
		since := make([][]int, points) // the round after which a point has a piece, -1 from the start
		for v := range since {
			since[v] = make([]int, pieces)
			for p := range since[v] {
				since[v][p] = len(rounds)
			}
		}
		for p := range pieces {
			since[0][p] = -1
		}
		gotten := 0
		circuits := 0
		var up map[[2]int]bool
		for r, round := range rounds {
			busy := make([]bool, points)
			now, stay := map[[2]int]bool{}, true
			for _, c := range round.Of {
				pair := [2]int{min(c.A, c.B), max(c.A, c.B)}
				now[pair], stay = true, stay && up[pair]
			}
			if round.Stay != stay {
				t.Fatalf("n=%d, %d pieces, round %d: it stays: %v", points, pieces, r, round.Stay)
			}
			if !stay {
				up = now
				circuits++
			}
			for _, c := range round.Of {
				if c.A == c.B || busy[c.A] || busy[c.B] {
					t.Fatalf("n=%d, %d pieces, round %d: %+v", points, pieces, r, c)
				}
				busy[c.A], busy[c.B] = true, true
				for _, m := range [...][3]int{{c.A, c.B, c.FromA}, {c.B, c.A, c.FromB}} {
					from, to, piece := m[0], m[1], m[2]
					if piece == pairing.None {
						continue
					}
					if since[from][piece] >= r || since[to][piece] < len(rounds) {
						t.Fatalf("n=%d, %d pieces, round %d: %d cannot give piece %d to %d", points, pieces, r, from, piece, to)
					}
					since[to][piece] = r
					gotten++
				}
			}
		}
		if gotten != (points-1)*pieces {
			t.Fatalf("n=%d, %d pieces: %d are given", points, pieces, gotten)
		}
		least := pieces - 1 + bits.Len(uint(points-1))
		most := least
		if points%2 == 1 {
			most = pieces - 1 + bits.Len(uint(points-2)) + pieces/(points-1) + 1
		}
		if r, c := pairing.CastRounds(points, pieces); r != len(rounds) || c != circuits {
			t.Errorf("n=%d, %d pieces: %d rounds on %d circuits, not %d on %d", points, pieces, len(rounds), circuits, r, c)
		}
		if got := len(rounds); got < least || got > most {
			t.Errorf("n=%d, %d pieces: %d rounds, want %d to %d", points, pieces, got, least, most)
		}
	}
	for points := pairing.Least; points <= 70; points++ {
		for pieces := 1; pieces <= 40; pieces++ {
			cast(points, pieces)
		}
		cast(points, 200)
	}
	for _, points := range []int{126, 127, 128, 129, 130, 131, 511, 1000, 1023} {
		cast(points, 30)
	}
}

// No rounds of calls among 4 to 7 points, tried all, are fewer than those of Cast for an even
// number of points. For an odd number they are one fewer at most.
func TestCastsAgainstAllCalls(t *testing.T) {
	for _, c := range []struct{ points, most, longer int }{{4, 5, 0}, {5, 4, 1}, {6, 3, 0}, {7, 2, 1}} {
		for pieces := 1; pieces <= c.most; pieces++ {
			least := leastRounds(c.points, pieces)
			if got := len(pairing.Cast(c.points, pieces)); got < least || got > least+c.longer {
				t.Errorf("n=%d, %d pieces: %d rounds, all calls need %d", c.points, pieces, got, least)
			}
		}
	}
}

// leastRounds tries all calls. A state is the set of pieces of every point; all points but point 0
// are alike, so their sets are sorted.
func leastRounds(points, pieces int) int {
	type state [8]uint8
	all := uint8(1<<pieces - 1)
	first, done := state{all}, state{}
	for v := range points {
		done[v] = all
	}
	states := map[state]bool{first: true}
	for rounds := 0; ; rounds++ {
		if states[done] {
			return rounds
		}
		next := map[state]bool{}
		for before := range states {
			after := before
			var call func(v int, busy uint8)
			call = func(v int, busy uint8) {
				for ; v < points && busy>>v&1 == 1; v++ {
				}
				if v == points {
					sorted := after
					slices.Sort(sorted[1:points])
					next[sorted] = true
					return
				}
				call(v+1, busy|1<<v)
				for u := v + 1; u < points; u++ {
					if busy>>u&1 == 1 {
						continue
					}
					for _, there := range gifts(before[v] &^ before[u]) {
						for _, back := range gifts(before[u] &^ before[v]) {
							after[u], after[v] = before[u]|there, before[v]|back
							call(v+1, busy|1<<v|1<<u)
						}
					}
					after[u], after[v] = before[u], before[v]
				}
			}
			call(0, 0)
		}
		states = next
	}
}

// gifts lists the pieces of a set, each as a set, or the empty set.
func gifts(set uint8) []uint8 {
	if set == 0 {
		return []uint8{0}
	}
	var list []uint8
	for ; set != 0; set &= set - 1 {
		list = append(list, set&-set)
	}
	return list
}

// Six points get two pieces in four rounds. A call is shown as its two points and the pieces that
// they give; -1 is none.
func ExampleCast() {
	for i, round := range pairing.Cast(6, 2) {
		fmt.Println(i, round.Of)
	}
	// Output:
	// 0 [{0 5 0 -1}]
	// 1 [{0 3 1 -1} {5 2 0 -1}]
	// 2 [{0 1 1 -1} {3 2 1 0} {4 5 -1 0}]
	// 3 [{0 5 1 -1} {1 2 -1 0} {4 3 -1 1}]
}
