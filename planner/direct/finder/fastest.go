package finder

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"github.com/lightpath-net/lightpath/planner/direct/climb"
	"github.com/lightpath-net/lightpath/topology"
)

// Fastest returns the topology of n nodes with degree ports that Choose would take from the
// Frontier, or one that is no slower, without computing the rest of the frontier. It skips a
// topology that would have to be built and checked if the cheapest breadth-first broadcast for its
// diameter already takes longer than a topology found before.
//
// Nothing is lost: a skipped topology takes longer than the result, and so does whatever it would
// have dominated; the smaller topologies from which others are expanded are searched as usual.
// Topologies that a skipped one would have excluded may now be tried, so the answer may be better.
// At 4096 nodes and 8 ports, two-way graphs of six steps are not checked, because a line graph of
// four takes less time in total.
func (m Machine) Fastest(ctx context.Context, n, degree int, opts Options, loads []Weighted) (Choice, error) {
	if err := m.validate(); err != nil {
		return Choice{}, err
	}
	times, bytes, err := totals(loads)
	if err != nil {
		return Choice{}, err
	}
	f := New(degree, opts) // a new finder: what it leaves out must not be missing in a frontier
	f.goal = &goal{nodes: n, time: func(c Cost) *big.Rat { return m.time(c, times, bytes) }}
	points, err := f.Frontier(ctx, n)
	if err != nil {
		return Choice{}, err
	}
	return m.Choose(points, loads)
}

// Search adds to a frontier, known, what a search finds for these collectives; no point of
// known is lost. It looks for topologies of the given size, and for small ones whose line
// digraphs have that size, by s.Moves exchanges of circuits for every diameter and symmetry. It
// tries a diameter only if a topology of that diameter and the least bandwidth could be faster
// than the fastest known one. If the context ends first, the points known by then come with its
// error.
func (m Machine) Search(ctx context.Context, s Searched, known []Point, loads []Weighted) ([]Point, error) {
	times, bytes, err := totals(loads)
	if err == nil {
		err = errors.Join(m.validate(), s.validate())
	}
	if err != nil {
		return nil, err
	}
	f := New(s.Degree, s.Options)
	k := key{s.Nodes, s.Degree, s.Bidirectional}
	least, ok := topology.MooreDiameter(s.Nodes, s.Degree, s.Bidirectional)
	if !ok {
		return known, nil
	}
	f.goal = &goal{nodes: s.Nodes, time: func(c Cost) *big.Rat { return m.time(c, times, bytes) }}
	all := &pool{}
	for _, p := range known {
		all.add(candidate{expr: p.Expr, cost: p.Cost, method: p.Method})
		f.met(k, p.Cost)
	}
	for diameter := least; err == nil && diameter < s.Nodes && !f.beyondDiameter(k, diameter); diameter++ {
		err = f.search(ctx, k, all, diameter, s)
	}
	points, wrong := all.points()
	return points, errors.Join(err, wrong)
}

// search looks for graphs of one diameter. It begins with small ones whose line digraphs have
// that diameter: each line digraph multiplies the nodes by the degree, and takes a step more.
func (f *Finder) search(ctx context.Context, k key, p *pool, diameter int, s Searched) error {
	lines := 0
	for !k.twoWay && k.degree > 1 && lines+1 < diameter && s.Nodes%k.degree == 0 && s.Nodes/k.degree > k.degree+1 {
		s.Nodes /= k.degree
		lines++
	}
	for ; lines >= 0; lines-- {
		for _, width := range s.widths() {
			if p.covers(f.floor(k, diameter), 0) || f.beyondDiameter(k, diameter) {
				return nil
			}
			task := climb.Task{Nodes: s.Nodes, Degree: k.degree, Width: width, Diameter: diameter - lines, Moves: s.Moves}
			if err := f.climb(ctx, k, p, task, lines); err != nil {
				return err
			}
		}
		s.Nodes *= k.degree
	}
	return nil
}

// Searched is what Search looks for.
type Searched struct {
	Nodes, Degree int
	Options
	// Moves is the number of exchanges of circuits to try for every diameter and symmetry.
	Moves int
}

