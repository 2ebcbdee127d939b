package islands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// mostParcels bounds the pieces of a plan for a demand with different amounts.
const mostParcels = 1 << 18

// fewParcels is the number of pieces up to which all ways to divide them are tried.
const fewParcels = 1 << 13

// liftDemand lifts a plan for the demand between islands. The data of one island's GPUs for
// another island's GPUs is divided evenly over the places of the islands, and each place's part
// takes the circuits that the core uses. It reaches these circuits through the island, in the
// same step or before all other steps, and reaches its destinations in the same way, in the same
// step or after all others. Data that stays within an island is sent while circuits send or
// change. liftDemand makes no plan of a way to carry parcels that takes no less than the limit or
// than another way.
func liftDemand(ctx context.Context, core *plan.Plan, c Core, f *fabric.Fabric, limit units.Time) (*plan.Plan, error) {
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
	type sketched struct {
		way   int
		least units.Time
	}
	var order []sketched
	for i, w := range ways {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		order = append(order, sketched{way: i, least: x.least(w)})
	}
	slices.SortStableFunc(order, func(a, b sketched) int { return cmp.Compare(a.least, b.least) })
	var best *plan.Plan
	first := 0 // the index of the best way
	reason := error(&planner.Beyond{Least: order[0].least})
	for _, o := range order {
		if limit > 0 && o.least >= limit*(1-sameTime) {
			break // later ways are no better
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		made, err := x.lift(ctx, ways[o.way])
		switch {
		case errors.Is(err, planner.ErrInfeasible):
			reason = err
			continue
		case err != nil:
			return nil, err
		}
		total := made.Cost.Total()
		if best == nil || total < best.Cost.Total() || total == best.Cost.Total() && o.way < first {
			best, first = made, o.way
		}
		if limit == 0 || total < limit {
			limit = total
		}
	}
	if best == nil {
		return nil, reason
	}
	return best, nil
}

// Demand reports whether the core is for a demand, in which pairs have different amounts.
func (c Core) Demand() bool { return c.traffic != nil }

// carrying says how parcels get to and from the circuits: which lanes they prefer, and whether
// they move within islands before the first step (collect) and after the last (spread) or in the
// steps of the core.
type carrying struct {
	prefer          int
	collect, spread bool
}

// carrier lifts a plan for the demand of islands.
type carrier struct {
	*lifter
	demand    collective.Demand
	chunks    []coreChunk // of the core's plan
	moves     [][]move    // by chunk
	steps     [][]plan.Step
	transfers [][]int                 // by stage and step: the number of transfers before its own
	items     map[pair][]parcel       // by pair of nodes of the core
	divided   map[dividing][]lane     // the same, divided over places
	crossings []map[[2]int32][][]part // by stage
	known     map[int]*taken          // routes, by everything that they depend on
}

// pair is two nodes of the core.
type pair struct{ from, to int }

// dividing is everything that lanes depend on.
type dividing struct {
	pair
	prefer int
}

// porter receives the movement of parcels: each piece, followed by its moves.
type porter interface {
	// add begins a piece.
	add(from, to int, bytes float64)
	// move says that a share of the last piece makes a move of the core by a lane.
	move(m move, at ends, l lane)
	// early says that the last piece is sent within an island before all moves of the core; late,
	// after them.
	early(from, to int)
	late(from, to int)
}

// coreChunk is a part of an island's data for another island.
type coreChunk struct {
	from, to int
	share    float64
}

// move is a transfer of the core.
type move struct {
	stage, step, transfer int
}

// newCarrier determines how the chunks of the core move.
func newCarrier(core *plan.Plan, c Core, f *fabric.Fabric) (*carrier, error) {
	x := &carrier{lifter: newPlacer(core, c, f), demand: c.traffic.demand, items: map[pair][]parcel{}, divided: map[dividing][]lane{}, known: map[int]*taken{}}
	if err := x.placeAs(false); err != nil {
		return nil, err
	}
	x.findChunks()
	x.moves = make([][]move, len(x.chunks))
	count := 0
	for i := range core.Stages {
		var steps []plan.Step
		var before []int
		for j := range core.Stages[i].Steps {
			step := under(core.Stages[i].Steps[j], core.Collective.Space, topology.Translations{})
			step.Cost = core.Stages[i].Steps[j].Cost
			steps, before = append(steps, step), append(before, count)
			count += len(step.Base)
			for k := range step.Base {
				for id := range step.Base[k].Chunks.All() {
					x.moves[id] = append(x.moves[id], move{i, j, k})
				}
			}
		}
		x.steps, x.transfers, x.crossings = append(x.steps, steps), append(x.transfers, before), append(x.crossings, map[[2]int32][][]part{})
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

// newPlacer returns a lifter that places circuits and routes without symmetry.
func newPlacer(core *plan.Plan, c Core, f *fabric.Fabric) *lifter {
	l := &lifter{core: core, of: c, span: c.Span, fabric: f, size: core.Collective.Size, routes: map[*plan.Step][][]flow.Route{}}
	l.shares = shares{core.Collective.Space, f.Island.Size, 1}
	l.setGroup(topology.Translations{})
	return l
}

// findChunks determines which part of an island's data for another island every chunk is.
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

// count returns an upper bound on the number of pieces.
func (x *carrier) count(prefer int) int {
	places := x.shares.places
	each := places*places + places
	if prefer == evenly {
		each = places * places * places
	}
	return len(x.chunks) * each
}

// parcels lists the data of one island's GPUs for those of another.
func (x *carrier) parcels(of pair) []parcel {
	if all, ok := x.items[of]; ok {
		return all
	}
	places := x.shares.places
	var all []parcel
	for i := range places {
		for j := range places {
			if bytes := x.demand[of.from*places+i][of.to*places+j]; bytes > 0 {
				all = append(all, parcel{i, j, float64(bytes)})
			}
		}
	}
	x.items[of] = all
	return all
}

// lanes divides the data of one island's GPUs for those of another over the places.
func (x *carrier) lanes(of dividing) []lane {
	all, ok := x.divided[of]
	if !ok {
		all = lanes(x.parcels(of.pair), x.shares.places, of.prefer)
		x.divided[of] = all
	}
	return all
}

// tell tells a porter how parcels move in a way to carry them.
func (x *carrier) tell(way carrying, by porter) {
	places := x.shares.places
	for id, c := range x.chunks {
		moves := x.moves[id]
		if len(moves) == 0 {
			continue
		}
		of := pair{c.from, c.to}
		items, divided := x.parcels(of), x.lanes(dividing{of, way.prefer})
		source, target := c.from*places, c.to*places
		whole := len(moves) == 1 && !way.collect && !way.spread
		for k, l := range divided {
			p := items[l.item]
			if whole {
				if k == 0 || divided[k-1].item != l.item {
					by.add(source+p.from, target+p.to, p.bytes*c.share)
				}
				by.move(moves[0], ends{p.from, p.to}, l)
				continue
			}
			by.add(source+p.from, target+p.to, p.bytes*c.share*l.share)
			at, last := p.from, p.to
			if way.collect {
				by.early(source+at, source+l.place)
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
				by.move(m, ends{at, to}, lane{l.item, l.place, 1})
				at = to
			}
			if way.spread {
				by.late(target+last, target+p.to)
			}
		}
	}
}

// lift makes the plan for a way to carry parcels.
func (x *carrier) lift(ctx context.Context, way carrying) (*plan.Plan, error) {
	s := newScript(x)
	x.tell(way, s)
	s.stay(x.demand)
	return s.plan(ctx, plan.Collective{
		Op: collective.AllToAll, Algorithm: Algorithm(x.fabric, x.core.Collective.Algorithm), Size: x.demand.Size(),
		Space: collective.Space{Kind: collective.Listed, Nodes: x.fabric.Nodes, Sizes: x.demand, Pieces: s.pieces},
	})
}
