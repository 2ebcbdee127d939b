package resized

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/topology"
)

// form is a plan of an allreduce with every transfer listed. Chunks that always travel together
// are one class.
//
// Forms are never changed, but parts of one are shared by others.
type form struct {
	nodes  int
	weight []int // the number of chunks of each class
	layers []layer
}

// layer is consecutive steps on the same circuits.
type layer struct {
	graph *topology.Graph
	steps [][]move
}

// move is a transfer of whole classes.
type move struct {
	src, dst int
	action   collective.Action
	classes  []int
	routes   []flow.Route
}

// formOf lists the transfers of a plan. The error wraps planner.ErrInfeasible if the plan is not
// suitable.
func formOf(p *plan.Plan) (*form, error) {
	space := &p.Collective.Space
	if p.Staggered() || p.Independent || len(p.Stages) == 0 || p.Collective.Op != collective.AllReduce || space.Kind != collective.Blocks || space.Members != nil {
		return nil, fmt.Errorf("%w: not an allreduce of all GPUs, step by step", planner.ErrInfeasible)
	}
	chunks := space.Chunks()
	of := classes{of: make([]int, chunks), size: []int{chunks}}
	f := &form{nodes: space.Nodes}
	var sets []collective.Chunks
	for i := range p.Stages {
		l := layer{graph: p.Stages[i].Topology}
		for j := range p.Stages[i].Steps {
			var moves []move
			for t := range p.Stages[i].Steps[j].All(*space) {
				if t.Part != collective.WholePart {
					return nil, fmt.Errorf("%w: a GPU has more than its own to contribute", planner.ErrInfeasible)
				}
				of.split(t.Chunks)
				sets = append(sets, t.Chunks)
				moves = append(moves, move{src: t.Src, dst: t.Dst, action: t.Action, routes: t.Routes})
			}
			l.steps = append(l.steps, moves)
		}
		f.layers = append(f.layers, l)
	}
	f.weight = of.size
	seen, stamp := make([]int, len(of.size)), 0
	for i := range f.layers {
		for _, moves := range f.layers[i].steps {
			for k := range moves {
				stamp++
				for c := range sets[stamp-1].All() {
					if class := of.of[c]; seen[class] != stamp {
						seen[class] = stamp
						moves[k].classes = append(moves[k].classes, class)
					}
				}
				slices.Sort(moves[k].classes)
			}
		}
	}
	return f, nil
}

// classes divides chunks into classes.
type classes struct {
	of, size []int
}

// split divides every class into the chunks that are in a set and those that are not.
func (c *classes) split(set collective.Chunks) {
	in := map[int]int{}
	for chunk := range set.All() {
		in[c.of[chunk]]++
	}
	to := map[int]int{}
	for chunk := range set.All() {
		old := c.of[chunk]
		if in[old] == c.size[old] {
			continue // all of it, or what is left of it
		}
		class, ok := to[old]
		if !ok {
			class = len(c.size)
			to[old], c.size = class, append(c.size, 0)
		}
		c.of[chunk] = class
		c.size[class]++
	}
	for old, class := range to {
		c.size[old] -= c.size[class]
	}
}

// stages turns a form into the stages of a plan and its space. Classes become ranges of chunks.
// Steps without moves, and stages without steps, are left out.
func (f *form) stages() ([]plan.Stage, collective.Space, error) {
	unit, sum := 0, 0
	for _, w := range f.weight {
		unit = arithmetic.GCD(unit, w)
		sum += w
	}
	sum /= unit
	parts := sum / arithmetic.GCD(sum, f.nodes)
	space := collective.SpaceOf(collective.AllReduce, f.nodes, parts)
	if parts > collective.MaxParts/f.nodes {
		return nil, space, fmt.Errorf("%w: chunks that do not fit together", planner.ErrInfeasible)
	}
	each := f.nodes * parts / sum // chunks of a unit
	first := make([]int, len(f.weight)+1)
	for k, w := range f.weight {
		first[k+1] = first[k] + w/unit*each
	}
	var all []plan.Stage
	for _, l := range f.layers {
		stage := plan.Stage{Topology: l.graph}
		for _, moves := range l.steps {
			var step plan.Step
			for _, m := range moves {
				var chunks collective.Chunks
				for i := 0; i < len(m.classes); {
					j := i + 1
					for j < len(m.classes) && m.classes[j] == m.classes[j-1]+1 {
						j++
					}
					from, to := first[m.classes[i]], first[m.classes[j-1]+1]
					chunks = append(chunks, collective.Run{First: from, Count: to - from, Stride: 1})
					i = j
				}
				t := collective.Transfer{Src: m.src, Dst: m.dst, Action: m.action, Chunks: chunks}
				step.Base = append(step.Base, plan.Transfer{Transfer: t, Routes: m.routes})
			}
			if len(step.Base) > 0 {
				stage.Steps = append(stage.Steps, step)
			}
		}
		if len(stage.Steps) > 0 {
			all = append(all, stage)
		}
	}
	return all, space, nil
}

// bytes returns what a move carries, in chunks.
func (f *form) bytes(m *move) float64 {
	sum := each.Sum(m.classes, func(k int) int { return f.weight[k] })
	return float64(sum)
}

// joined merges moves of a step that have the same ends, action and routes.
func joined(moves []move) []move {
	same := func(a, b *move) bool {
		return a.src == b.src && a.dst == b.dst && a.action == b.action &&
			slices.EqualFunc(a.routes, b.routes, func(x, y flow.Route) bool { return x.Share == y.Share && slices.Equal(x.Path, y.Path) })
	}
	at := map[[2]int][]int{}
	var all []move
next:
	for _, m := range moves {
		if len(m.classes) == 0 {
			continue
		}
		ends := [2]int{m.src, m.dst}
		for _, i := range at[ends] {
			if same(&all[i], &m) {
				all[i].classes = append(slices.Clone(all[i].classes), m.classes...)
				slices.Sort(all[i].classes)
				continue next
			}
		}
		at[ends] = append(at[ends], len(all))
		all = append(all, m)
	}
	slices.SortStableFunc(all, func(a, b move) int { return cmp.Or(a.src-b.src, a.dst-b.dst) })
	return all
}
