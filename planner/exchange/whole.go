package exchange

import (
	"context"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/internal/threads"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/routing"
	"github.com/lightpath-net/lightpath/planner/exchange/strategy"
	"github.com/lightpath-net/lightpath/topology"
)

// stageName returns the name of a topology that has no expression.
func stageName(stage int) string { return fmt.Sprintf("exchange:%d", stage+1) }

// move is data that goes from one member to another within a stage: chunks first to
// first+count-1, over some paths.
type move struct {
	first, count int
	routes       []flow.Route // between GPUs
}

func (m *move) path() []int32 { return m.routes[0].Path }

func (m *move) source() int32 { return m.path()[0] }

func (m *move) target() int32 { return m.path()[len(m.path())-1] }

// whole makes a plan of a route in which a stage is one step. The plan is not priced.
func (t *task) whole(ctx context.Context, r strategy.Route, name string) (*plan.Plan, error) {
	p := &plan.Plan{
		Fabric: t.request.Fabric, Provenance: plan.Provenance{Planner: Name, Strategy: name},
		Collective: plan.Collective{Op: collective.AllToAll, Algorithm: Name, Size: t.request.Size},
	}
	var group topology.Translations
	var stages int
	var moves func(stage int) []move
	if r.Ways != nil {
		group = t.translations(r.Ways.Group)
		a := t.along(r.Ways, group)
		p.Collective.Space, stages, moves = a.space, len(r.Ways.Generators), a.moves
	} else {
		space, all := t.parts(r.Flows)
		p.Collective.Space, stages, moves = space, len(all), func(i int) []move { return all[i] }
	}
	p.Stages = make([]plan.Stage, stages)
	slots := make([]int, stages)
	threads.Few(ctx, stages, func(i int) {
		if ctx.Err() != nil {
			return
		}
		stage, moves := plan.Stage{Topology: t.topology(r, i)}, moves(i)
		base := transfers(moves, t.request.Fabric.Nodes)
		if r.Ways != nil {
			compact(base)
		}
		stage.Steps = []plan.Step{{Group: group, Base: base}}
		slots[i] = slotsOf(&stage.Steps[0], stage.Topology)
		p.Stages[i] = stage
	})
	for _, s := range slots {
		p.Slots += s
	}
	return p, ctx.Err()
}

// translations returns the part of a group that moves GPUs as translations do, if all chunks
// are alike: the whole group if it commutes, and otherwise the elements (a, 0), which add a to
// the first coordinate.
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

// parts returns the chunks and their moves along flows. The data of a pair is one chunk unless
// parts of it are at different nodes between stages.
func (t *task) parts(f *routing.Flows) (collective.Space, [][]move) {
	moves := make([][]move, len(f.Stages))
	numbers := newNumbers(t)
	var pieces []piece
	whole := 0 // greatest common divisor of the amounts of all pieces
	for pair := range f.Pairs() {
		for _, p := range t.together(f, pair) {
			pieces = append(pieces, p)
			whole = arithmetic.GCD(whole, p.amount)
		}
	}
	parts := 1
	if t.sizes == nil {
		parts = evenParts * max(1, f.Finer) / whole
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

// piece is the part of a pair's data that is at the same nodes between stages.
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
