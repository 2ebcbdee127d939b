package standin

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
)

// seeker looks for numberings with which a plan needs few bad circuits: two GPUs change places
// as long as that makes the sum of what is bad about the circuits smaller. A pass over all pairs
// takes O(n^2 d) for d circuits of a GPU in all stages.
type seeker struct {
	nodes int
	bad   []float64 // of the circuit from u to v, at u*nodes+v
	// joins are the circuits of every GPU of the plan, in all stages.
	joins [][]join
}

// join is a circuit at one of its ends.
type join struct {
	other int
	from  bool // it leads to the other
	times float64
}

const (
	// mostSought is the number of GPUs up to which numberings are looked for, and soughtPairs
	// bounds the pairs of all starts.
	mostSought, soughtPairs = 1 << 9, 1 << 18
	// starts are how many numberings are improved, and passes how often each at most: few
	// ever need more than four.
	starts, passes = 6, 8
	// missing is how bad a circuit is that has failed, beside one of half the bandwidth.
	missing = 1e6
)

// badness returns what is bad about the circuits of a fabric: by how much bytes and hops take
// longer than the fabric says, in parts of what they take.
func badness(f *fabric.Fabric) []float64 {
	bad := make([]float64, f.Nodes*f.Nodes)
	for _, at := range f.Avoid.Links() {
		bad[at[0]*f.Nodes+at[1]] = missing
	}
	if c := f.Circuits(); c != nil {
		for _, l := range c.List() {
			bandwidth, delay := c.Of(l.From, l.To)
			longer := float64(delay-f.Delta) / float64(f.Alpha+f.Delta+1)
			bad[l.From*f.Nodes+l.To] += max(0, float64(f.Bandwidth)/float64(bandwidth)-1) + max(0, longer)
		}
	}
	return bad
}

// seek returns numberings for a plan, those that have been improved from each start.
func seek(ctx context.Context, p *plan.Plan, bad []float64, first []numbering) []numbering {
	s := &seeker{nodes: p.Fabric.Nodes, bad: bad, joins: make([][]join, p.Fabric.Nodes)}
	for i := range p.Stages {
		for e := range p.Stages[i].Topology.Edges() {
			s.joins[e.From] = append(s.joins[e.From], join{e.To, true, float64(e.Count)})
			s.joins[e.To] = append(s.joins[e.To], join{e.From, false, float64(e.Count)})
		}
	}
	random := rand.New(rand.NewPCG(uint64(s.nodes), 1))
	var all []numbering
	for k := range min(starts, max(1, soughtPairs/s.nodes/s.nodes)) {
		to := make([]int, s.nodes)
		switch {
		case k > 0 && k <= min(len(first), starts/2):
			copy(to, first[k-1].to)
		default:
			for u := range to {
				to[u] = u
			}
			if k > 0 {
				random.Shuffle(s.nodes-1, func(i, j int) { to[i+1], to[j+1] = to[j+1], to[i+1] })
			}
		}
		for range passes {
			if ctx.Err() != nil || s.sum(to) == 0 || !s.pass(to) {
				break
			}
		}
		if !slices.ContainsFunc(all, func(n numbering) bool { return slices.Equal(n.to, to) }) {
			all = append(all, numbering{to: to})
		}
	}
	return all
}

// sum is what is bad about all circuits.
func (s *seeker) sum(to []int) float64 {
	sum := 0.0
	for u := range s.joins {
		sum += s.at(to, u, -1)
	}
	return sum
}

// pass lets every pair change places that is better so, and reports whether one was.
func (s *seeker) pass(to []int) bool {
	better := false
	for u := 1; u < s.nodes; u++ { // 0 stays
		for v := u + 1; v < s.nodes; v++ {
			before := s.at(to, u, v) + s.at(to, v, u)
			if before == 0 {
				continue
			}
			to[u], to[v] = to[v], to[u]
			if after := s.at(to, u, v) + s.at(to, v, u); after < before*(1-1e-12) {
				better = true
				continue
			}
			to[u], to[v] = to[v], to[u]
		}
	}
	return better
}

// at is what is bad about the circuits of a GPU; of those that join it with another, which
// are also that one's, half.
func (s *seeker) at(to []int, u, other int) float64 {
	sum := 0.0
	for _, j := range s.joins[u] {
		at := to[u]*s.nodes + to[j.other]
		if !j.from {
			at = to[j.other]*s.nodes + to[u]
		}
		if j.other == other {
			sum += j.times * s.bad[at] / 2
		} else {
			sum += j.times * s.bad[at]
		}
	}
	return sum
}
