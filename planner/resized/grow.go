package resized

import (
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/topology"
)

// place says where a new GPU is inserted: into which circuits of the first and of the last stage,
// the same ones if there is only one. Apart says whether it sends in a step of its own before all
// others, or together with those of the first step, and likewise for the end.
type place struct {
	first, last           [][2]int
	firstApart, lastApart bool
}

// grower knows how a form can grow by one GPU.
//
// A new GPU x sends each class in the first step to wherever its vector is then added to every
// result once: to a GPU whose value after the step is part of every result, or to wherever a twin
// sends its own value, and to the twin itself if that keeps it. In the last step x gets each class
// from a GPU that has the result, or whatever a twin gets, and from the twin what that adds it to.
// Forward and backward in time these are the same rules.
type grower struct {
	*form
	sends, gets []choices // of every class
	sole        bool      // the first step is also the last
}

// choices lists the ways to send or to get a class.
type choices [][]end

// end is the other end of a transfer of x.
type end struct {
	node   int
	action collective.Action
}

func newGrower(f *form) *grower {
	g := &grower{form: f}
	var steps [][]move
	for _, l := range f.layers {
		steps = append(steps, l.steps...)
	}
	g.sole = len(steps) == 1
	after := marks(f, -1)
	for i := len(steps) - 1; i > 0; i-- {
		after = uses(after, steps[i])
	}
	before := marks(f, -1)
	for _, moves := range steps[:len(steps)-1] {
		before = contents(before, moves)
	}
	all := whole(f.nodes, -1)
	first, last := steps[0], steps[len(steps)-1]
	replaced, got := overwritten(f, first), overwritten(f, last)
	g.sends, g.gets = make([]choices, len(f.weight)), make([]choices, len(f.weight))
	for k := range f.weight {
		for u := range f.nodes {
			action := collective.Reduce
			if a := replaced(u, k); a != "" {
				action = a
			}
			if *after.at(u, k) == all && action != collective.Copy {
				g.sends[k] = append(g.sends[k], []end{{u, action}})
			}
			if *before.at(u, k) == all {
				g.gets[k] = append(g.gets[k], []end{{u, collective.Copy}})
			}
		}
	}
	g.twins(g.sends, first, func(m *move) (twin int, e end) { return m.src, end{m.dst, m.action} }, func(u, k int) (end, bool) {
		return end{u, collective.Reduce}, replaced(u, k) == "" && *after.at(u, k) != 0
	})
	action := collective.Replace
	if g.sole {
		action = collective.Reduce
	}
	g.twins(g.gets, last, func(m *move) (twin int, e end) { return m.dst, end{m.src, action} }, func(u, k int) (end, bool) {
		return end{u, action}, got(u, k) == ""
	})
	return g
}

// twins adds, for classes without a choice, the choice to do what each GPU does in a step.
func (g *grower) twins(all []choices, moves []move, of func(m *move) (twin int, e end), self func(u, k int) (end, bool)) {
	ends := map[[2]int][]end{}
	for i := range moves {
		twin, e := of(&moves[i])
		for _, k := range moves[i].classes {
			ends[[2]int{twin, k}] = append(ends[[2]int{twin, k}], e)
		}
	}
	for k := range all {
		if len(all[k]) > 0 {
			continue
		}
		for u := range g.nodes {
			list := ends[[2]int{u, k}]
			if e, ok := self(u, k); ok {
				list = append(list, e)
			}
			if len(list) > 0 && !slices.ContainsFunc(list, func(e end) bool { return e.action == collective.Copy }) {
				all[k] = append(all[k], list)
			}
		}
	}
}

