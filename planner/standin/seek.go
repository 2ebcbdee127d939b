package standin

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/plan"
)

// seeker searches numberings with which a plan needs few bad circuits: two GPUs change places as
// long as that reduces the sum of what is bad about the circuits. A pass over all pairs takes
// O(n^2 d) for d circuits of a GPU in all stages.
type seeker struct {
	nodes int
	bad   []float64 // of the circuit from u to v, at u*nodes+v
	// joins lists the circuits of every GPU of the plan, in all stages.
	joins [][]join
}

// join is a circuit at one of its ends.
type join struct {
	other int
	from  bool // it leads to the other end
	times float64
}

const (
	// mostSought is the largest number of GPUs for which numberings are searched, and soughtPairs
	// limits the pairs of all starts.
	mostSought, soughtPairs = 1 << 9, 1 << 18
	// starts is how many numberings are improved, and passes how often each at most: few ever
	// need more than four.
	starts, passes = 6, 8
	// missing is how bad a failed circuit is; a circuit of half the bandwidth counts 1.
	missing = 1e6
)

// badness returns what is bad about the circuits of a fabric: how much longer bytes and hops take
// than the fabric says, as a fraction.
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

// seek returns numberings for a plan, one improved from each start.
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

// sum returns what is bad about all circuits.
func (s *seeker) sum(to []int) float64 {
	return each.SumBelow(len(s.joins), func(u int) float64 { return s.at(to, u, -1) })
}

// pass lets every pair of GPUs change places if that is better, and reports whether it was for
// any pair.
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

// at returns what is bad about the circuits of a GPU. Circuits that join it with another given
// GPU count half, because they are also circuits of that GPU.
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
