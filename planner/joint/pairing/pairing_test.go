package pairing

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// talk runs the rounds and reports what is wrong: a point that talks to two others, sends what it
// does not know or gets what it knows already, and a point that does not know everything at the
// end.
func talk(n int, rounds []Round) error {
	knows := make([][]bool, n)
	for v := range knows {
		knows[v] = make([]bool, n)
		knows[v][v] = true
	}
	for i, r := range rounds {
		fellow := map[int]int{}
		type fact struct{ to, shard int }
		var learned []fact
		for _, m := range r {
			for _, e := range [][2]int{{m.From, m.To}, {m.To, m.From}} {
				if other, ok := fellow[e[0]]; ok && other != e[1] {
					return fmt.Errorf("round %d: %d talks to %d and %d", i, e[0], other, e[1])
				}
				fellow[e[0]] = e[1]
			}
			for _, s := range m.Shards {
				if !knows[m.From][s] || knows[m.To][s] {
					return fmt.Errorf("round %d: %d sends %d to %d: known %v, %v", i, m.From, s, m.To, knows[m.From][s], knows[m.To][s])
				}
				learned = append(learned, fact{m.To, s})
			}
		}
		for _, f := range learned {
			if knows[f.to][f.shard] {
				return fmt.Errorf("round %d: %d gets %d twice", i, f.to, f.shard)
			}
			knows[f.to][f.shard] = true
		}
	}
	for v := range knows {
		for s, known := range knows[v] {
			if !known {
				return fmt.Errorf("%d does not know %d", v, s)
			}
		}
	}
	return nil
}

// everywhere applies every even rotation to the messages of points 0 and 1.
func everywhere(n int, r Round) Round {
	var all Round
	for by := 0; by < n; by += 2 {
		for _, m := range r {
			all = append(all, Message{(m.From + by) % n, (m.To + by) % n, moved(m.Shards, by, n)})
		}
	}
	return all
}

// An even number n of points gathers in ceil(log2 n) rounds, and no point gets a shard twice.
func TestPairsGatherInTheFewestRounds(t *testing.T) {
	for n := 2; n <= 200; n += 2 {
		var rounds []Round
		load := 0
		for _, w := range doublings(n / 2) {
			rounds = append(rounds, everywhere(n, w.Messages()))
			load += rounds[len(rounds)-1].Load()
		}
		if err := talk(n, rounds); err != nil {
			t.Errorf("%d points: %v", n, err)
		}
		if want := bits.Len(uint(n - 1)); len(rounds) != want || load != n-1 {
			t.Errorf("%d points: %d rounds of %d shards, want %d of %d", n, len(rounds), load, want, n-1)
		}
	}
}

// Whatever the windows, several tiles at once are what a point with that many ports learns in a
// round.
func TestTilesFollowOneAnother(t *testing.T) {
	for pairs := 2; pairs <= 40; pairs++ {
		for values := 2; values <= 6; values++ {
			from := (pairs + values - 1) / values
			w := Windows{pairs, from, pairs, values}
			if len(w.Jumps()) > values-1 || w.Tile() > from {
				t.Fatalf("%+v: circuits %v, tiles of %d", w, w.Jumps(), w.Tile())
			}
			known := map[[2]int]bool{}
			for q := range from {
				for side := range 2 {
					known[[2]int{0, 2*q + side}], known[[2]int{1, (2*(pairs-q) + side) % (2 * pairs)}] = true, true
				}
			}
			for _, m := range w.Messages() {
				for _, s := range m.Shards {
					// The sender's window begins or ends with its own pair.
					away := (m.From/2 - s/2 + pairs) % pairs
					if m.From%2 == 0 {
						away = (s/2 - m.From/2 + pairs) % pairs
					}
					if away >= from || known[[2]int{m.To, s}] {
						t.Fatalf("%+v: %d sends %d to %d", w, m.From, s, m.To)
					}
					known[[2]int{m.To, s}] = true
				}
			}
			if len(known) != 4*pairs {
				t.Errorf("%+v: points 0 and 1 know %d, want %d", w, len(known), 4*pairs)
			}
		}
	}
}

