package algorithms

import (
	"fmt"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms/pipelines"
	"slices"
	"sync"
)

// Pieces is an algorithm that cuts a buffer into pieces which follow one another, with
// their number left open: the layouts that it has for every number, and what can be said
// of them without listing every transfer.
//
// In a pipeline down trees the earliest pieces go first, so what the first k pieces do
// does not depend on how many follow. Once the pieces under way stand, one period later, as
// they stood before, the pipeline repeats itself until the last piece has left the root:
// with c more pieces it has the steps of one period more. A sketch is such a layout with
// the steps of a period listed once, and used as often as they occur.
type Pieces struct {
	Least, Most int // numbers of pieces that there are

	name    string
	op      collective.Op
	shape   collective.Shape
	members []int            // of the fabric's nodes that take part, nil if all do
	nodes   int              // of the fabric
	trees   []pipelines.Tree // of a pipeline; nil for an allreduce over two trees
	busiest int              // pieces that a node sends (allreduce: receives) for one of every tree
	depth   int              // of the lowest tree (of the higher one, for an allreduce)
	alone   int              // pairs of one tree alone that a piece of an allreduce uses in turn
	runs    *pipelines.Times
	period  *pipelines.Period // of these

	mutex sync.Mutex
	// known are the layouts that sketches are made of, by their number of pieces.
	known map[int]*collective.Collective
}

// Pieces returns the layouts of an algorithm, a name or a name with options, on some of the
// nodes of a fabric (nil: all of them). It returns nil if the number of pieces is not open: it
// is given, or the algorithm has no pieces.
func (r *Registry) Pieces(op collective.Op, algorithm string, ports int, members []int, nodes int) (*Pieces, error) {
	name, s, given, err := r.parse(algorithm)
	if err != nil {
		return nil, err
	}
	all := r.Algorithms()
	i := slices.IndexFunc(all, func(a Algorithm) bool { return a.Name == name })
	if i < 0 || all[i].pieces == nil || slices.Contains(given, collective.OptionParts) {
		return nil, nil
	}
	s.Nodes, s.Ports = nodes, ports
	if members != nil {
		s.Nodes = len(members)
	}
	p := &Pieces{name: name, op: op, members: members, nodes: nodes, known: map[int]*collective.Collective{}}
	p.Least, p.Most, p.trees = all[i].pieces(op, s)
	p.Most = min(p.Most, collective.MaxParts)
	if err := all[i].settle(op, &s); err != nil {
		return nil, err
	}
	p.shape = s
	if p.trees == nil {
		p.busiest, p.depth, p.alone = measureTwoTrees(s.Nodes)
		return p, nil
	}
	p.depth = s.Nodes
	children := make([]int, s.Nodes)
	for _, t := range p.trees {
		p.depth = min(p.depth, t.Depth())
		for u := range children {
			children[u] += len(t[u])
		}
	}
	p.busiest = slices.Max(children)
	p.runs = pipelines.TimesOf(s.Nodes, ports, p.trees)
	p.period = p.runs.Period
	return p, nil
}

// Name is the algorithm with a number of pieces.
func (p *Pieces) Name(pieces int) string { return fmt.Sprintf("%s:parts=%d", p.name, pieces) }

// Lay returns the layout for a number of pieces.
func (p *Pieces) Lay(r *Registry, pieces int) (*collective.Collective, error) {
	c, err := r.New(p.op, p.Name(pieces), p.shape.Nodes, p.shape.Ports)
	if err != nil {
		return nil, err
	}
	return c.On(p.members, p.nodes)
}

// Sketch returns a layout in which every step has the pairs and the bytes that it has in
// Lay, but not always the same pieces: enough to know times. Steps that repeat share their
// transfers. Sketches of trees take time and memory that do not grow with the number of
// pieces except for a word per step; others are layouts.
func (p *Pieces) Sketch(r *Registry, pieces int) (*collective.Collective, error) {
	if pieces < p.Least || pieces > p.Most {
		return nil, fmt.Errorf("%d pieces: want %d to %d", pieces, p.Least, p.Most)
	}
	listed, times, repeats := pieces, 0, false
	if t := p.period; t != nil && pieces > t.Started {
		listed = t.Started + (pieces-t.Started)%t.Pieces
		times, repeats = (pieces-listed)/t.Pieces, true
	}
	c, err := p.base(r, listed, repeats)
	if err != nil {
		return nil, err
	}
	made := *c
	made.Algorithm, made.Space.Parts = p.Name(pieces), c.Space.Parts/listed*pieces
	if times > 0 {
		from, to := p.period.From, p.period.To
		if p.op == collective.RootReduce { // runs backwards
			from, to = len(c.Steps)-to, len(c.Steps)-from
		}
		made.Steps = slices.Clone(c.Steps[:from])
		for range times {
			made.Steps = append(made.Steps, c.Steps[from:to]...)
		}
		made.Steps = append(made.Steps, c.Steps[from:]...)
	}
	return &made, nil
}

