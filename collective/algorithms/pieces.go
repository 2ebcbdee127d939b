package algorithms

import (
	"fmt"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms/pipelines"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"slices"
	"sync"
)

// Pieces is an algorithm that cuts a buffer into pieces which follow one another, with their
// number left open. It has the layouts for every number, and computes properties of a layout
// without listing every transfer.
//
// In a pipeline down trees the earliest pieces go first, so what the first k pieces do does not
// depend on how many follow. If the pieces under way are in the same state as one period
// earlier, the pipeline repeats itself until the last piece has left the root: with c more
// pieces it has one more period of steps. A sketch is such a layout in which the steps of a
// period are listed once and repeated.
type Pieces struct {
	Least, Most int // range of the number of pieces

	name    string
	op      collective.Op
	shape   collective.Shape
	members []int            // nodes of the fabric that take part, nil if all do
	nodes   int              // of the fabric
	trees   []pipelines.Tree // of a pipeline; nil for an allreduce over two trees
	busiest int              // pieces some node sends (allreduce: receives) per piece of each tree
	depth   int              // of the lowest tree (for an allreduce: of the higher one)
	alone   int              // pairs of only one tree that a piece of an allreduce uses in turn
	runs    *pipelines.Times
	period  *pipelines.Period // of runs

	mutex sync.Mutex
	// known are the layouts that sketches are made from, by their number of pieces.
	known map[int]*collective.Collective
	// changes are those on one-way and on two-way circuits; nil until needed.
	changes [2]*pipelines.Changes
}

// Pieces returns the layouts of an algorithm, a name possibly with options, on some of the
// nodes of a fabric (nil: all of them). It returns nil if the number of pieces is not open:
// because it is given, or the algorithm has no pieces.
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

// Name returns the algorithm's name with a number of pieces.
func (p *Pieces) Name(pieces int) string { return fmt.Sprintf("%s:parts=%d", p.name, pieces) }

// Lay returns the layout for a number of pieces.
func (p *Pieces) Lay(r *Registry, pieces int) (*collective.Collective, error) {
	c, err := r.New(p.op, p.Name(pieces), p.shape.Nodes, p.shape.Ports)
	if err != nil {
		return nil, err
	}
	return c.On(p.members, p.nodes)
}

// Sketch returns a layout in which every step has the same pairs and bytes as in Lay, but not
// always the same pieces: enough to compute times. Repeated steps share their transfers. The
// time and memory of a sketch of trees do not grow with the number of pieces, except for one
// word per step. Others are full layouts.
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

// base returns the layout from which a sketch is made, and keeps it for the next one if asked
// to.
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

// Sketched reports whether sketches are cheaper than layouts.
func (p *Pieces) Sketched() bool { return p.period != nil }

// Extends reports whether every layout begins with the steps of the fewest pieces, or ends with
// them, and may do more in them.
func (p *Pieces) Extends() bool { return p.trees != nil }

// Fresh returns a number of steps, at least one, in which every layout has some pair that sends
// for the first time (for a reduce: for the last time). It counts such steps for the fewest
// pieces, because no piece overtakes another on its tree. For an allreduce over two trees it
// counts the steps of the first piece up a tree and down again.
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

// Changes returns a function that bounds, from below, how often circuits change between the steps
// of a layout if every step has circuits of its own, which join the pairs of the step and no
// others; rising also holds for every larger number of pieces. Two-way circuits join a pair in
// both directions.
func (p *Pieces) Changes(r *Registry, twoWay bool) (of func(pieces int) (changes, rising int), err error) {
	if p.trees == nil || p.members != nil { // circuits of other GPUs may stay, and serve later steps
		fresh, err := p.Fresh(r)
		return func(int) (changes, rising int) { return fresh - 1, fresh - 1 }, err
	}
	way := 0
	if twoWay {
		way = 1
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.changes[way] == nil {
		p.changes[way] = pipelines.ChangesOf(p.shape.Nodes, p.shape.Ports, p.trees, p.runs, twoWay)
	}
	return p.changes[way].Of, nil
}

// Turns returns how many pieces make one round of the trees, 1 if there is no pipeline down
// trees.
func (p *Pieces) Turns() int { return max(1, len(p.trees)) }

// Piece returns the size of a transfer, in buffers.
func (p *Pieces) Piece(pieces int) float64 {
	if p.trees == nil {
		return 0.5 / float64(pieces)
	}
	return 1 / float64(pieces)
}

// AtLeast bounds the layout for a number of pieces from below: its number of steps, and the
// bytes, in buffers, that some node sends or that some node receives. For an allreduce over two
// trees with P pieces each, of half a buffer over P, two facts give the steps: a node receives
// at most one piece per port in a step, and a piece goes up and down the higher tree, where at
// best one more follows in every step.
func (p *Pieces) AtLeast(pieces int) (steps int, buffers float64) {
	if p.trees == nil {
		return max(arithmetic.CeilDiv(p.busiest*pieces, p.shape.Ports), 2*p.depth+pieces-1), float64(p.busiest) / 2
	}
	// At least this many pieces go down each tree.
	buffers = float64(p.busiest) * float64(pieces/len(p.trees)) / float64(pieces)
	if p.period != nil {
		return p.runs.Steps(pieces), buffers
	}
	// The last piece leaves the root after all others and then goes down a tree; and fewer pieces
	// take no longer.
	return max(arithmetic.CeilDiv(pieces, p.shape.Ports)+p.depth-1, p.runs.Steps(pieces)), buffers
}

// Busy is a lower bound, in pieces, on what the steps of a layout take one after another: the
// sum over its steps of the most that any node sends or receives. It is exact if layouts are
// sketched.
func (p *Pieces) Busy(pieces int) int {
	steps, _ := p.AtLeast(pieces)
	if p.trees == nil {
		return steps
	}
	return max(steps, p.runs.Busy(pieces))
}
