package exchange

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner/exchange/apart"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/routing"
	"github.com/lightpath-net/lightpath/topology"
)

// placed is a turn of a plane.
type placed struct {
	plane  int
	length float64 // ns, where turns have lengths
	apart.Turn
}

// build makes the plan of the best division. Its stages are in the order in which they begin.
func (s *spreader) build(ctx context.Context) (*plan.Plan, error) {
	var turns []placed
	for k, list := range s.best.turns {
		for i, t := range list {
			turns = append(turns, placed{plane: k, Turn: t})
			if s.best.lengths != nil {
				turns[len(turns)-1].length = s.best.lengths[k][i]
			}
		}
	}
	p := &plan.Plan{
		Fabric: s.request.Fabric, Provenance: plan.Provenance{Planner: Name, Strategy: s.best.strategy}, Independent: true,
		Collective: plan.Collective{Op: collective.AllToAll, Algorithm: Name, Size: s.request.Size},
	}
	var moves [][]move
	var group topology.Translations
	switch w := s.best.route.Ways; {
	case w != nil:
		group = s.translations(w.Group)
		p.Collective.Space, moves = s.alongTurns(w, group, turns)
	case s.best.lengths != nil:
		p.Collective.Space, moves = s.parts(s.filled(s.best.route.Flows, turns))
	default:
		p.Collective.Space, moves = s.parts(divided(s.best.route.Flows, turns))
	}
	for i, list := range moves {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(list) == 0 {
			continue // a part of less than a byte
		}
		g := s.topology(s.best.route, turns[i].Match)
		stage := plan.Stage{Topology: g, Lanes: make([]plan.Lane, p.Fabric.Ports), Steps: []plan.Step{{Group: group, Base: transfers(list, p.Fabric.Nodes)}}}
		stage.Lanes[turns[i].plane] = plan.Lane{Circuits: g, Share: 1}
		p.Stages = append(p.Stages, stage)
	}
	if err := p.PriceContext(ctx); err != nil {
		return nil, err
	}
	slices.SortStableFunc(p.Stages, func(a, b plan.Stage) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Turn(), b.Turn()))
	})
	return p, p.PriceContext(ctx)
}

// divided returns flows whose stages are turns: what a pair sends in a matching is divided
// among the turns of that matching, in whole amounts.
func divided(f *routing.Flows, turns []placed) *routing.Flows {
	d := &routing.Flows{Nodes: f.Nodes, Ports: 1}
	of := make([][]int, len(f.Stages)) // turns of a matching
	for i, t := range turns {
		d.Stages = append(d.Stages, f.Stages[t.Match])
		of[t.Match] = append(of[t.Match], i)
	}
	for _, part := range f.Parts {
		share, before := 0.0, 0
		list := of[part.Hops[0].Stage]
		for k, i := range list {
			share += turns[i].Share
			until := int(math.Round(share * float64(part.Amount)))
			if k == len(list)-1 {
				until = part.Amount
			}
			if until <= before {
				continue
			}
			one := routing.Part{Src: part.Src, Dst: part.Dst, Amount: until - before, Hops: slices.Clone(part.Hops)}
			for h := range one.Hops {
				one.Hops[h].Stage = int32(i)
			}
			d.Parts = append(d.Parts, one)
			before = until
		}
	}
	d.Sort()
	return d
}

// alongTurns is along for stages that are divided into turns: a pair has as many chunks as
// there are ports, if any stage is divided at all.
func (s *spreader) alongTurns(w *routing.Ways, group topology.Translations, turns []placed) (collective.Space, [][]move) {
	parts := 1
	of := make([][]int, len(w.Generators))
	for i, t := range turns {
		if of[t.Match] = append(of[t.Match], i); t.Share < 1 {
			parts = s.request.Fabric.Ports
		}
	}
	moves := make([][]move, len(turns))
	numbers := newNumbers(s.task)
	for u := range s.nodes {
		if k, _ := group.Locate(u); k > 0 {
			continue
		}
		for o := 1; o < s.nodes; o++ {
			path := s.path(w, u, w.Legs[o])
			for _, i := range of[w.Legs[o][0].Stage] {
				count := 1 // of any size, where pairs are listed
				if s.sizes == nil {
					count = int(math.Round(turns[i].Share * float64(parts)))
				}
				first := numbers.addPart(u, w.Group.Multiply(u, o), count, parts, turns[i].Share)
				moves[i] = append(moves[i], move{first: first, count: count, routes: []flow.Route{{Path: path, Share: 1}}})
			}
		}
	}
	return numbers.space(parts), moves
}

// path returns the GPUs on the way of a chunk from a node.
func (s *spreader) path(w *routing.Ways, at int, legs []model.Leg) []int32 {
	path := []int32{int32(s.gpu(at))}
	for _, l := range legs {
		for range l.Hops {
			at = w.Group.Multiply(at, w.Generators[l.Stage][l.Port])
			path = append(path, int32(s.gpu(at)))
		}
	}
	return path
}
