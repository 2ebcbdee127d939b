package algorithms

import (
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/topology"
)

// Concatenation by Bruck, Ho, Kipnis, Upfal and Weathersby (IEEE TPDS 1997), with
// radix r on p ports: an all-gather of any number of nodes in ceil(log_r n) rounds.
// Before a round every node u holds w blocks, its own and those of the w-1 before it
// (w = 1 at first), and it sends them to u+w, u+2w, .., u+(r-1)w; afterwards it holds
// r*w. The last round stops at n: the peer at distance jw gets min(w, n-jw) blocks. A
// node receives every block but its own once, (n-1)/n of m in total.
//
// A round takes one step if p >= r-1, else ceil((r-1)/p) steps with p peers each. The default
// radix is p+1, which gives the fewest steps.
//
// The reduce-scatter is an all-gather in the other direction, run backwards with reductions in
// place of copies, so that both send in the + direction.
//
// Two things differ from the usual description: there nodes send to u-jw (Thakur et al. 2005),
// here to u+jw. And the paper balances the bytes of an incomplete last round over the ports,
// whereas here the last peer gets less than the others.
var bruckAlgorithm = Algorithm{
	Name:    "bruck",
	About:   "concatenation with radix r: to u+w, u+2w, .., u+(r-1)w with w = 1, r, r^2, ..",
	Ops:     reductions,
	Sizes:   anySizeWords,
	Ports:   "radix ports+1 unless given: that many peers at once less one",
	Options: []collective.Option{collective.OptionRadix},
	check: func(_ collective.Op, s *collective.Shape) error {
		if s.Radix == 0 {
			s.Radix = min(s.Ports, collective.MaxRadix-1) + 1
		}
		return nil
	},
	build: buildBruck,
}

func buildBruck(op collective.Op, s collective.Shape) *collective.Collective {
	n := s.Nodes
	group := topology.Rotations(n, 1)
	var scatter, gather []collective.Step
	for w := 1; w < n; w *= s.Radix {
		var there, back []collective.Transfer // of the reduce-scatter and of the all-gather
		flush := func() {
			scatter = append([]collective.Step{{Group: group, Base: there}}, scatter...)
			gather = append(gather, collective.Step{Group: group, Base: back})
			there, back = nil, nil
		}
		for distance := w; distance < min(n, s.Radix*w); distance += w {
			count := min(w, n-distance)
			there = append(there, collective.Transfer{Src: 0, Dst: distance, Action: collective.Reduce, Chunks: collective.Every(distance, 1, count)})
			back = append(back, collective.Transfer{Src: 0, Dst: distance, Action: collective.Copy, Chunks: blocksBefore(n, 1, count)})
			if len(back) == s.Ports {
				flush()
			}
		}
		if len(back) > 0 {
			flush()
		}
	}
	return halves(op, collective.SpaceOf(op, n, 1), scatter, gather)
}

// blocksBefore returns the blocks 0, -stride, -2*stride, .. of n, count in total.
func blocksBefore(n, stride, count int) collective.Chunks {
	if count*stride == n {
		return collective.Every(0, stride, count)
	}
	blocks := collective.Single(0)
	if count > 1 {
		blocks = append(blocks, collective.RunOf(n-(count-1)*stride, count-1, stride))
	}
	return blocks
}
