package islands

import (
	"context"
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

// errNotDeferred says why a core's plan cannot be lifted with deferred spreads.
var errNotDeferred = fmt.Errorf("%w: the core's plan is no tree of single circuits for every chunk", planner.ErrInfeasible)

// deferredLifter lifts allgathers in another way than lifter: data that arrives by a circuit stays
// with the GPU where the circuit ends until the island spreads it. So no hop follows a circuit, and
// once a chunk is spread, the GPU with the next circuit sends it on at once without a hop before.
// In return, each node must get every chunk exactly once, over single circuits.
type deferredLifter struct {
	*lifter
	states []pieceState // by home, chunk and piece
	number map[int]int
	fail   error
}

// pieceState is where a piece of a core's chunk is on an island.
type pieceState struct {
	places []int8 // by share, the place that has it; nil: no place has
	since  int    // the slot that brought it; -1: present from the start
	spread int    // the slot that spreads it to all places; or never
}

const never = 1 << 30

// half is the reductions or the copies of a plan for a core, written as an allgather.
type half struct {
	whole *lifter
	back  bool // lifted backwards
}

// liftDeferred lifts an allgather, a reduce-scatter or an allreduce whose reductions all come
// before its copies. It lifts reductions as allgathers that run backwards.
func liftDeferred(ctx context.Context, core *plan.Plan, c Core, f *fabric.Fabric, size units.Bytes, limit units.Time) (*plan.Plan, error) {
	op := core.Collective.Op
	if c.Span != f.Island.Size || core.Collective.Space.Kind != collective.Blocks ||
		op != collective.AllGather && op != collective.ReduceScatter && op != collective.AllReduce {
		return nil, errNotDeferred
	}
	reduces, copies, ok := halves(core)
	if !ok || (op == collective.AllReduce) != (len(reduces) > 0 && len(copies) > 0) {
		return nil, errNotDeferred
	}
	var both []half
	least, pieces := units.Time(0), 0
	for i, stages := range [][]plan.Stage{reduces, copies} {
		if len(stages) == 0 {
			continue
		}
		h, err := newHalf(core, stages, i == 0, c, f, size)
		if err != nil {
			return nil, err
		}
		both = append(both, h)
		if most := h.whole.mostPieces(); pieces == 0 || most < pieces {
			pieces = most
		}
	}
	var best *plan.Plan
	for _, ahead := range []bool{true, false} {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !ahead && best != nil && core.Fabric.Nodes > mostBoth {
			break
		}
		all := cuts{pieces: pieces}
		least = 0
		for _, h := range both {
			x := h.whole.sketch()
			if ahead { // all parts of a step except the first find their chunks spread
				x.again = float64((f.Alpha + f.Delta).Time())
			}
			found := x.best(pieces)
			least += x.time(found)
			all.ends = append(all.ends, found.ends...)
		}
		if limit > 0 && float64(least) > float64(limit)*sketchTrust {
			continue
		}
		made, err := joinHalves(core, both, all.reduced())
		if err != nil {
			return nil, err
		}
		if best == nil || made.Cost.Total() < best.Cost.Total() {
			best = made
		}
		if total := best.Cost.Total(); limit == 0 || total < limit {
			limit = total
		}
	}
	if best == nil {
		return nil, &planner.Beyond{Least: least}
	}
	return best, nil
}

// newHalf lifts some stages of a core's plan with undivided steps.
func newHalf(core *plan.Plan, stages []plan.Stage, back bool, c Core, f *fabric.Fabric, size units.Bytes) (half, error) {
	h := half{back: back}
	part := *core
	part.Collective.Op, part.Stages = collective.AllGather, stages
	if back {
		graphs := make([]*topology.Graph, len(stages))
		for i := range stages {
			graphs[i] = stages[i].Topology.Transpose(stages[i].Topology.Name())
		}
		part.Stages = backward(stages, graphs, collective.Copy)
	} else {
		part.Stages = slices.Clone(stages)
	}
	if err := part.Price(); err != nil {
		return h, fmt.Errorf("islands: %w", err)
	}
	var err error
	if h.whole, err = newLifter(&part, c, f, size); err != nil {
		return h, err
	}
	h.whole.setGroup(commonGroup(core))
	if err := h.whole.checkItems(); err != nil {
		return h, err
	}
	if err := h.whole.placeAs(back); err != nil {
		return h, err
	}
	return h, (&deferredLifter{lifter: h.whole}).run(nil)
}

// joinHalves makes the plan of both halves, with cuts for all their steps.
func joinHalves(core *plan.Plan, both []half, all cuts) (*plan.Plan, error) {
	var stages []plan.Stage
	var last *plan.Plan
	for _, h := range both {
		steps := h.whole.core.CountSteps()
		own := cuts{all.pieces, all.ends[:steps]}
		all.ends = all.ends[steps:]
		l, err := h.whole.inPieces(own)
		if err != nil {
			return nil, err
		}
		if err := (&deferredLifter{lifter: l}).run(&own); err != nil {
			return nil, err
		}
		if last, err = l.plan(); err != nil {
			return nil, err
		}
		more := last.Stages
		if h.back {
			graphs := make([]*topology.Graph, len(more))
			for i := range more {
				graphs[i] = more[i].Topology.Transpose(more[i].Topology.Name())
			}
			more = backward(more, graphs, collective.Reduce)
		}
		if n := len(stages); n > 0 && stages[n-1].Topology.Equal(more[0].Topology) {
			stages[n-1].Steps = append(stages[n-1].Steps, more[0].Steps...)
			more = more[1:]
		}
		stages = append(stages, more...)
	}
	last.Stages = stages
	last.Collective.Op = core.Collective.Op
	for i := range stages {
		if err := last.Fabric.Fits(stages[i].Topology); err != nil {
			return nil, fmt.Errorf("%w: stage %d: %w", planner.ErrInfeasible, i+1, err)
		}
	}
	if err := last.Price(); err != nil {
		return nil, fmt.Errorf("islands: %w", err)
	}
	return last, nil
}

// run lays out the slots with some cuts and fills them.
func (l *deferredLifter) run(cuts *cuts) error {
	pieces, chunks := l.shares.pieces, l.chunks()
	own := make([]int8, l.shares.places)
	for p := range own {
		own[p] = int8(p)
	}
	l.states = make([]pieceState, len(l.homes)*chunks*pieces)
	parts := l.shares.core.Parts
	for i := range l.states {
		l.states[i] = pieceState{since: -1, spread: never}
		if home := l.homes[i/(chunks*pieces)]; i/pieces%chunks/parts == home {
			l.states[i].places = own
		}
	}
	l.slots, l.number = nil, map[int]int{}
	for i, home := range l.homes {
		l.number[home] = i
	}
	l.layOut(cuts)
	for number, s := range l.slots {
		if s.core != nil {
			l.send(s, number)
			s.sent = len(s.base)
		}
		if l.fail != nil {
			return l.fail
		}
		l.spreadIn(s, number)
	}
	for i := range l.states {
		if l.states[i].places == nil {
			return errNotDeferred
		}
	}
	return nil
}

// at returns the states of a chunk's pieces on a node.
func (l *deferredLifter) at(node, chunk int) []pieceState {
	k, home := l.group.Locate(node)
	if k != 0 {
		chunk = l.core.Collective.Space.Move(l.group, l.group.Inverse(k), chunk)
	}
	at := (l.number[home]*l.chunks() + chunk) * l.shares.pieces
	return l.states[at : at+l.shares.pieces]
}

// send makes the transfers of a step of the core.
func (l *deferredLifter) send(s *slot, number int) {
	step := *s.core
	if !step.Group.Equal(l.group) {
		step = under(step, l.core.Collective.Space, l.group)
	}
	type arrival struct {
		at     []pieceState
		places []int8
	}
	var arrivals []arrival
	circuits := map[[2]int][]part{}
	for i := range step.Base {
		t := &step.Base[i]
		if len(t.Routes) != 1 || len(t.Routes[0].Path) != 2 || t.Action != collective.Copy || t.Part != "" {
			l.fail = errNotDeferred
			return
		}
		key := [2]int{t.Src, t.Dst}
		if circuits[key] == nil {
			circuits[key] = l.singleCircuits(t.Src, t.Dst, s.stage)
			if circuits[key] == nil {
				l.fail = errNotDeferred
				return
			}
		}
		over := circuits[key]
		places := make([]int8, len(over))
		for p := range over {
			places[p] = int8(over[p].to)
		}
		sets := sourceSets{}
		for c := range t.Chunks.All() {
			from := l.at(t.Src, c)[s.from:s.to]
			everywhere := true
			for i := range from {
				if from[i].places == nil || from[i].since >= number {
					l.fail = errNotDeferred
					return
				}
				everywhere = everywhere && from[i].spread < number
			}
			if everywhere {
				sets.add(nil, c)
			} else {
				sets.add(from[0].places, c)
			}
			to := l.at(t.Dst, c)[s.from:s.to]
			for i := range to {
				if to[i].places != nil {
					l.fail = errNotDeferred
					return
				}
			}
			arrivals = append(arrivals, arrival{to, places})
		}
		l.carryDeferred(s, t, over, sets)
	}
	for _, a := range arrivals {
		for x := range a.at {
			if a.at[x].places != nil {
				l.fail = errNotDeferred
				return
			}
			a.at[x].places, a.at[x].since = a.places, number
		}
	}
}

// sourceSets groups chunks by where their shares are: at the same places, or everywhere (nil).
type sourceSets []sourceSet

type sourceSet struct {
	places []int8
	chunks []int
}

// add adds a chunk to the set of its places.
func (s *sourceSets) add(places []int8, chunk int) {
	for i := range *s {
		set := &(*s)[i]
		if (set.places == nil) == (places == nil) && (places == nil || &set.places[0] == &places[0]) {
			set.chunks = append(set.chunks, chunk)
			return
		}
	}
	*s = append(*s, sourceSet{places, []int{chunk}})
}

// carryDeferred makes the transfers of data at places of the source: one for all shares that are at
// the same place and take the same circuit.
func (l *deferredLifter) carryDeferred(s *slot, t *plan.Transfer, over []part, sets sourceSets) {
	size := l.shares.places
	known := map[[2]int]int{} // source and circuit: number of the transfer
	for _, set := range sets {
		packed := collective.Of(set.chunks)
		for p := range over {
			circuit := over[p].ends
			source := circuit.from
			if set.places != nil {
				source = int(set.places[p])
			}
			chunks := l.shares.of(packed, p, s.from, s.to)
			way := [2]int{source, circuit.from*size + circuit.to}
			if at, ok := known[way]; ok {
				s.base[at].Chunks = append(s.base[at].Chunks, chunks...)
				continue
			}
			lifted := plan.Transfer{Transfer: t.Transfer}
			lifted.Src, lifted.Dst, lifted.Chunks = t.Src*size+source, t.Dst*size+circuit.to, chunks
			path := []int32{int32(lifted.Src)}
			if source != circuit.from {
				path = append(path, int32(t.Src*size+circuit.from))
			}
			lifted.Routes = []flow.Route{{Path: append(path, int32(lifted.Dst)), Share: 1}}
			known[way] = len(s.base)
			s.base = append(s.base, lifted)
		}
	}
}

// singleCircuits returns the circuit that each share takes between two nodes; nil if some share
// takes several.
func (l *deferredLifter) singleCircuits(from, to, stage int) []part {
	rows := l.wires[stage].crossing(l.span, from, to)
	over := make([]part, len(rows))
	for p, row := range rows {
		if len(row) != 1 {
			return nil
		}
		over[p] = row[0]
	}
	return over
}
