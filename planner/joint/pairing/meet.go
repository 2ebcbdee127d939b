package pairing

import (
	"math/bits"
	"math/rand/v2"
	"slices"
)

// Meet returns the rounds of a gather among any number of points, in which a message has at most
// the given number of shards; every point gets every shard once. It is for odd numbers of points,
// one of which is left out in every round. What that point misses it must get later. So if a
// message has few shards, little is lost, but there are more rounds. With n points and messages of
// m shards, the messages of all rounds together have about n-1+m shards.
//
// Rounds are chosen one after the other. The points that lack the most choose first, among those
// that are left, the point that has the most for them; what they have for that point counts half
// as much. Everybody then takes the shards that the fewest points have.
func Meet(points, most int) []Round {
	m := meeting{most: most, random: rand.New(rand.NewPCG(uint64(points), uint64(most))), copies: slices.Repeat([]int{1}, points)}
	for v := range points {
		set := make([]uint64, (points+63)/64)
		set[v/64] |= 1 << (v % 64)
		m.has = append(m.has, set)
	}
	var all []Round
	for missing := points * (points - 1); missing > 0; {
		r := m.round(m.pairs())
		for _, message := range r {
			missing -= len(message.Shards)
		}
		all = append(all, r)
	}
	return all
}

// meeting is what points know.
type meeting struct {
	most   int
	random *rand.Rand
	has    [][]uint64 // the shards that each point has
	copies []int      // of each shard
}

// offers counts the shards that u could send to v.
func (m *meeting) offers(u, v int) int {
	count := 0
	for w, has := range m.has[u] {
		count += bits.OnesCount64(has &^ m.has[v][w])
	}
	return min(count, m.most)
}

// pairs returns the peer of every point in the next round, -1 for those that are left out.
func (m *meeting) pairs() []int {
	n := len(m.has)
	lacks := make([]int, n)
	for v := range n {
		lacks[v] = n
		for _, has := range m.has[v] {
			lacks[v] -= bits.OnesCount64(has)
		}
	}
	order := m.random.Perm(n) // of equals, any may be first
	slices.SortStableFunc(order, func(u, v int) int { return lacks[v] - lacks[u] })
	peers := slices.Repeat([]int{-1}, n)
	for i, u := range order {
		if peers[u] >= 0 {
			continue
		}
		best, most := -1, 0
		for _, v := range order[i+1:] {
			if peers[v] >= 0 {
				continue
			}
			if good := m.offers(u, v) + 2*m.offers(v, u); good > most {
				best, most = v, good
			}
		}
		if best >= 0 {
			peers[u], peers[best] = best, u
		}
	}
	return peers
}

// round lets everybody take shards from its peer.
func (m *meeting) round(peers []int) Round {
	had := make([][]uint64, len(m.has))
	for v := range had {
		had[v] = slices.Clone(m.has[v])
	}
	var r Round
	for v, u := range peers {
		if u < 0 {
			continue
		}
		var gets []int
		for w := range had[u] {
			for left := had[u][w] &^ had[v][w]; left != 0; left &= left - 1 {
				gets = append(gets, 64*w+bits.TrailingZeros64(left))
			}
		}
		m.random.Shuffle(len(gets), func(i, j int) { gets[i], gets[j] = gets[j], gets[i] })
		slices.SortStableFunc(gets, func(x, y int) int { return m.copies[x] - m.copies[y] })
		gets = gets[:min(len(gets), m.most)]
		for _, x := range gets {
			m.has[v][x/64] |= 1 << (x % 64)
			m.copies[x]++
		}
		if len(gets) > 0 {
			slices.Sort(gets)
			r = append(r, Message{u, v, gets})
		}
	}
	return r
}

// MeetLeast returns, for every number of rounds that Meet may take, the fewest shards of a message
// with which it can take so few: those of all rounds together are at least n-1+m.
func MeetLeast(points int) (most, rounds []int) {
	for m := 1; m < points; m++ {
		shards, k := 0, 0
		for ; shards < points-1+m; k++ {
			shards += min(m, 1<<min(k, 30))
		}
		if len(rounds) == 0 || k < rounds[len(rounds)-1] {
			most, rounds = append(most, m), append(rounds, k)
		}
	}
	return most, rounds
}