// An odd number of points gathers by way of every even core, with the loads that are predicted.
// The largest power of two takes one round more than n has binary digits.
func TestFoldsGather(t *testing.T) {
	for n := 3; n <= 101; n += 2 {
		for core := (n + 3) / 4 * 2; core < n; core += 2 {
			rounds := Fold(n, core)
			if err := talk(n, rounds); err != nil {
				t.Fatalf("%d points, core of %d: %v", n, core, err)
			}
			loads := FoldLoads(n, core)
			for i, r := range rounds {
				if len(loads) != len(rounds) || r.Load() != loads[i] {
					t.Fatalf("%d points, core of %d, round %d: %d shards, want %v", n, core, i, r.Load(), loads)
				}
			}
			if core&(core-1) == 0 && len(rounds) != bits.Len(uint(n))+1 {
				t.Errorf("%d points, core of %d: %d rounds", n, core, len(rounds))
			}
		}
	}
}

// An odd number of points gathers in circles of any reach, in no more rounds and with no more
// shards than predicted.
func TestCirclesGather(t *testing.T) {
	for n := 3; n <= 45; n += 2 {
		for first := 1; 2*first < n; first++ {
			for next := 1; next <= 3; next++ {
				var all []Stretch
				for to, reach := n, first; to > 1; reach = next {
					reach = max(1, min(reach, (to-1)/2))
					s := Stretch{n, (to + 2*reach) / (2*reach + 1), to, reach}
					all = append([]Stretch{s}, all...)
					to = s.From
				}
				all = Grown(all)
				most := 0
				apart := true
				for _, s := range all {
					most += s.Rounds()
					apart = apart && s.Apart()
				}
				if !apart {
					continue
				}
				rounds := Circle(all)
				if err := talk(n, rounds); err != nil || len(rounds) > most {
					t.Fatalf("%+v: %d rounds, %v", all, len(rounds), err)
				}
				at, until := 0, 0
				for _, s := range all {
					for until += s.Rounds(); at < min(until, len(rounds)) && len(rounds) == most; at++ {
						if rounds[at].Load() > s.Tile() {
							t.Fatalf("%+v: %d shards in round %d", all, rounds[at].Load(), at)
						}
					}
				}
			}
		}
	}
}

// No pairs that share a point have the same colour.
func TestColoursDiffer(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		n := 2 + r.IntN(14)
		var pairs [][2]int
		degree := make([]int, n)
		most := 0
		for u := range n {
			for v := range u {
				if r.IntN(3) > 0 {
					pairs = append(pairs, [2]int{u, v})
					degree[u]++
					degree[v]++
					most = max(most, degree[u], degree[v])
				}
			}
		}
		seen := map[[2]int]bool{}
		for i, c := range Colours(n, pairs, most+1) {
			if c < 0 || c > most {
				t.Fatalf("pair %v has colour %d of %d", pairs[i], c, most+1)
			}
			for _, u := range pairs[i] {
				if seen[[2]int{u, c}] {
					t.Fatalf("%v: %d has colour %d twice", pairs, u, c)
				}
				seen[[2]int{u, c}] = true
			}
		}
	}
}

// No pairings gather in fewer rounds: all pairings of up to six points are tried.
func TestNoPairingsGatherFaster(t *testing.T) {
	for n, want := range map[int]int{2: 1, 3: 3, 4: 2, 5: 4, 6: 3} {
		states := map[[6]int8]bool{{1, 2, 4, 8, 16, 32}: true}
		for rounds := 1; ; rounds++ {
			next := map[[6]int8]bool{}
			done := false
			for s := range states {
				pairings(n, 0, func(pairs [][2]int) {
					after := s
					for _, p := range pairs {
						after[p[0]] |= s[p[1]]
						after[p[1]] |= s[p[0]]
					}
					next[after] = true
				})
			}
			for s := range next {
				all := true
				for v := range n {
					all = all && s[v] == 1<<n-1
				}
				done = done || all
			}
			if done {
				if rounds != want {
					t.Errorf("%d points gather in %d rounds, want %d", n, rounds, want)
				}
				break
			}
			states = next
		}
	}
}

// pairings visits all ways to pair points; some points may be left out.
func pairings(n, taken int, visit func([][2]int)) {
	var pairs [][2]int
	var from func(v, taken int)
	from = func(v, taken int) {
		for v < n && taken>>v&1 == 1 {
			v++
		}
		if v == n {
			visit(pairs)
			return
		}
		from(v+1, taken)
		for w := v + 1; w < n; w++ {
			if taken>>w&1 == 0 {
				pairs = append(pairs, [2]int{v, w})
				from(v+1, taken|1<<w)
				pairs = pairs[:len(pairs)-1]
			}
		}
	}
	from(0, taken)
}
