package pairing_test

import (
	"fmt"
	"math/bits"
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
