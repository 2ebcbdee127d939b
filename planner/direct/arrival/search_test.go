package arrival

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/lightpath-net/lightpath/topology"
)

// MaxDegree bounds the degree of the graphs for Search, which looks at all subsets of the
// circuits that lead to a node.
const MaxDegree = 6

// Search looks for times with which an allgather of the given number of steps on g is
// bandwidth-optimal, for all Candidates of the shards per step that are Possible. It is
// simulated annealing: two shards exchange their steps at one node, and the cost is the
// overload of the circuits of all nodes. Every round takes twice as many moves as the one
// before. The same seed gives the same answer.
//
// Times that are returned pass Check. Finding none proves nothing, unless no candidate is
// possible. The error is the context's, or says why g cannot be searched.
func Search(ctx context.Context, g *topology.Graph, steps int, seed uint64) (Times, bool, error) {
	if d := g.Degree(); !g.Regular() || g.Bundles() != g.Nodes()*d || d > MaxDegree {
		return nil, false, fmt.Errorf("no search on %s, which is not a regular graph without parallel circuits "+
			"of degree %d at most", g.Name(), MaxDegree)
	}
	s, err := newAnnealing(g)
	if err != nil {
		return nil, false, err
	}
	var candidates [][]int
	for counts := range Candidates(g, steps) {
		if Possible(g, counts) {
			candidates = append(candidates, append([]int{0}, counts...))
		}
	}
	const rounds = 6
	n := g.Nodes()
	for round := range rounds {
		for _, s.counts = range candidates {
			s.start(rand.New(rand.NewPCG(seed, uint64(round))))
			if err := s.run(ctx, 4*n*n*n<<round); err != nil {
				return nil, false, err
			}
			if s.total == 0 && s.times.Check(g) == nil {
				return s.times, true, nil
			}
		}
	}
	return nil, false, nil
}

// annealing is the state of the search.
type annealing struct {
	degree  int
	counts  []int // shards per step, from step 1 on
	eager   Times
	in, out [][]int32
	times   Times
	over    []int // by how much the circuits to a node are overloaded
	total   int
	random  *rand.Rand
}

func newAnnealing(g *topology.Graph) (*annealing, error) {
	eager, err := Eager(g)
	if err != nil {
		return nil, err
	}
	s := &annealing{degree: g.Degree(), eager: eager, over: make([]int, g.Nodes())}
	from := g.Transpose("")
	for u := range g.Nodes() {
		out, _ := g.Row(u)
		in, _ := from.Row(u)
		s.out, s.in = append(s.out, out), append(s.in, in)
	}
	return s, nil
}

// start hands out the steps at every node in the order of distance, in a random order
// among shards from the same distance.
func (s *annealing) start(random *rand.Rand) {
	n := len(s.eager)
	s.random, s.times, s.total = random, make(Times, n), 0
	for u := range n {
		s.times[u] = make([]int, n)
		order := random.Perm(n)
		step, left := 0, 0
		for distance := 1; distance < len(s.counts); distance++ {
			for _, v := range order {
				if s.eager[u][v] != distance {
					continue
				}
				for left == 0 {
					step++
					left = s.counts[step]
				}
				s.times[u][v] = step
				left--
			}
		}
	}
	for u := range n {
		s.over[u] = s.overload(u)
		s.total += s.over[u]
	}
}

// run makes moves until nothing is overloaded or the moves are used up. The temperature falls
// from about the overload that one misplaced shard causes to nearly nothing.
func (s *annealing) run(ctx context.Context, moves int) error {
	const coldest, often = 0.05, 1 << 12
	for move := 0; move < moves && s.total > 0; move++ {
		if move%often == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		s.move(float64(s.degree)*(1-float64(move)/float64(moves)) + coldest)
	}
	return nil
}

// move exchanges the steps of two shards at one node, and takes that back if the
// temperature does not allow the loss.
func (s *annealing) move(temperature float64) {
	n := len(s.times)
	u, v, w := s.random.IntN(n), s.random.IntN(n), s.random.IntN(n)
	row := s.times[u]
	if v == u || w == u || row[v] == row[w] || row[v] < s.eager[u][w] || row[w] < s.eager[u][v] {
		return
	}
	row[v], row[w] = row[w], row[v]
	// The times at u matter to u itself and to the nodes to which it sends.
	var changed [MaxDegree + 1]int
	changed[0] = s.overload(u)
	change := changed[0] - s.over[u]
	for i, x := range s.out[u] {
		changed[i+1] = s.overload(int(x))
		change += changed[i+1] - s.over[x]
	}
	if change > 0 && s.random.Float64() >= math.Exp(-float64(change)/temperature) {
		row[v], row[w] = row[w], row[v]
		return
	}
	s.over[u] = changed[0]
	for i, x := range s.out[u] {
		s.over[x] = changed[i+1]
	}
	s.total += change
}

// overload sums, over the steps, the excess of the shards that can only come over some circuits
// to u above what these circuits carry, for the worst set of circuits: the deficit of Zhao et
// al., Theorem 19, in units of a shard over the degree.
func (s *annealing) overload(u int) int {
	sum := 0
	for step := 1; step < len(s.counts); step++ {
		// shards[set] are first those that exactly the circuits in set can bring, and
		// then those that no other circuits can.
		var shards [1 << MaxDegree]int
		for v, at := range s.times[u] {
			if at != step {
				continue
			}
			set := 0
			for i, w := range s.in[u] {
				if s.times[w][v] < step {
					set |= 1 << i
				}
			}
			shards[set]++
		}
		subsets := 1 << s.degree
		for bit := 1; bit < subsets; bit <<= 1 {
			for set := range subsets {
				if set&bit != 0 {
					shards[set] += shards[set^bit]
				}
			}
		}
		worst := 0
		for set := range subsets {
			worst = max(worst, s.degree*shards[set]-bits.OnesCount(uint(set))*s.counts[step])
		}
		sum += worst
	}
	return sum
}
