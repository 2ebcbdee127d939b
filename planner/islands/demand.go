package islands

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/topology"
)

// mostParcels bounds the pieces of a plan whose pairs differ.
const mostParcels = 1 << 18

// fewParcels is up to how many pieces all ways to divide them are tried.
const fewParcels = 1 << 13

// liftDemand lifts a plan for the islands' demand: what GPUs of an island have for those of
// another is divided evenly over the places of the islands, and each place's part goes by the
// circuits that the core uses. It reaches them through the island, in the same step or before all
// others, and likewise the GPUs that it is for. What stays within an island is sent while circuits
// send or change.
func liftDemand(ctx context.Context, core *plan.Plan, c Core, f *fabric.Fabric) (*plan.Plan, error) {
	x, err := newCarrier(core, c, f)
	if err != nil {
		return nil, err
	}
	ways := []carrying{{prefer: bySource}, {prefer: byTarget}, {prefer: bySource, collect: true}, {prefer: byTarget, spread: true}}
	if x.count(evenly) <= fewParcels {
		for _, prefer := range []int{evenly, bySource, byTarget} {
			ways = append(ways, carrying{prefer, true, true})
		}
		ways = append(ways, carrying{prefer: evenly})
	}
	return planner.FastestOf(ways, nil, func(w carrying) (*plan.Plan, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return x.lift(ctx, w)
	})
}

// Demand reports whether the core is for a demand: its pairs differ.
func (c Core) Demand() bool { return c.traffic != nil }

// carrying is how parcels get to the circuits: by the lanes that they prefer, within islands before
// the first step (collect) and after the last (spread), or in the same steps.
type carrying struct {
	prefer          int
	collect, spread bool
}

// carrier lifts a plan for the demand of islands.
type carrier struct {
	*lifter
	demand collective.Demand
	chunks []coreChunk // of the core that have bytes
	moves  [][]move    // by chunk
	steps  [][]plan.Step
}

// coreChunk is a part of what an island has for another.
type coreChunk struct {
	from, to int
	share    float64
}

// move is a transfer of the core.
type move struct {
	stage, step, transfer int
}

// newCarrier finds out how the chunks of the core move.
func newCarrier(core *plan.Plan, c Core, f *fabric.Fabric) (*carrier, error) {
	x := &carrier{lifter: newPlacer(core, c, f), demand: c.traffic.demand}
	if err := x.placeAs(false); err != nil {
		return nil, err
	}
	x.findChunks()
	x.moves = make([][]move, len(x.chunks))
	for i := range core.Stages {
		var steps []plan.Step
		for j := range core.Stages[i].Steps {
			step := under(core.Stages[i].Steps[j], core.Collective.Space, topology.Translations{})
			step.Cost = core.Stages[i].Steps[j].Cost
			steps = append(steps, step)
			for k := range step.Base {
				for id := range step.Base[k].Chunks.All() {
					x.moves[id] = append(x.moves[id], move{i, j, k})
				}
			}
		}
		x.steps = append(x.steps, steps)
	}
	for id, moves := range x.moves {
		at := x.chunks[id].from
		for _, m := range moves {
			t := &x.steps[m.stage][m.step].Base[m.transfer]
			if t.Src != at || t.Action != collective.Copy {
				return nil, fmt.Errorf("%w: a chunk of the core that does not move as one", planner.ErrInfeasible)
			}
			at = t.Dst
		}
		if len(moves) > 0 && at != x.chunks[id].to {
			return nil, fmt.Errorf("%w: a chunk of the core that does not end where it is for", planner.ErrInfeasible)
		}
	}
	if x.count(bySource) > mostParcels {
		return nil, fmt.Errorf("%w: over %d pieces", planner.ErrInfeasible, mostParcels)
	}
	return x, nil
}

// newPlacer is a lifter that places circuits and routes, without symmetry.
func newPlacer(core *plan.Plan, c Core, f *fabric.Fabric) *lifter {
	l := &lifter{core: core, of: c, span: c.Span, fabric: f, size: core.Collective.Size, routes: map[*plan.Step][][]flow.Route{}}
	l.shares = shares{core.Collective.Space, f.Island.Size, 1}
	l.setGroup(topology.Translations{})
	return l
}

// findChunks finds out what of what an island has for another every chunk is.
func (x *carrier) findChunks() {
	space := &x.core.Collective.Space
	x.chunks = make([]coreChunk, space.Chunks())
	n := space.Nodes
	sums := make([]float64, n*n)
	for id := range x.chunks {
		c := &x.chunks[id]
		if space.Kind == collective.Listed {
			p := &space.Pieces[id]
			*c = coreChunk{p.From[0], p.To[0], p.Bytes}
		} else {
			block := id / space.Parts
			*c = coreChunk{block / n, block % n, 1}
		}
		sums[c.from*n+c.to] += c.share
	}
	for id := range x.chunks {
		c := &x.chunks[id]
		c.share /= sums[c.from*n+c.to]
	}
}

// count is how many pieces there are at most.
func (x *carrier) count(prefer int) int {
	places := x.shares.places
	each := places*places + places
	if prefer == evenly {
		each = places * places * places
	}
	return len(x.chunks) * each
}

// parcels lists what GPUs of an island have for those of another.
func (x *carrier) parcels(from, to int) []parcel {
	places := x.shares.places
	var all []parcel
	for i := range places {
		for j := range places {
			if bytes := x.demand[from*places+i][to*places+j]; bytes > 0 {
				all = append(all, parcel{i, j, float64(bytes)})
			}
		}
	}
	return all
}

// lift makes the plan of a way to carry parcels.
func (x *carrier) lift(ctx context.Context, way carrying) (*plan.Plan, error) {
	s := newScript(x.lifter, x.steps)
	places := x.shares.places
	type pair struct{ from, to int }
	known := map[pair][]lane{}
	items := map[pair][]parcel{}
	for id, c := range x.chunks {
		moves := x.moves[id]
		if len(moves) == 0 {
			continue
		}
		key := pair{c.from, c.to}
		if items[key] == nil {
			items[key] = x.parcels(c.from, c.to)
			known[key] = lanes(items[key], places, way.prefer)
		}
		source, target := c.from*places, c.to*places
		whole := len(moves) == 1 && !way.collect && !way.spread
		for k, l := range known[key] {
			p := items[key][l.item]
			if whole {
				if k == 0 || known[key][k-1].item != l.item {
					s.add(source+p.from, target+p.to, p.bytes*c.share)
				}
				s.move(moves[0], ends{p.from, p.to}, l)
				continue
			}
			s.add(source+p.from, target+p.to, p.bytes*c.share*l.share)
			at, last := p.from, p.to
			if way.collect {
				s.inside(&s.before, source+at, source+l.place)
				at = l.place
			}
			if way.spread {
				last = l.place
			}
			for h, m := range moves {
				to := l.place
				if h == len(moves)-1 {
					to = last
				}
				s.move(m, ends{at, to}, lane{l.item, l.place, 1})
				at = to
			}
			if way.spread {
				s.inside(&s.after, target+last, target+p.to)
			}
		}
	}
	s.stay(x.demand)
	return s.plan(ctx, plan.Collective{
		Op: collective.AllToAll, Algorithm: Algorithm(x.fabric, x.core.Collective.Algorithm), Size: x.demand.Size(),
		Space: collective.Space{Kind: collective.Listed, Nodes: x.fabric.Nodes, Sizes: x.demand, Pieces: s.pieces},
	})
}
