package algorithms

import (
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/topology"
)

// Cyclic recursive doubling (Kolmakov and Zhang 2020; the variant that HARVEST uses, §3.2 and
// §5.1): in step i of the reduce-scatter every node u sends m/2^i to u+2^(i-1). The all-gather
// uses the offsets in reverse order, still in the + direction.
//
// With offset o, u sends the partial sums of the blocks b = u+o (mod 2o), which it will not
// own. It keeps b = u (mod 2o), and receives the same blocks from u-o. In the all-gather u
// holds the blocks b = u (mod 2o) and sends them all.
//
// For any n, consider the distance d = b-u (mod n), 0 <= d < n, that a contribution has to
// travel: it moves by the binary digits of d, the lowest first. With offset o, u has the blocks
// at the distances 0, o, 2o, .. < n, and sends the odd multiples. An all-gather takes the
// highest digit first: u has the blocks of u-2o, u-4o, .. and its own, and sends those that
// travel less than n in total. That is ceil(log2 n) steps per half, floor((floor((n-1)/o)+1)/2)
// blocks at offset o and, as the sum telescopes, (n-1)/n*m in total. Kolmakov and Zhang's
// bandwidth-optimal allreduce has the same number of steps for any n; we do not claim that its
// steps move the same blocks.
var recursiveDoublingAlgorithm = Algorithm{
	Name:  "recursive-doubling",
	About: "cyclic: offsets 1, 2, 4, .. with m/2, m/4, ..; 2 ceil(log2 n) steps",
	Ops:   reductions,
	Sizes: anySizeWords,
	Ports: onePortWords,

	check: anyNodes,
	build: buildRecursiveDoubling,
}

func buildRecursiveDoubling(op collective.Op, s collective.Shape) *collective.Collective {
	n := s.Nodes
	group := topology.Rotations(n, 1)
	var scatter, gather []collective.Step
	highest := 1
	for ; 2*highest < n; highest *= 2 {
	}
	for o := 1; o <= highest; o *= 2 {
		scatter = append(scatter, collective.Step{Group: group, Base: []collective.Transfer{
			{Src: 0, Dst: o, Action: collective.Reduce, Chunks: collective.Every(o, 2*o, ((n-1)/o+1)/2)},
		}})
	}
	for o := highest; o >= 1; o /= 2 {
		gather = append(gather, collective.Step{Group: group, Base: []collective.Transfer{
			{Src: 0, Dst: o, Action: collective.Copy, Chunks: blocksBefore(n, 2*o, ((n-1)/o+1)/2)},
		}})
	}
	return halves(op, collective.SpaceOf(op, n, 1), scatter, gather)
}
