package exchange

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/threads"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/routing"
	"github.com/lightpath-net/lightpath/planner/exchange/strategy"
	"github.com/lightpath-net/lightpath/topology"
)

// stageName is that of a topology that no expression names.
func stageName(stage int) string { return fmt.Sprintf("exchange:%d", stage+1) }

// move is something that goes from one member to another within a stage: chunks first to
// first+count-1 over some paths.
type move struct {
	first, count int
	routes       []flow.Route // between GPUs
}

func (m *move) path() []int32 { return m.routes[0].Path }

// whole makes a plan of a route in which a stage is one step. The plan is not priced.
func (t *task) whole(ctx context.Context, r strategy.Route, name string) (*plan.Plan, error) {
	p := &plan.Plan{
		Fabric: t.request.Fabric, Provenance: plan.Provenance{Planner: Name, Strategy: name},
		Collective: plan.Collective{Op: collective.AllToAll, Algorithm: Name, Size: t.request.Size},
	}
	var moves [][]move // of each stage
	var group topology.Translations
	if r.Ways != nil {
		group = t.translations(r.Ways.Group)
		p.Collective.Space, moves = t.along(r.Ways, group)
	} else {
		p.Collective.Space, moves = t.parts(r.Flows)
	}
	p.Stages = make([]plan.Stage, len(moves))
	slots := make([]int, len(moves))
	threads.Each(ctx, len(moves), func(i int) {
		if ctx.Err() == nil {
			stage := plan.Stage{Topology: t.topology(r, i)}
			slots[i] = slotsOf(moves[i], stage.Topology, group)
			stage.Steps = []plan.Step{{Group: group, Base: transfers(moves[i])}}
			p.Stages[i], moves[i] = stage, nil
		}
	})
	for _, s := range slots {
		p.Slots += s
	}
	return p, ctx.Err()
}

// translations returns the part of a group that moves GPUs as translations do, if all chunks
// are alike: all of it if it commutes, and else the elements (a, 0), which add a to the
// first coordinate.
func (t *task) translations(g model.Group) topology.Translations {
	switch {
	case t.members != nil || t.sizes != nil:
		return topology.Translations{}
	case g.Q == 1:
		return topology.Rotations(t.nodes, 1)
	case g.Commutative():
		return topology.Translation(g.Q, g.M)
	}
	return topology.Translations{Dims: []int{g.Q, g.M}, Stride: []int{g.Q, 1}}
}

// along returns the chunks, one for every pair, and their moves along ways that look the
// same from all nodes. Of nodes that a translation takes to each other one is listed.
func (t *task) along(w *routing.Ways, group topology.Translations) (collective.Space, [][]move) {
	n := t.nodes
	moves := make([][]move, len(w.Generators))
	next := make([][][]int32, len(w.Generators)) // where circuits lead
	for i, generators := range w.Generators {
		next[i] = make([][]int32, len(generators))
		for p, v := range generators {
			next[i][p] = make([]int32, n)
			w.Group.Step(v, next[i][p])
		}
	}
	to := make([]int32, n) // where words lead from u
	numbers := newNumbers(t)
	for u := range n {
		if k, _ := group.Locate(u); k > 0 {
			continue
		}
		w.Group.Row(u, to)
		for o := 1; o < n; o++ {
			chunk := numbers.add(u, int(to[o]))
			at := u
			path := []int32{int32(t.gpu(at))}
			for i, l := range w.Legs[o] {
				for range l.Hops {
					at = int(next[l.Stage][l.Port][at])
					path = append(path, int32(t.gpu(at)))
				}
				if i+1 == len(w.Legs[o]) || w.Legs[o][i+1].Stage != l.Stage {
					moves[l.Stage] = append(moves[l.Stage], move{first: chunk, count: 1, routes: []flow.Route{{Path: path, Share: 1}}})
					path = []int32{int32(t.gpu(at))}
				}
			}
		}
	}
	return numbers.space(1), moves
}

// parts returns the chunks and their moves along flows. What a pair has is one chunk unless
// its parts meet at different nodes between stages.
func (t *task) parts(f *routing.Flows) (collective.Space, [][]move) {
	moves := make([][]move, len(f.Stages))
	numbers := newNumbers(t)
	var pieces []piece
	whole := 0 // what divides the amounts of all pieces
	for rest := f.Parts; len(rest) > 0; {
		end := 1
		for end < len(rest) && rest[end].Src == rest[0].Src && rest[end].Dst == rest[0].Dst {
			end++
		}
		for _, p := range t.together(f, rest[:end]) {
			pieces = append(pieces, p)
			whole = model.GCD(whole, p.amount)
		}
		rest = rest[end:]
	}
	parts := 1
	if t.sizes == nil {
		parts = evenParts / whole
	}
	for _, p := range pieces {
		count := 1
		share := float64(p.amount)
		if t.sizes == nil {
			count = p.amount / whole
		} else {
			share /= float64(p.total)
		}
		first := numbers.addPart(p.src, p.dst, count, parts, share)
		for _, m := range p.moves {
			m.move.first, m.move.count = first, count
			moves[m.stage] = append(moves[m.stage], m.move)
		}
	}
	return numbers.space(parts), moves
}

