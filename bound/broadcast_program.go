package bound

import (
	"encoding/binary"
	"math"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/lp"
)

// castProgram bounds the loads of the steps of a broadcast from below, given their shape, by a
// linear program over the mean behaviour of bytes.
//
// Loads l are in units of the message over all ports of a node. For a byte, let step t bring r
// copies from the root and o from others, over c circuits in all, and let x nodes have it
// afterwards. Each node gets it once, nothing comes to the root or through it, and after the
// last step n nodes have it. The shape determines K, the nodes that can have any data before a
// step, and R, the nodes to which one node can get data in the steps after it. Within h hops of
// a node are ball(h) nodes, level(h) of them at h hops. F and G are R and ball, but smaller if
// a copy came over one two-way circuit, because that circuit leads back to the root.
//
// Constraints on circuits:
//
//   - r <= l: copies of the root leave its ports. r+o <= K l: all copies leave nodes that have
//     data.
//   - c <= N l: circuits in use start at nodes that the step reaches with one hop less, and end
//     at nodes other than the root.
//   - Let M nodes have data when the circuits are set. Data that gets more than j hops from
//     them, in the first step that can take it there, uses one of M level(j+1) circuits. At
//     least x - M ball(j) nodes are there afterwards.
//   - At least those n - M ball(j) nodes get a byte over these circuits, or, once circuits have
//     changed, from one of M ball(j) nodes, or from those who got it so, each of whom supplies
//     R.
//   - All bytes have left the root by the first R < n, and the last node gets all once K can be
//     n. If nodes have fewer ports than others, all loads add up to what portShares says.
//
// Constraints on a byte:
//
//   - x R >= n after each step, for an integer x.
//   - Copies of the root supply F nodes each, and holders of the byte at any moment R each:
//     together all n-1. This holds for integers, so it also holds if all terms are divided by a
//     number and rounded up.
//   - x-1 is at most the sum, over the root's copies, of the G nodes that they can have
//     reached.
//   - o <= (x-1)(ball(h)-1), with the x before the step.
//   - At most x level(q) nodes get it over q hops, and those beyond what q hops reach get it
//     over more.
type castProgram struct {
	f        *fabric.Fabric
	n        int
	balls    []float64 // nodes within 0, 1, .. hops, at most all
	branches []float64 // the same, for a node with one port less
	levels   []float64 // nodes at exactly so many hops
	shares   portShares
	mean     float64 // ports of a node: see meanPorts
}

func newCastProgram(f *fabric.Fabric, n int) *castProgram {
	p := &castProgram{
		f: f, n: n, balls: []float64{1}, branches: []float64{1}, levels: []float64{1},
		shares: sharesOf(f), mean: meanPorts(f),
	}
	for h := 1; p.balls[h-1] < float64(n) && level(f, h) > 0; h++ {
		p.levels = append(p.levels, level(f, h))
		p.balls = append(p.balls, p.balls[h-1]+level(f, h))
	}
	for h, more := 1, growth(f); p.branches[h-1] < float64(n) && more > 0; h++ {
		p.branches = append(p.branches, p.branches[h-1]+more)
		more *= growth(f)
	}
	return p
}

func (p *castProgram) ball(hops int) float64 { return p.balls[min(hops, len(p.balls)-1)] }

// beyond returns how many circuits per port lead from the nodes within some hops of a node to
// others.
func (p *castProgram) beyond(hops int) float64 { return level(p.f, hops+1) / float64(p.f.Ports) }

// within returns how many nodes, including itself, one node can get data to by some steps. If
// branch is set, it has one port less until circuits change.
func (p *castProgram) within(steps []castStep, branch bool) float64 {
	reach, hops := 1.0, 0
	now := func() float64 {
		if branch {
			return p.branches[min(hops, len(p.branches)-1)]
		}
		return p.ball(hops)
	}
	for _, s := range steps {
		if s.changes {
			reach *= now()
			hops, branch = 0, false
		}
		hops += s.hops
	}
	return min(float64(p.n), reach*now())
}

