package sets

import "math"

// A size of sets that some stages can make: the least that the messages of these count for then,
// and by how many hops the sets grow in the stage that was added last.
type size struct {
	sum  float64
	grow int
}

// sizes are by number of GPUs, below all.
type sizes []size

// begin returns the sizes without a stage, in the memory of s.
func (s sizes) begin(nodes int) sizes {
	s = s[:0]
	for range nodes {
		s = append(s, size{sum: math.Inf(1)})
	}
	s[1].sum = 0
	return s
}

// extended returns the sizes with one more stage, in the memory of next. What its messages count
// for is multiplied by the size so far.
func (s sizes) extended(by []price, next sizes) sizes {
	next = next.begin(len(s))
	next[1].sum = math.Inf(1)
	for at := 1; at < len(s); at++ {
		sum := s[at].sum
		if sum >= 1-shortfall {
			continue // met
		}
		for grow, to := 0, at; grow < len(by) && to < len(s); grow, to = grow+1, to+at {
			if now := sum + float64(at)*by[grow].sum; now < next[to].sum {
				next[to] = size{now, grow}
			}
		}
	}
	return next
}

// cut is a constraint: by how many hops sets grow in each stage, and in how many they do so
// forwards.
type cut struct {
	grown    [MaxStages]int
	forwards int
	need     float64
}

// separate adds the constraints that x falls shortest of, one for each number of stages in which
// sets grow forwards. It reports whether there are any. A dynamic program over the sizes of sets
// finds them.
func (p *program) separate(x []float64) bool {
	for i := range p.Count {
		at, messages, passed := p.Stages[i], x[p.first[i]], 0.0
		if !p.inner(i) {
			passed = x[p.first[i]+1]
		}
		for grow := range p.prices[i] {
			p.prices[i][grow] = at.price(at.hops()-grow, messages, passed, p.inner(i))
		}
	}
	last := p.Count - 1
	p.ahead[0] = p.ahead[0].begin(p.nodes)
	for i := range last {
		p.ahead[i+1] = p.ahead[i].extended(p.prices[i], p.ahead[i+1])
	}
	p.behind[last] = p.behind[last].begin(p.nodes)
	for i := last; i > 0; i-- {
		p.behind[i-1] = p.behind[i].extended(p.prices[i], p.behind[i-1])
	}
	found := p.oneWay(p.Count)
	for forwards := range last {
		found = p.meet(forwards+1) || found
	}
	return last > 0 && p.oneWay(0) || found
}

// oneWay adds the constraint of sets that grow forwards in all stages, or in none. In the stage
// that comes last then, they grow as much as they may, or not at all.
func (p *program) oneWay(forwards int) bool {
	sets, last := p.behind[0], 0
	if forwards > 0 {
		last = p.Count - 1
		sets = p.ahead[last]
	}
	worst, size, grown := 1-shortfall, 0, 0
	for at := 1; at < p.nodes; at++ {
		if sets[at].sum >= worst {
			continue
		}
		for _, grow := range [...]int{min((p.nodes-1)/at, len(p.prices[last])) - 1, 0} {
			if now := sets[at].sum + float64(at)*p.prices[last][grow].sum; now < worst {
				worst, size, grown = now, at, grow
			}
		}
	}
	if size == 0 {
		return false
	}
	c := cut{forwards: forwards, need: 1}
	c.grown[last] = grown
	if forwards > 0 {
		p.trace(&c, last, size, 1)
	} else {
		p.trace(&c, 0, 1, size)
	}
	p.add(&c)
	return true
}

// meet adds the constraint of sets that grow forwards in the first stages, backwards in the others,
// and are disjoint where they meet.
func (p *program) meet(forwards int) bool {
	ahead, behind := p.ahead[forwards], p.behind[forwards-1]
	worst, from, to := 1-shortfall, 0, 0
	for a := 1; a < p.nodes; a++ {
		if ahead[a].sum >= worst {
			continue
		}
		for b := 1; a*b < p.nodes; b++ {
			if sum := ahead[a].sum + behind[b].sum; sum < worst*p.paired[a*b] {
				worst, from, to = sum/p.paired[a*b], a, b
			}
		}
	}
	if from == 0 {
		return false
	}
	c := cut{forwards: forwards, need: p.paired[from*to]}
	p.trace(&c, forwards, from, to)
	p.add(&c)
	return true
}

// trace finds by how much sets have grown to a size before a stage, and backwards to another size
// in it and those after it; with a size of 1 they have not.
func (p *program) trace(c *cut, stage, ahead, behind int) {
	for i := stage; ahead > 1; i-- {
		c.grown[i-1] = p.ahead[i][ahead].grow
		ahead /= 1 + c.grown[i-1]
	}
	if c.forwards == 0 {
		stage++
	}
	for i := stage; behind > 1; i++ {
		c.grown[i] = p.behind[i-1][behind].grow
		behind /= 1 + c.grown[i]
	}
}

// add adds a constraint.
func (p *program) add(c *cut) {
	var row [2 * MaxStages]float64
	columns := 0
	put := func(i int, by float64) {
		at := &p.prices[i][c.grown[i]]
		row[p.first[i]] = by * at.messages
		columns = max(columns, p.first[i]+1)
		if !p.inner(i) {
			row[p.first[i]+1] = by * at.passed
			columns = max(columns, p.first[i]+2)
		}
	}
	by := 1.0
	for i := range c.forwards {
		put(i, by)
		by *= float64(1 + c.grown[i])
	}
	by = 1
	for i := p.Count - 1; i >= c.forwards; i-- {
		put(i, by)
		by *= float64(1 + c.grown[i])
	}
	p.corner.Add(c.need, row[:columns]...)
}
