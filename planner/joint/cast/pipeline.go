package cast

import (
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/planner/joint/digit"
	"github.com/lightpath-net/lightpath/planner/joint/network"
)

// This file has pipelines, for large messages: the message is cut into pieces that follow one
// another down t trees over circuits that stay, piece i down tree i mod t. A node has t*w
// circuits in, w from its parent in each tree, and w out to each of its children. All its
// children may be in one tree: then it forwards what comes down that tree and is a leaf of the
// others. So every circuit carries a piece in every step, and the trees are as low as trees with
// that many children can be; see forest. n GPUs with n-1 ports or more have n-1 trees of two
// levels: the root gives each piece to one GPU, which gives it to all others. With one tree and
// one port the pipeline is a chain.
//
// With depth D and K pieces per tree a pipeline takes D+K-1 steps of one hop. Each step takes
// a/K + b, where a is the time of the message over t*w circuits and b that of a start-up and a
// hop. The best K is next to sqrt((D-1)*a/b). Pieces of different sizes are no faster: the
// largest pieces of all steps add up to the message and D-1 times the largest piece of all if
// sizes first grow and then fall, and to more otherwise.

// maxMoves limits the transfers of a pipeline, and so the memory that its plan takes: pieces share
// their routes, so a transfer takes a hundred bytes. Beyond it, pieces are larger than would be
// best. With a quarter of it, a broadcast of 1 GiB to 16384 GPUs with 4 ports took 28% longer.
const maxMoves = 1 << 22

// bestPieces returns the number of pieces per tree that takes the least time, and that time.
// whole is the time of the message over the circuits of all trees, each the time of a step
// without bytes, and spare the number of steps beyond one per piece.
func bestPieces(spare int, whole, each float64, most int) (pieces int, time float64) {
	guess := guessPieces(float64(spare), whole, each, most)
	pieces = max(1, guess)
	for _, k := range [...]int{guess - 1, guess + 1} {
		if k >= 1 && k <= most && inPieces(spare, k, whole, each) < inPieces(spare, pieces, whole, each) {
			pieces = k
		}
	}
	return pieces, inPieces(spare, pieces, whole, each)
}

// freePieces is the most pieces per tree if a step costs nothing but its bytes. More pieces are
// always better then, by less and less: 64 GPUs in a chain take 1.5% longer than with endless
// pieces.
const freePieces = 1 << 12

// guessPieces returns where bestPieces looks; sent is how many times the largest piece is sent in
// addition to the message.
func guessPieces(sent, whole, each float64, most int) int {
	switch {
	case each == 0 && sent == 0:
		return 1
	case each == 0:
		return min(most, freePieces)
	}
	return int(min(float64(most), math.Sqrt(sent*whole/each)))
}

// inPieces returns the time with the given number of pieces per tree.
func inPieces(spare, pieces int, whole, each float64) float64 {
	return float64(spare+pieces) * (each + whole/float64(pieces))
}

// wholeOver returns the time of a message over the circuits of a forest.
func wholeOver(m *digit.Machine, g growth, bytes float64) float64 {
	w := float64(g.width)
	return m.PerByte * bytes * m.Load(network.Tally{Peak: 1 / w, Dilation: 1 / w, Pair: 1}) / float64(g.trees)
}

// mostPieces returns the most pieces per tree. No piece is below a byte, which cannot be divided.
func mostPieces(nodes, trees int, bytes float64) int {
	return max(1, int(min(float64(maxMoves/(nodes*trees)), bytes/float64(trees))))
}

// tooMany reports whether the trees would have less than a byte each to send. A single tree sends
// whatever there is.
func (g growth) tooMany(bytes float64) bool { return g.trees > 1 && float64(g.trees) > bytes }

// pipelineCasts returns the best pipeline for every forest.
func pipelineCasts(s *digit.Search, nodes int, bytes float64) []cast {
	all := aroundCasts(s, nodes, bytes)
	for _, g := range growths(&s.Machine, nodes) {
		if g.tooMany(bytes) {
			continue
		}
		depth := lowest(nodes, g.trees, g.fan, g.first)
		all = append(all, drainedCasts(s, nodes, bytes, g)...)
		all = append(all, filledCasts(s, nodes, bytes, g)...)
		pieces, time := bestPieces(depth-1, wholeOver(&s.Machine, g, bytes), s.Alpha+s.Delta, mostPieces(nodes, g.trees, bytes))
		all = append(all, cast{Time: time, About: fmt.Sprintf("%d pieces down %s", pieces*g.trees, groves(g.trees)), Build: func() Laid {
			return layRelays(s, nodes, []relay{{growth: g, roots: 1, nodes: nodes, depth: depth, pieces: pieces}})
		}})
	}
	return append(all, lowTreeCasts(s, nodes, bytes, all)...)
}

// drainedCasts returns the pipeline down a forest whose last pieces come over idle circuits.
func drainedCasts(s *digit.Search, nodes int, bytes float64, g growth) []cast {
	if g.trees < 2 || nodes > maxDrained {
		return nil
	}
	d := drainOf(s.Memory, drainKey{nodes, g.trees, g.fan, g.first})
	if d.depth < 3 || d.parts == g.trees {
		return nil // nothing is saved
	}
	if s.Duplex && s.Ports/d.degree(nodes) < g.width || s.Capped && d.twice(nodes) {
		return nil // its leaves have other neighbours than those of growths
	}
	sent, steps := d.spare()
	whole, each := wholeOver(&s.Machine, g, bytes), s.Alpha+s.Delta
	most := mostPieces(nodes, g.trees, bytes/float64(g.trees)) // parts are not below a byte, either
	guess := guessPieces(sent, whole, each, most)
	takes := func(pieces int) float64 {
		return float64(steps+pieces)*each + whole*(1+sent/float64(pieces))
	}
	pieces := max(1, guess)
	for _, k := range [...]int{guess - 1, guess + 1} {
		if k >= 1 && k <= most && takes(k) < takes(pieces) {
			pieces = k
		}
	}
	return []cast{{Time: takes(pieces), About: fmt.Sprintf("%d pieces down %s", pieces*g.trees, groves(g.trees)), Build: func() Laid {
		return layRelays(s, nodes, []relay{{growth: g, roots: 1, nodes: nodes, depth: steps + 1, pieces: pieces, drain: d}})
	}}}
}

// groves counts trees in words.
func groves(trees int) string {
	if trees == 1 {
		return "one tree"
	}
	return fmt.Sprintf("%d trees", trees)
}