// supplies returns how many nodes have data after some steps because of a copy that the root
// made in the preceding step.
func (p *castProgram) supplies(by castStep, steps []castStep) float64 {
	back := p.f.Duplex && by.hops == 1 && len(steps) > 0 && !steps[0].changes
	return min(float64(p.n-1), p.within(steps, back))
}

// load returns the least sum of the loads of the steps of a shape that reaches everyone.
func (p *castProgram) load(steps []castStep) float64 { return p.remembered(steps, false, p.solve) }

// remembered returns a load from memory, or computes it. Loads depend on no time and no size,
// and sweeps ask for the same shapes again and again.
func (p *castProgram) remembered(steps []castStep, sum bool, solve func([]castStep) float64) float64 {
	name := make([]byte, 0, 3*len(steps))
	for _, s := range steps {
		name = binary.AppendUvarint(name, uint64(s.hops))
		if s.changes {
			name = append(name, 0)
		}
	}
	key := castLoadKey{p.n, p.f.Ports, p.f.Duplex, sum, p.shares, p.mean, string(name)}
	return castLoads.kept(key, func() float64 { return solve(steps) })
}

// castLoadKey is what the load of a shape depends on. steps has the hops of the steps, with a 0
// after each step that follows a change of circuits.
type castLoadKey struct {
	n, ports    int
	duplex, sum bool // sum: of an allreduce
	shares      portShares
	mean        float64 // see meanPorts
	steps       string
}

var castLoads = memory[castLoadKey, float64]{most: 1 << 15}

func (p *castProgram) solve(steps []castStep) float64 {
	return min(float64(p.n), max(1, p.rows(steps).least())) // all bytes leave the root
}

// rows returns the program of a shape. A node gets a byte once, and loads above n need no bound.
func (p *castProgram) rows(steps []castStep) *proved {
	cost, most := make([]float64, 4*len(steps)), make([]float64, 4*len(steps))
	n := float64(p.n)
	for t, s := range steps {
		cost[t] = 1
		for i, m := range [...]float64{n, n, n, n * float64(s.hops)} {
			most[i*len(steps)+t] = m
		}
	}
	s := &castRows{castProgram: p, steps: steps, k: len(steps), rows: newProved(cost, most)}
	for t := range s.k + 1 {
		s.known = append(s.known, p.within(steps[:t], false))
		s.reach = append(s.reach, p.within(steps[t:], false))
	}
	for t := range s.k {
		s.carried(t)
		s.grown(t)
		s.far(t)
		s.supplied(t)
		if t == 0 || steps[t].changes {
			s.cuts(t)
		}
	}
	s.ends()
	return s.rows
}

// castRows is the program of a shape: by step its load, the copies of the root, those of
// others, and the circuits used.
type castRows struct {
	*castProgram
	steps        []castStep
	k            int
	known, reach []float64 // by number of steps done: nodes with any data, and nodes reached from one
	rows         *proved
}

func (s *castRows) load(t int, by float64) lp.Term   { return lp.Term{Column: t, Value: by} }
func (s *castRows) root(t int, by float64) lp.Term   { return lp.Term{Column: s.k + t, Value: by} }
func (s *castRows) others(t int, by float64) lp.Term { return lp.Term{Column: 2*s.k + t, Value: by} }
func (s *castRows) passed(t int, by float64) lp.Term { return lp.Term{Column: 3*s.k + t, Value: by} }

// copies returns the terms of the copies in all steps before t, followed by others.
func (s *castRows) copies(t int, by float64, more ...lp.Term) []lp.Term {
	terms := make([]lp.Term, 0, 2*t+len(more)+s.k)
	for i := range t {
		terms = append(terms, s.root(i, by), s.others(i, by))
	}
	return append(terms, more...)
}

// shorter returns the steps up to t; the last one has the given hops.
func (s *castRows) shorter(t, hops int) []castStep {
	return append(append(make([]castStep, 0, t+1), s.steps[:t]...), castStep{hops, s.steps[t].changes})
}

// carried adds the limits on what circuits carry in a step.
func (s *castRows) carried(t int) {
	s.rows.add(0, s.load(t, 1), s.root(t, -1))
	s.rows.add(0, s.load(t, s.known[t]), s.root(t, -1), s.others(t, -1))
	into := min(float64(s.n-1), s.within(s.shorter(t, s.steps[t].hops-1), false))
	s.rows.add(0, s.load(t, into), s.passed(t, -1))
}

