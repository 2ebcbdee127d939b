package pairing_test

import (
	"testing"

	"github.com/lightpath-net/lightpath/planner/joint/pairing"
)

// Every point gets every shard once, from a point that knew it before the round, and talks to at
// most one other in a round. Messages have no more shards than they may. Up to messages of an
// eighth of the shards, the rounds are as many as MeetLeast says, or one more, and carry at most
// n+1+m shards.
func TestMeetingsBringEveryShardOnce(t *testing.T) {
	for _, n := range []int{3, 5, 7, 9, 11, 15, 17, 21, 31, 33, 55, 63, 65} {
		mosts, least := pairing.MeetLeast(n)
		for i, most := range mosts {
			if n > 33 && i%4 > 0 {
				continue
			}
			knows := make([]map[int]bool, n)
			for v := range n {
				knows[v] = map[int]bool{v: true}
			}
			rounds, sum := pairing.Meet(n, most), 0
			for _, r := range rounds {
				peer := map[int]int{}
				for _, m := range r {
					for _, ends := range [][2]int{{m.From, m.To}, {m.To, m.From}} {
						if p, talks := peer[ends[0]]; talks && p != ends[1] {
							t.Fatalf("%d points: %d talks to %d and %d", n, ends[0], p, ends[1])
						}
						peer[ends[0]] = ends[1]
					}
					for _, s := range m.Shards {
						if !knows[m.From][s] || knows[m.To][s] {
							t.Fatalf("%d points: %d sends shard %d to %d", n, m.From, s, m.To)
						}
					}
				}
				for _, m := range r {
					for _, s := range m.Shards {
						knows[m.To][s] = true
					}
				}
				if sum += r.Load(); r.Load() > most {
					t.Errorf("%d points: a message of %d shards, not %d", n, r.Load(), most)
				}
			}
			for v := range n {
				if len(knows[v]) != n {
					t.Errorf("%d points: %d knows %d shards", n, v, len(knows[v]))
				}
			}
			if most <= n/8 && (len(rounds) > least[i]+1 || sum > n+1+most) {
				t.Errorf("%d points, messages of %d: %d rounds of %d shards, at best %d of %d", n, most, len(rounds), sum, least[i], n-1+most)
			}
		}
	}
}
