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
// The program has M and C-M of each stage as variables; its constraints are found as they are
// needed.
type program struct {
	Shape
	nodes  int
	cost   []float64
	prices [MaxStages][]price // by stage and hops at rest
	grown  [MaxStages]int     // hops that sets grow by, by stage
	worst  [MaxStages + 1]cut // by stages in which sets grow forwards
}

// price is the least that the messages of a stage count for, by the present solution, and its
// terms.
type price struct{ sum, messages, passed float64 }

// cut is a constraint: factors of the prices for hops at rest.
type cut struct {
	sum, need float64 // sum: what it has now, over need
	factor    [MaxStages]float64
	rest      [MaxStages]int
}

// maxRounds limits the constraints of a program, and shortfall is how far one must fall short to
// be added. loadSlack is far above the rounding of a solution.
const (
	maxRounds = 40
	shortfall = 1e-6
	loadSlack = 1e-9
)

func newProgram(nodes int, s Shape) *program {
	p := &program{Shape: s, nodes: nodes, cost: make([]float64, 2*s.Count)}
	for i := range p.cost {
		p.cost[i] = 1
	}
	for i := range s.Count {
		p.prices[i] = make([]price, s.Stages[i].hops()+1)
	}
	return p
}

// solve returns the least load.
func (p *program) solve() float64 {
	type row struct {
		need  float64
		terms []lp.Term
	}
	all := row{need: 2 - 2/float64(p.nodes)}
	for i := range p.Count {
		all.terms = append(all.terms, lp.Term{Column: 2 * i, Value: 1})
	}
	rows, least := []row{all}, all.need
	for range maxRounds {
		given := lp.NewCovering(p.cost)
		for _, r := range rows {
			given.Add(r.need, r.terms...)
		}
		x, ok := given.Solve()
		if !ok {
			break
		}
		sum := 0.0
		for _, v := range x {
			sum += v
		}
		least = max(least, sum*(1-loadSlack))
		p.separate(x)
		met := true
		for _, c := range p.worst[:p.Count+1] {
			if c.need == 0 {
				continue
			}
			met = false
			next := row{need: c.need}
			for i := range p.Count {
				at, by := p.prices[i][c.rest[i]], c.factor[i]
				next.terms = append(next.terms, lp.Term{Column: 2 * i, Value: by * at.messages}, lp.Term{Column: 2*i + 1, Value: by * at.passed})
			}
			rows = append(rows, next)
		}
		if met {
			break
		}
	}
	return least
}

// separate finds the constraints that a solution falls shortest of.
func (p *program) separate(x []float64) {
	for i := range p.Count {
		for rest := range p.prices[i] {
			p.prices[i][rest] = p.Stages[i].price(rest, x[2*i], x[2*i+1], p.inner(i))
		}
	}
	for i := range p.worst {
		p.worst[i] = cut{sum: 1 - shortfall}
	}
	p.grow(0, 1)
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

// fewValues limits the hops by which sets grow in a stage. Where there are more, only some are
// tried.
const fewValues = 24

// grow tries how sets can grow from a stage on, with their size so far. In the last stage they
// grow as much as they may, to less than n or to at most half of n.
func (p *program) grow(i, size int) {
	hops := p.Stages[i].hops()
	if i+1 < p.Count {
		most := min(hops, (p.nodes-1)/size-1)
		for g := 0; g <= most; g++ {
			if by := most / fewValues; by > 0 && g > fewValues/2 && g < most {
				g = min(g+by, most)
			}
			p.grown[i] = g
			p.grow(i+1, size*(1+g))
		}
		return
	}
	g := min(hops, (p.nodes-1)/size-1)
	p.grown[i] = g
	p.views(size * (1 + g))
	if half := min(hops, p.nodes/2/size-1); p.Count > 1 && half >= 0 && half < g {
		p.grown[i] = half
		p.views(size * (1 + half))
	}
}

// views tries the constraints of sets that grow forwards in the first stages, none to all, and
// backwards in the others.
func (p *program) views(size int) {
	paired := min(1, 2-2*float64(size)/float64(p.nodes))
	var later [MaxStages + 1]float64 // what a stage and all later ones pay backwards in time
	by := 1.0
	for i := p.Count - 1; i >= 0; i-- {
		later[i] = later[i+1] + by*p.price(i).sum
		by *= float64(1 + p.grown[i])
	}
	if later[0] < p.worst[0].sum {
		p.keep(0, later[0], 1)
	}
	sum := 0.0
	by = 1
	for i := range p.Count {
		sum += by * p.price(i).sum
		by *= float64(1 + p.grown[i])
		need := paired
		if i+1 == p.Count {
			need = 1
		}
		if now := sum + later[i+1]; now < p.worst[i+1].sum*need {
			p.keep(i+1, now/need, need)
		}
	}
}

// price returns the price of a stage's hops at rest.
func (p *program) price(i int) *price { return &p.prices[i][len(p.prices[i])-1-p.grown[i]] }

// keep remembers a constraint, with the stages in which sets grow forwards.
func (p *program) keep(forwards int, sum, need float64) {
	c := &p.worst[forwards]
	*c = cut{sum: sum, need: need}
	by := 1.0
	for i := range p.Count {
		c.rest[i] = p.Stages[i].hops() - p.grown[i]
		if i < forwards {
			c.factor[i] = by
			by *= float64(1 + p.grown[i])
		}
	}
	by = 1
	for i := p.Count - 1; i >= forwards; i-- {
		c.factor[i] = by
		by *= float64(1 + p.grown[i])
	}
}