// grown adds the limits on how many nodes have a byte after a step.
func (s *castRows) grown(t int) {
	s.rows.add(wholes(float64(s.n), s.reach[t+1])-1, s.copies(t+1, 1)...)
	most := s.copies(t+1, -1)
	for i := range t + 1 {
		most = append(most, s.root(i, s.supplies(s.steps[i], s.steps[i+1:t+1])))
	}
	s.rows.add(0, most...)
	s.rows.add(0, s.copies(t, s.ball(s.steps[t].hops)-1, s.others(t, -1))...)
}

// far adds the circuits that copies use in a step.
func (s *castRows) far(t int) {
	s.rows.add(0, s.passed(t, 1), s.root(t, -1), s.others(t, -1))
	beyond := 0.0
	for q := 2; q <= s.steps[t].hops; q++ {
		less := 0.0
		for j := 1; j < q; j++ {
			less += float64(q-j) * s.levels[min(j, len(s.levels)-1)]
		}
		s.rows.add(-less, s.copies(t, less, s.passed(t, 1), s.root(t, -float64(q)), s.others(t, -float64(q)))...)
		beyond += s.within(s.shorter(t, q-1), false) - 1
		s.rows.add(-beyond, s.copies(t+1, -float64(q-1), s.passed(t, 1), s.root(t, -1), s.others(t, -1))...)
	}
}

// supplied requires that copies of the root from a step on, and the holders of a byte before
// it, supply all others.
func (s *castRows) supplied(t int) {
	cut := func(by float64) {
		terms := s.copies(t, wholes(s.reach[t], by))
		for i := t; i < s.k; i++ {
			terms = append(terms, s.root(i, wholes(s.supplies(s.steps[i], s.steps[i+1:]), by)))
		}
		s.rows.add(wholes(float64(s.n-1), by), terms...)
	}
	cut(1)
	most := s.reach[t]
	if t == 0 {
		most = s.supplies(s.steps[0], s.steps[1:])
	}
	for part := 1.0; part <= 3; part++ {
		if most > part {
			cut(most / part)
		}
	}
}

// cuts adds the limits on data that gets more than some hops away from all that have data when
// circuits are set before a step.
func (s *castRows) cuts(from int) {
	end, hops := from, 0
	for end < s.k && (end == from || !s.steps[end].changes) {
		hops += s.steps[end].hops
		end++
	}
	m, n := s.known[from], float64(s.n)
	for j := 0; j < hops && m*s.ball(j) < n; j++ {
		var later []lp.Term
		done := 0
		for t := from; t < end; t++ {
			before := done
			if done += s.steps[t].hops; done <= j {
				continue
			}
			if before <= j {
				s.rows.add(1-m*s.ball(j), s.copies(t+1, -1, s.load(t, m*s.beyond(j)))...)
			}
			later = append(later, s.load(t, m*s.beyond(j)*s.reach[t+1]))
		}
		for t := end; t < s.k; t++ {
			later = append(later, s.load(t, m*s.ball(j)*s.reach[t+1]))
		}
		s.rows.add(n-m*s.ball(j), later...)
	}
}

// ends requires that all bytes leave the root and arrive at the last node in time, over the
// available ports.
func (s *castRows) ends() {
	n, stages := float64(s.n), 1
	var first, last, all []lp.Term
	for t := range s.k {
		if t == 0 || s.reach[t] >= n {
			first = append(first, s.root(t, 1))
		}
		if s.known[t+1] >= n {
			last = append(last, s.load(t, 1))
		}
		if s.steps[t].changes {
			stages++
		}
		all = append(all, s.load(t, 1))
	}
	s.rows.add(1, first...)
	s.rows.add(1, last...)
	if ports := s.shares.of(stages); ports > 0 {
		s.rows.add(s.shares.all/ports, all...)
	}
}

// wholes returns how many parts make up a number; the last one may be incomplete.
func wholes(number, part float64) float64 { return math.Ceil(number/part - 1e-9) }
