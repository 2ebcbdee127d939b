package collective

import "github.com/lightpath-net/lightpath/topology"

// Cyclic recursive doubling (Kolmakov and Zhang 2020; the variant that HARVEST
// uses, §3.2 and §5.1): in step i of the reduce-scatter every node u sends m/2^i to
// u+2^(i-1); the all-gather walks the offsets back, still in the + direction.
//
// With offset o, u sends the partial sums of the blocks b = u+o (mod 2o), which are
// those that it will not own; what it keeps, b = u (mod 2o), is what it receives
// from u-o. In the all-gather u holds the blocks b = u (mod 2o) and sends them all.
var recursiveDoublingAlgorithm = Algorithm{
	Name:  "recursive-doubling",
	About: "cyclic: offsets 1, 2, 4, .. with m/2, m/4, ..; 2 log2(n) steps",
	Ops:   reductions,
	Sizes: powerOfTwoWords,
	fits:  powerOfTwo,
	build: buildRecursiveDoubling,
}

func buildRecursiveDoubling(op Op, n int) *Collective {
	group := topology.Rotations(n, 1)
	var scatter, gather []Step
	for o := 1; o < n; o *= 2 {
		scatter = append(scatter, Step{Group: group, Base: []Transfer{
			{Src: 0, Dst: o, Action: Reduce, Chunks: Every(o, 2*o, n/(2*o))},
		}})
	}
	for o := n / 2; o >= 1; o /= 2 {
		gather = append(gather, Step{Group: group, Base: []Transfer{
			{Src: 0, Dst: o, Action: Copy, Chunks: Every(0, 2*o, n/(2*o))},
		}})
	}
	return halves(op, SpaceOf(op, n, 1), scatter, gather)
}