// piece is what a pair has that is at the same nodes between stages.
type piece struct {
	src, dst      int
	amount, total int // of the piece, and of the pair
	moves         []stageMove
}

type stageMove struct {
	stage int
	move  move
}

// together joins parts of a pair that are at the same nodes between stages.
func (t *task) together(f *routing.Flows, parts []routing.Part) []piece {
	var pieces []piece
	total := 0
	for _, part := range parts {
		total += part.Amount
	}
	for _, part := range parts {
		p := piece{src: int(part.Src), dst: int(part.Dst), amount: part.Amount, total: total, moves: t.movesOf(f, part)}
		i := slices.IndexFunc(pieces, func(q piece) bool { return meet(p, q) })
		if i < 0 {
			pieces = append(pieces, p)
			continue
		}
		q := &pieces[i]
		for k := range q.moves {
			q.moves[k].move.routes = append(q.moves[k].move.routes, p.moves[k].move.routes...)
		}
		q.amount += p.amount
	}
	for _, p := range pieces {
		for k := range p.moves {
			p.moves[k].move.routes = shared(p.moves[k].move.routes, p.amount)
		}
	}
	return pieces
}

// movesOf returns the moves of a part. The shares of their routes are amounts.
func (t *task) movesOf(f *routing.Flows, part routing.Part) []stageMove {
	var moves []stageMove
	for h, leg := range part.Hops {
		port, u := int(leg.Port)/f.Nodes, int(leg.Port)%f.Nodes
		v := f.Stages[leg.Stage][port][u]
		if h == 0 || part.Hops[h-1].Stage != leg.Stage {
			start := flow.Route{Path: []int32{int32(t.gpu(u))}, Share: float64(part.Amount)}
			moves = append(moves, stageMove{stage: int(leg.Stage), move: move{routes: []flow.Route{start}}})
		}
		path := &moves[len(moves)-1].move.routes[0].Path
		*path = append(*path, int32(t.gpu(v)))
	}
	return moves
}

// meet reports whether two parts of a pair are at the same nodes between stages.
func meet(a, b piece) bool {
	return slices.EqualFunc(a.moves, b.moves, func(x, y stageMove) bool {
		p, q := x.move.path(), y.move.path()
		return x.stage == y.stage && p[0] == q[0] && p[len(p)-1] == q[len(q)-1]
	})
}

// shared joins equal paths and turns amounts into shares.
func shared(routes []flow.Route, amount int) []flow.Route {
	var out []flow.Route
	for _, r := range routes {
		r.Share /= float64(amount)
		if i := slices.IndexFunc(out, func(o flow.Route) bool { return slices.Equal(o.Path, r.Path) }); i >= 0 {
			out[i].Share += r.Share
		} else {
			out = append(out, r)
		}
	}
	return out
}

// transfers makes transfers of moves. Chunks that go the same one way are one transfer.
func transfers(moves []move) []plan.Transfer {
	slices.SortFunc(moves, func(a, b move) int { // no two of a stage have the same chunk first
		return cmp.Or(cmp.Compare(len(a.routes), len(b.routes)), slices.Compare(a.path(), b.path()), cmp.Compare(a.first, b.first))
	})
	var list []plan.Transfer
	for i := 0; i < len(moves); {
		m := moves[i]
		chunks := collective.Every(m.first, 1, m.count)
		end := i + 1
		if len(m.routes) == 1 {
			for end < len(moves) && len(moves[end].routes) == 1 && slices.Equal(moves[end].path(), m.path()) {
				chunks = append(chunks, collective.Every(moves[end].first, 1, moves[end].count)...)
				end++
			}
		}
		if end > i+1 {
			chunks = collective.Of(slices.Collect(chunks.All()))
		}
		path := m.path()
		list = append(list, plan.Transfer{
			Transfer: collective.Transfer{Src: int(path[0]), Dst: int(path[len(path)-1]), Action: collective.Copy, Chunks: chunks},
			Routes:   m.routes,
		})
		i = end
	}
	slices.SortFunc(list, func(a, b plan.Transfer) int { return cmp.Compare(a.Chunks[0].First, b.Chunks[0].First) })
	return list
}

// slotsOf returns the slots of one chunk that a stage takes at least: as many as its busiest
// circuit carries chunks, and as its longest route has hops.
func slotsOf(moves []move, g *topology.Graph, group topology.Translations) int {
	carried := map[[2]int]int{}
	most := 0
	for _, m := range moves {
		for _, r := range m.routes {
			most = max(most, len(r.Path)-1)
			for h := 1; h < len(r.Path); h++ {
				k, from := group.Locate(int(r.Path[h-1]))
				circuit := [2]int{from, group.Back(k, int(r.Path[h]))}
				carried[circuit] += m.count
				if count := g.Count(circuit[0], circuit[1]); count > 0 {
					most = max(most, model.CeilDiv(carried[circuit], count))
				}
			}
		}
	}
	return most
}
