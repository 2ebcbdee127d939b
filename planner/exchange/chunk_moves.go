package exchange

import (
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/routing"
	"github.com/lightpath-net/lightpath/topology"
)

// along holds the chunks, one for every pair, and their moves along ways that look the same
// from all nodes. Of the nodes that translations map to each other only one is listed. In a
// group that does not commute many nodes are listed, and ten thousand nodes have millions of
// moves. So the moves of a stage are computed only when they are asked for.
type along struct {
	task   *task
	ways   *routing.Ways
	space  collective.Space
	listed []int
	// starts holds, for each stage, the node where each chunk is when the stage begins. Chunks
	// are indexed by listed node and by the destination of the chunk of node 0 that moves in
	// the same way.
	starts [][]int32
}

// along finds the chunks and the nodes where they are when stages begin.
func (t *task) along(w *routing.Ways, group topology.Translations) *along {
	a := &along{task: t, ways: w, starts: make([][]int32, len(w.Generators))}
	for u := range t.nodes {
		if k, _ := group.Locate(u); k == 0 {
			a.listed = append(a.listed, u)
		}
	}
	to := make([]int32, t.nodes) // where words lead from u
	numbers := newNumbers(t)
	at := make([]int32, 0, len(a.listed)*t.nodes)
	for _, u := range a.listed {
		w.Group.Row(u, to)
		for o := 1; o < t.nodes && t.sizes != nil; o++ {
			numbers.add(u, int(to[o]))
		}
		for range t.nodes {
			at = append(at, int32(u))
		}
	}
	for i := range a.starts {
		a.starts[i] = at
		if i+1 == len(a.starts) {
			break
		}
		next := a.next(i)
		after := make([]int32, len(at))
		copy(after, at)
		for o := range t.nodes {
			for _, l := range legsOf(w.Legs[o], i) {
				for k := o; k < len(after); k += t.nodes {
					for range l.Hops {
						after[k] = next[l.Port][after[k]]
					}
				}
			}
		}
		at = after
	}
	a.space = numbers.space(1)
	return a
}

// next returns where the circuits of a stage lead, by port and node.
func (a *along) next(stage int) [][]int32 {
	next := make([][]int32, len(a.ways.Generators[stage]))
	for p, v := range a.ways.Generators[stage] {
		next[p] = make([]int32, a.task.nodes)
		a.ways.Group.Step(v, next[p])
	}
	return next
}

// legsOf returns the legs of a word in a stage.
func legsOf(legs []model.Leg, stage int) []model.Leg {
	for len(legs) > 0 && int(legs[0].Stage) < stage {
		legs = legs[1:]
	}
	end := 0
	for end < len(legs) && int(legs[end].Stage) == stage {
		end++
	}
	return legs[:end]
}

// chunk returns the number of the chunk from a listed node to the node that a word leads to.
// Where pairs differ, all nodes are listed and chunks are numbered in the order in which they
// were added.
func (a *along) chunk(listed, word int, to []int32) int {
	if a.task.sizes != nil {
		return listed*(a.task.nodes-1) + word - 1
	}
	return a.listed[listed]*a.task.nodes + int(to[word])
}

// moves returns the moves of a stage. It works only once for each stage.
func (a *along) moves(stage int) []move {
	t, n := a.task, a.task.nodes
	next := a.next(stage)
	count, nodes := 0, 0 // of the moves of a node, and on their paths
	for o := range n {
		if legs := legsOf(a.ways.Legs[o], stage); len(legs) > 0 {
			count++
			nodes++
			for _, l := range legs {
				nodes += int(l.Hops)
			}
		}
	}
	count, nodes = count*len(a.listed), nodes*len(a.listed)
	moves, routes, paths := make([]move, 0, count), make([]flow.Route, 0, count), make([]int32, 0, nodes)
	to := make([]int32, n) // where words lead
	for k, u := range a.listed {
		a.ways.Group.Row(u, to)
		for o := 1; o < n; o++ {
			legs := legsOf(a.ways.Legs[o], stage)
			if len(legs) == 0 {
				continue
			}
			at := a.starts[stage][k*n+o]
			begin := len(paths)
			paths = append(paths, int32(t.gpu(int(at))))
			for _, l := range legs {
				for range l.Hops {
					at = next[l.Port][at]
					paths = append(paths, int32(t.gpu(int(at))))
				}
			}
			routes = append(routes, flow.Route{Path: paths[begin:len(paths):len(paths)], Share: 1})
			moves = append(moves, move{first: a.chunk(k, o, to), count: 1, routes: routes[len(routes)-1 : len(routes) : len(routes)]})
		}
	}
	a.starts[stage] = nil
	return moves
}

// compact copies the routes and paths of transfers, which have one route each, into memory of
// their own. This frees the memory of moves that have become part of others.
func compact(list []plan.Transfer) {
	nodes := 0
	for i := range list {
		nodes += len(list[i].Routes[0].Path)
	}
	routes, paths := make([]flow.Route, len(list)), make([]int32, 0, nodes)
	for i := range list {
		r := list[i].Routes[0]
		begin := len(paths)
		paths = append(paths, r.Path...)
		r.Path = paths[begin:len(paths):len(paths)]
		routes[i] = r
		list[i].Routes = routes[i : i+1 : i+1]
	}
}