// base returns the layout that a sketch is made of, kept for the next if that is asked for.
func (p *Pieces) base(r *Registry, pieces int, keep bool) (*collective.Collective, error) {
	p.mutex.Lock()
	c := p.known[pieces]
	p.mutex.Unlock()
	if c != nil {
		return c, nil
	}
	c, err := p.Lay(r, pieces)
	if err == nil && keep {
		p.mutex.Lock()
		p.known[pieces] = c
		p.mutex.Unlock()
	}
	return c, err
}

// Sketched reports whether sketches take less than layouts.
func (p *Pieces) Sketched() bool { return p.period != nil }

// Extends reports whether every layout begins with the steps of the fewest pieces, or ends
// with them, and may do more in them.
func (p *Pieces) Extends() bool { return p.trees != nil }

// Fresh returns a number of steps, at least one, in which every layout has some pair that sends
// for the first time (for a reduce: for the last time). It counts such steps for the fewest
// pieces, since no piece overtakes another on its tree; for an allreduce over two trees, the steps
// of the first piece up a tree and down again.
func (p *Pieces) Fresh(r *Registry) (int, error) {
	if p.trees == nil {
		return max(1, p.alone), nil
	}
	c, err := p.Sketch(r, p.Least)
	if err != nil {
		return 0, err
	}
	seen := map[[2]int]bool{}
	fresh := 0
	for i := range c.Steps {
		step := c.Steps[i]
		if p.op == collective.RootReduce { // runs backwards
			step = c.Steps[len(c.Steps)-1-i]
		}
		before := len(seen)
		for _, t := range step.Base {
			seen[[2]int{t.Src, t.Dst}] = true
		}
		if len(seen) > before {
			fresh++
		}
	}
	return fresh, nil
}

// Turns returns how many pieces make a round of the trees that take turns, 1 where none do.
func (p *Pieces) Turns() int { return max(1, len(p.trees)) }

// Piece returns what a transfer carries, in buffers.
func (p *Pieces) Piece(pieces int) float64 {
	if p.trees == nil {
		return 0.5 / float64(pieces)
	}
	return 1 / float64(pieces)
}

// AtLeast bounds the layout for a number of pieces from below: the number of its steps, and
// the bytes, in buffers, that some node sends or that some node receives. Of an allreduce
// over two trees with P pieces each, of half a buffer over P, some node receives so many as
// it has ports in a step at most; and a piece goes up and down the higher tree, on which
// another follows in every step at best.
func (p *Pieces) AtLeast(pieces int) (steps int, buffers float64) {
	if p.trees == nil {
		return max((p.busiest*pieces+p.shape.Ports-1)/p.shape.Ports, 2*p.depth+pieces-1), float64(p.busiest) / 2
	}
	// At least so many pieces go down a tree.
	buffers = float64(p.busiest) * float64(pieces/len(p.trees)) / float64(pieces)
	if p.period != nil {
		return p.runs.Steps(pieces), buffers
	}
	// The last piece leaves the root after all others have, and has a tree to go down; and fewer
	// pieces take no longer.
	return max((pieces+p.shape.Ports-1)/p.shape.Ports+p.depth-1, p.runs.Steps(pieces)), buffers
}

// Busy bounds from below what the steps of a layout take one after the other, in pieces: the
// sum over its steps of the most that a node sends in it, or receives. It is the sum where
// layouts are sketched.
func (p *Pieces) Busy(pieces int) int {
	steps, _ := p.AtLeast(pieces)
	if p.trees == nil {
		return steps
	}
	return max(steps, p.runs.Busy(pieces))
}