// grown returns the form with a GPU more in the given place; nil if that is impossible.
func (g *grower) grown(at place, twoWay bool) *form {
	x := g.nodes
	f := &form{nodes: x + 1, weight: g.weight, layers: make([]layer, len(g.layers))}
	last := len(g.layers) - 1
	for i, l := range g.layers {
		var where [][2]int
		switch i {
		case 0:
			where = at.first
		case last:
			where = at.last
		}
		made := layer{graph: inserted(l.graph, where, twoWay), steps: slices.Clone(l.steps)}
		for j := range made.steps {
			if where == nil {
				break
			}
			made.steps[j] = slices.Clone(made.steps[j])
			for k := range made.steps[j] {
				m := &made.steps[j][k]
				m.routes = detoured(m.routes, l.graph, made.graph, x)
			}
		}
		f.layers[i] = made
	}
	begin, end := &f.layers[0], &f.layers[last]
	ways := treeFrom(begin.graph, x)
	send := func(v int) []int32 { return ways.to(v) }
	back := treeFrom(end.graph.Transpose(irregular), x)
	get := func(v int) []int32 {
		path := back.to(v)
		slices.Reverse(path)
		return path
	}
	if at.firstApart {
		moves := g.moves(g.neighbours(begin.graph, x, collective.Reduce), send, 1, false)
		if moves == nil {
			return nil
		}
		begin.steps = slices.Insert(begin.steps, 0, moves)
	} else {
		moves := g.moves(g.sends, send, hopsOf(begin.steps[0]), false)
		if moves == nil {
			return nil
		}
		begin.steps[0] = joined(append(begin.steps[0], moves...))
	}
	if at.lastApart {
		moves := g.moves(g.neighbours(end.graph.Transpose(irregular), x, collective.Copy), get, 1, true)
		if moves == nil {
			return nil
		}
		end.steps = append(end.steps, moves)
		return f
	}
	j := len(end.steps) - 1
	moves := g.moves(g.gets, get, hopsOf(end.steps[j]), true)
	if moves == nil {
		return nil
	}
	end.steps[j] = joined(append(end.steps[j], moves...))
	return f
}

// neighbours lists the choices of a step of its own: every class may go to each next GPU.
func (g *grower) neighbours(graph *topology.Graph, x int, action collective.Action) []choices {
	all := make([]choices, len(g.weight))
	to, _ := graph.Row(x)
	for k := range all {
		for _, v := range to {
			all[k] = append(all[k], []end{{int(v), action}})
		}
	}
	return all
}

// moves returns the transfers of x in a step of the given number of hops. For every class it
// takes the choice with the fewest additional hops, of these the one with the least load in all,
// and of these the one that loads the busiest circuit of x least. It returns nil if there is no
// route.
func (g *grower) moves(all []choices, path func(v int) []int32, hops int, back bool) []move {
	x, paths := g.nodes, make([][]int32, g.nodes)
	for v := range paths {
		paths[v] = path(v)
	}
	load := map[int32]int{} // by the node next to x
	next := func(e end) int32 {
		if back {
			return paths[e.node][len(paths[e.node])-2]
		}
		return paths[e.node][1]
	}
	var moves []move
	for k, list := range all {
		var best []end
		var least [3]int
		for _, ends := range list {
			var cost [3]int
			for _, e := range ends {
				if paths[e.node] == nil {
					cost[0] = len(paths) * len(paths)
					continue
				}
				far := len(paths[e.node]) - 1
				cost[0] = max(cost[0], far-hops)
				cost[1] += far
				cost[2] = max(cost[2], load[next(e)])
			}
			if best == nil || slices.Compare(cost[:], least[:]) < 0 {
				best, least = ends, cost
			}
		}
		if best == nil || least[0] >= len(paths) {
			return nil
		}
		for _, e := range best {
			m := move{src: x, dst: e.node, action: e.action, classes: []int{k}, routes: []flow.Route{{Path: paths[e.node], Share: 1}}}
			if back {
				m.src, m.dst = e.node, x
			}
			load[next(e)] += g.weight[k]
			moves = append(moves, m)
		}
	}
	return joined(moves)
}

// hopsOf returns the hops of the longest route of a step.
func hopsOf(moves []move) int {
	most := 0
	for i := range moves {
		most = each.Max(most, moves[i].routes, func(r flow.Route) int { return len(r.Path) - 1 })
	}
	return most
}
