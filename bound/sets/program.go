package sets

import "github.com/lightpath-net/lightpath/lp"

// program bounds the load of a shape from below by a linear program.
//
// Follow one byte position through all buffers. Let each input u have a set of GPUs. At first it is
// u alone. In a step of h hops that rests for r of them, the set grows to all GPUs within g = h-r
// hops behind its members. So a stage multiplies it by 1 plus the hops that it grows by. If the
// products over all stages remain below n, some output is outside in the end, and to get there the
// input must leave its set: in some step a message goes from a GPU in the set to one that is not in
// it after the step. Add up over all inputs: at least n messages, each counted once for every set
// that it leaves.
//
// A message of l circuits in a step of a stage in which sets have grown by a hops so far leaves at
// most K min(a+1, l-g) sets, where K is the product of the earlier stages: its sender is j <= a
// hops behind a GPU that was in the set when the stage began, with j+l > a+g; as there is one
// circuit into each GPU, j determines that GPU, which was in at most K sets.
//
// Let M be the messages of a stage and C the circuits that they pass, both over n. If sets rest for
// R of the stage's H hops, these can be distributed in several ways, and the mean over several
// distributions counts as well. So the messages of the stage count for at most K times each of
//
//   - C R/H: every hop rests equally often, as l-g <= l r/h.
//   - M, if R = H: then a = 0.
//   - (C-M) R/P with P spare hops and R <= P: no step rests for all its hops, and then
//     l-g <= (l-1) r/(h-1). Here every spare hop rests equally often.
//   - C-M + M (R-P)/S, with S steps and R >= P: all spare hops rest, and every step rests entirely
//     equally often.
//
// The sum over the stages is at least 1 for all numbers of hops at rest. Backwards in time the same
// holds for sets of GPUs from which an output can be reached, with the product of the later
// stages. Furthermore, sets may grow forwards in the first stages and backwards in the others. If
// they are disjoint where they meet, the input leaves its set or enters that of the output. With a
// product of p, each input has n-p outputs or more whose sets are disjoint from its own, and
// conversely, so min(n, 2(n-p)) inputs and outputs can be paired (König), and the sum is at least
// that over n.
//
// The program has M and C-M of each stage as variables, of inner stages only M, because there both
// count for the same. Its constraints are found as they are needed.
type program struct {
	Shape
	nodes  int
	paired []float64 // by product of sizes: inputs and outputs that can be paired, over n
	corner *lp.Corner
	first  [MaxStages]int     // column of each stage's M; that of C-M is the next
	prices [MaxStages][]price // by stage and hops by which sets grow
	ahead  [MaxStages]sizes   // of sets that grow forwards in the stages before one
	behind [MaxStages]sizes   // of sets that grow backwards in the stages after one
}

// price is the least that the messages of a stage count for, by the present solution, and its
// terms.
type price struct{ sum, messages, passed float64 }

// maxRounds limits the rounds in which constraints are added, and shortfall is how far one must
// fall short to be added. loadSlack is far above the rounding of a solution.
const (
	maxRounds = 60
	shortfall = 1e-7
	loadSlack = 1e-9
)

func newProgram(nodes int) *program {
	p := &program{nodes: nodes, corner: lp.NewCorner()}
	for product := range nodes {
		p.paired = append(p.paired, min(1, 2-2*float64(product)/float64(nodes)))
	}
	return p
}

// solve returns the least load of a shape.
func (p *program) solve(of *Shape) float64 {
	p.Shape = *of
	var cost, all [2 * MaxStages]float64
	columns := 0
	for i := range p.Count {
		p.first[i], all[columns] = columns, 1
		if columns++; !p.inner(i) {
			columns++
		}
		p.prices[i] = p.prices[i][:0]
		for range min(p.Stages[i].hops()+1, p.nodes-1) {
			p.prices[i] = append(p.prices[i], price{})
		}
	}
	for j := range columns {
		cost[j] = 1
	}
	p.corner.Reset(cost[:columns]...)
	p.corner.Add(2-2/float64(p.nodes), all[:columns]...)
	for j := range columns {
		all[j] = 1 / float64(columns)
	}
	p.separate(all[:columns])
	for range maxRounds {
		if !p.corner.Solve() || !p.separate(p.corner.X) {
			break
		}
	}
	return max(2-2/float64(p.nodes), p.corner.Least()*(1-loadSlack))
}

// price returns the least that messages of a stage count for if sets rest for so many hops.
func (s Stage) price(rest int, messages, passed float64, inner bool) price {
	if rest == 0 {
		return price{}
	}
	part := float64(rest) / float64(s.hops())
	best := price{part * (messages + passed), part, part}
	if inner {
		return best
	}
	try := func(m, d float64) {
		if sum := m*messages + d*passed; sum < best.sum {
			best = price{sum, m, d}
		}
	}
	if rest == s.hops() {
		try(1, 0)
	}
	switch {
	case rest > s.Spare:
		try(float64(rest-s.Spare)/float64(s.Steps), 1)
	case s.Spare > 0:
		try(0, float64(rest)/float64(s.Spare))
	}
	return best
}