// Limits of Search: a measurement takes a table of the sets of ports, and a breadth-first
// search from every node that differs.
const (
	MostSearchedPorts = climb.MaxDegree
	MostSearchedNodes = 1 << 12
	mostWidth         = 16 // nodes that differ, unless there are few
	fewNodes          = 64
)

func (s *Searched) validate() error {
	switch {
	case s.Degree > MostSearchedPorts || s.Nodes > MostSearchedNodes:
		return fmt.Errorf("%w: graphs are searched for up to %d nodes of degree %d, not %d of %d",
			ErrInvalid, MostSearchedNodes, MostSearchedPorts, s.Nodes, s.Degree)
	case s.Moves < 1:
		return fmt.Errorf("%w: %d exchanges of circuits, want at least 1", ErrInvalid, s.Moves)
	}
	return checkSize(s.Nodes, s.Degree)
}

// widths returns the numbers of nodes that may differ, in ascending order.
func (s *Searched) widths() (all []int) {
	for w := 1; w <= s.Nodes; w++ {
		turns := s.Nodes / w
		half := s.Bidirectional && w*s.Degree%2 == 1 && turns%2 == 1 // of a circuit is left over
		if s.Nodes%w == 0 && (w <= mostWidth || s.Nodes <= fewNodes) && (!half || turns == 1) {
			all = append(all, w)
		}
	}
	return all
}

// climb makes one search and adds what it finds, or a line digraph of it.
func (f *Finder) climb(ctx context.Context, k key, p *pool, t climb.Task, lines int) error {
	t.TwoWay, t.Seed = k.twoWay, f.opts.Seed
	whole := Finder{halves: 2} // the search is for allreduces
	t.Enough = whole.leastBandwidth(key{t.Nodes, t.Degree, t.TwoWay})
	found, err := climb.Climb(ctx, t)
	if err != nil || found == nil {
		return err
	}
	expr, ok := topology.CodeOf(found.Graph, t.Width)
	if !ok {
		expr = topology.LiftOf(found.Graph, t.Width)
	}
	if lines > 0 {
		expr = operator("Line", expr, lines)
	}
	_, err = f.check(ctx, k, p, expr, 0)
	return err
}

// goal is the one size for which a finder looks for the fastest topology, with the best time so
// far.
type goal struct {
	nodes int
	time  func(Cost) *big.Rat
	best  *big.Rat // of the topologies so far; nil: there is none
}

// met notes that there is a topology of that cost, if it counts for the goal.
func (f *Finder) met(k key, c Cost) {
	if g := f.goal; g != nil && k.nodes == g.nodes && k.degree == f.degree && (k.twoWay || !f.opts.Bidirectional) {
		if t := g.time(c); g.best == nil || t.Cmp(g.best) < 0 {
			g.best = t
		}
	}
}

// beyond reports whether a topology that costs at least floor is too slow for the goal. A
// topology with fewer ports leaves the others idle (addIdle). One with at most half the ports
// is never too slow, because other topologies are made from it.
func (f *Finder) beyond(k key, floor Cost) bool {
	g := f.goal
	if g == nil || g.best == nil || k.nodes != g.nodes || 2*k.degree <= f.degree {
		return false
	}
	if k.degree < f.degree {
		growth := big.NewRat(int64(f.degree), int64(k.degree))
		floor = Cost{floor.Steps, growth.Mul(growth, floor.Bandwidth)}
	}
	return g.time(floor).Cmp(g.best) > 0
}

// beyondDiameter is beyond for breadth-first broadcasts on graphs of a diameter.
func (f *Finder) beyondDiameter(k key, diameter int) bool {
	return f.goal != nil && f.beyond(k, f.floor(k, diameter))
}

// beyondMoore is beyondDiameter for the least possible diameter.
func (f *Finder) beyondMoore(k key) bool {
	least, ok := topology.MooreDiameter(k.nodes, k.degree, k.twoWay)
	return ok && f.beyondDiameter(k, least)
}
