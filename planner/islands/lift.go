package islands

import (
	"context"
	"errors"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// mostItems bounds the work scheduled within islands: chunks of a core times their pieces, for
// every island that stands for others.
const mostItems = 1 << 22

// mostListed is the part of mostItems that Parts allows, since what is scheduled is also listed
// and verified.
const mostListed = mostItems / 2

// mostBoth is the number of nodes up to which a plan is lifted in both ways if possible: with
// deferred spreads, which are nearly always faster, and by shares.
const mostBoth = 64

// Lift turns a plan for a core into a plan for the fabric, for an operation of the given size. It
// divides the steps of the core into pieces as a sketch of the times advises. Its plan has no bound
// yet. Plans beyond a limit are useless; 0: none is. It returns planner.ErrBeyond if the sketch
// takes clearly longer than the limit, or if a lower bound on the steps reaches it. Plans with
// SendsParts cannot be lifted.
func Lift(ctx context.Context, core *plan.Plan, c Core, f *fabric.Fabric, size units.Bytes, limit units.Time) (*plan.Plan, error) {
	if core.Staggered() || core.Independent {
		return nil, fmt.Errorf("%w: planes of a core are those of several GPUs", planner.ErrInfeasible)
	}
	if SendsParts(core) {
		return nil, fmt.Errorf("%w: what an island contributes to a sum is no GPU's own", planner.ErrInfeasible)
	}
	if c.traffic != nil {
		return liftTraffic(ctx, core, c, f, limit)
	}
	if c.uneven != nil {
		return c.uneven.lift(ctx, core, c, f, size)
	}
	return liftWithin(ctx, core, c, f, size, limit)
}

// liftWithin is Lift for islands that are alike.
func liftWithin(ctx context.Context, core *plan.Plan, c Core, f *fabric.Fabric, size units.Bytes, limit units.Time) (*plan.Plan, error) {
	best, err := liftDeferred(ctx, core, c, f, size, limit)
	switch {
	case err == nil:
		if limit == 0 || best.Cost.Total() < limit {
			limit = best.Cost.Total()
		}
	case !errors.Is(err, planner.ErrInfeasible) && !errors.Is(err, planner.ErrBeyond):
		return nil, err
	}
	if best != nil && core.Fabric.Nodes > mostBoth {
		return best, nil
	}
	made, err := liftShares(ctx, core, c, f, size, limit)
	if best != nil && (err != nil || made.Cost.Total() >= best.Cost.Total()) {
		return best, ctx.Err()
	}
	return made, err
}

// liftShares lifts a plan such that each place has a share of all data.
func liftShares(ctx context.Context, core *plan.Plan, c Core, f *fabric.Fabric, size units.Bytes, limit units.Time) (*plan.Plan, error) {
	whole, err := newLifter(core, c, f, size)
	if err == nil {
		err = whole.checkItems()
	}
	if err != nil {
		return nil, err
	}
	if err := whole.placeAs(false); err != nil {
		return nil, err
	}
	whole.direct = whole.sendsDirectly()
	whole.cut(nil)
	var best *plan.Plan
	reason := error(nil)
	for _, delegates := range []bool{false, true} {
		if delegates && !whole.mayDelegate() {
			break
		}
		l := *whole
		l.delegates = delegates
		sketch := l.sketch()
		cuts := sketch.best(l.mostPieces()).reduced()
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if least := sketch.time(cuts); limit > 0 && core.Fabric.Nodes > fewNodes && float64(least) > float64(limit)*sketchTrust {
			reason = &planner.Beyond{Least: least}
			continue
		}
		for _, l.early = range l.whenToCollect() {
			made, err := l.cutInto(cuts)
			switch {
			case err != nil:
				reason = err
			case best == nil || made.Cost.Total() < best.Cost.Total():
				best = made
			}
		}
	}
	if phased, err := whole.inPhases(); err == nil && (best == nil || phased.Cost.Total() < best.Cost.Total()) {
		best = phased
	}
	if best == nil {
		return nil, reason
	}
	return best, nil
}

// LiftInPhases lifts a plan for a core so that islands do their part before its first step and
// after its last, and nothing while it sends.
func LiftInPhases(core *plan.Plan, c Core, f *fabric.Fabric, size units.Bytes) (*plan.Plan, error) {
	if core.Staggered() || core.Independent || SendsParts(core) || c.traffic != nil {
		return nil, fmt.Errorf("%w: planes, parts of values, or pairs that differ", planner.ErrInfeasible)
	}
	l, err := newLifter(core, c, f, size)
	if err == nil {
		err = l.checkItems()
	}
	if err == nil {
		err = l.placeAs(false)
	}
	if err != nil {
		return nil, err
	}
	return l.inPhases()
}

// inPhases makes the plan in which islands do their part before the core's first step and after
// its last. If islands have small latencies, that spares the steps of circuits the hops within
// islands.
func (l *lifter) inPhases() (*plan.Plan, error) {
	if l.core.Fabric.Nodes > mostBoth || l.of.uneven != nil {
		return nil, fmt.Errorf("%w: too many nodes, or unequal islands", planner.ErrInfeasible)
	}
	other := *l
	other.phased, other.direct, other.routes = true, false, map[*plan.Step][][]flow.Route{}
	return other.cutInto(cuts{pieces: 1, ends: make([][]int, l.steps())})
}

// steps counts the steps of the core.
func (l *lifter) steps() int {
	return each.SumBelow(len(l.core.Stages), func(i int) int { return len(l.core.Stages[i].Steps) })
}

// whenToCollect lists the values of early to try. It lists both for a reduce-scatter, whose
// islands have nothing else to do after the core's last step.
func (l *lifter) whenToCollect() []bool {
	if l.core.Collective.Op == collective.ReduceScatter && l.core.Fabric.Nodes <= mostBoth {
		return []bool{false, true}
	}
	return []bool{false}
}

// mayDelegate reports whether the root of a broadcast or a reduction may leave its share to
// others. All values must be whole.
func (l *lifter) mayDelegate() bool {
	if op := l.core.Collective.Op; op != collective.Broadcast && op != collective.RootReduce || l.shares.places < 3 || l.of.uneven != nil {
		return false
	}
	for _, step := range l.core.Steps() {
		for i := range step.Base {
			if t := &step.Base[i]; t.Action != collective.Copy && t.Action != collective.Reduce {
				return false
			}
		}
	}
	return true
}

// lifter lifts one plan.
type lifter struct {
	core      *plan.Plan
	of        Core
	span      int // of the core
	fabric    *fabric.Fabric
	size      units.Bytes
	shares    shares
	space     collective.Space      // of the GPUs
	delegates bool                  // the root has delegates, see add
	early     bool                  // see lengthen
	phased    bool                  // islands send nothing while the core sends
	direct    bool                  // a GPU's data for others goes to the circuits at once
	group     topology.Translations // of the core, one for all its steps
	lifted    topology.Translations // of the GPUs
	alike     bool                  // all places do the same; the first stands for all
	wires     []*circuits           // by stage of the core
	routes    map[*plan.Step][][]flow.Route
	slots     []*slot
	homes     []int // islands that stand for their orbits
}

// slot is a step of the plan: a step of the core or a part of one, or a step only within islands.
type slot struct {
	stage    int
	core     *plan.Step // nil: only within islands
	from, to int        // pieces
	base     []plan.Transfer
	sent     int       // the number of these that are the core's
	room     []float64 // by home, bytes that a GPU can send in its island meanwhile
	roots    float64   // the same for only the root
}

// newLifter prepares to lift the steps of a core.
func newLifter(core *plan.Plan, c Core, f *fabric.Fabric, size units.Bytes) (*lifter, error) {
	l := &lifter{core: core, of: c, span: c.Span, fabric: f, size: size, routes: map[*plan.Step][][]flow.Route{}}
	var err error
	if l.shares, err = newShares(core.Collective.Space, f.Island.Size, 1); err != nil {
		return nil, err
	}
	l.space = l.shares.space()
	l.alike = c.Span == 1 && l.shares.moves() && !core.Collective.Op.Rooted()
	l.setGroup(commonGroup(core))
	return l, nil
}

// setGroup sets the group of the core.
func (l *lifter) setGroup(group topology.Translations) {
	l.group, l.homes = group, nil
	l.lifted = lifted(l.group, l.core.Fabric.Nodes, l.shares.places, l.alike)
	for u := range l.core.Fabric.Nodes {
		if _, home := l.group.Locate(u); home == u {
			l.homes = append(l.homes, u)
		}
	}
}

// ErrTooFine says that a plan for a core has more chunks than islands can spread.
var ErrTooFine = fmt.Errorf("%w: too many chunks to spread in islands", planner.ErrInfeasible)

// Parts returns the number of chunks into which a plan for the core that lists every node's part
// may cut a node's data. With more, Lift may return ErrTooFine or take very much memory. If it is
// 0, any such plan may have that problem.
func (c Core) Parts() int { return mostListed / c.Fabric.Nodes / c.Fabric.Nodes }

// checkItems returns an error for plans with too much to schedule.
func (l *lifter) checkItems() error {
	if len(l.homes)*l.chunks() > mostItems {
		return ErrTooFine
	}
	return nil
}

// finest is the largest number of pieces into which steps are divided. Twice as many gain less
// than 1%.
const finest = 32

// mostCutItems limits the pieces of chunks, counted for every island that stands for others: with
// up to mostBoth nodes (true) and with more (false). The time to verify a plan grows with them.
var mostCutItems = map[bool]int{true: 1 << 21, false: 1 << 15}

// mostPieces returns the number of pieces into which the steps of the core can be divided.
func (l *lifter) mostPieces() int {
	most, few := 1, l.core.Fabric.Nodes <= mostBoth
	for most < finest && len(l.homes)*l.chunks()*most*2 <= mostCutItems[few] && l.shares.core.Parts*l.shares.places*most*2 <= collective.MaxParts {
		most *= 2
	}
	return most
}

// inPieces returns a lifter for some cuts.
func (l *lifter) inPieces(cuts cuts) (*lifter, error) {
	other := *l
	var err error
	if other.shares, err = newShares(l.core.Collective.Space, l.shares.places, cuts.pieces); err != nil {
		return nil, err
	}
	other.space, other.slots = other.shares.space(), nil
	return &other, nil
}

// cutInto makes the plan with some cuts.
func (l *lifter) cutInto(cuts cuts) (*plan.Plan, error) {
	other, err := l.inPieces(cuts)
	if err != nil {
		return nil, err
	}
	l = other
	l.cut(&cuts)
	l.schedule()
	return l.plan()
}

// chunks returns the number of chunks of the core that an island may have to collect or spread.
func (l *lifter) chunks() int {
	if l.core.Collective.Op == collective.AllToAll {
		return l.core.Fabric.Nodes * l.core.Collective.Space.Parts
	}
	return l.core.Collective.Space.Chunks()
}

// placeAs places the circuits of every stage or, for a plan that is lifted backwards, those of
// the plan that it comes from. Stages with the same circuits have the same places. If switches
// cannot set up circuits that are placed in the same way on all islands, placeAs assigns ports
// one by one.
func (l *lifter) placeAs(back bool) error {
	if l.of.wire != nil {
		l.setGroup(topology.Translations{})
		if err := l.checkItems(); err != nil {
			return err
		}
		return l.placeBy(func(g *topology.Graph) (*circuits, error) {
			return l.of.wire.place(g, Core{Span: l.span}.place(g, l.group, l.fabric))
		}, back)
	}
	if l.of.on != nil {
		l.setGroup(topology.Translations{})
		if err := l.checkItems(); err != nil {
			return err
		}
		return l.placeBy(func(g *topology.Graph) (*circuits, error) { return l.of.on.place(g, l.fabric.Island.Size) }, back)
	}
	alike := func(g *topology.Graph) (*circuits, error) { return l.of.place(g, l.group, l.fabric), nil }
	if err := l.placeBy(alike, back); err != nil || l.fits() == nil || l.span != l.fabric.Island.Size {
		return err
	}
	l.setGroup(topology.Translations{})
	if err := l.checkItems(); err != nil {
		return err
	}
	return l.placeBy(func(g *topology.Graph) (*circuits, error) { return assigned(g, l.fabric) }, back)
}

// fits returns why switches cannot set up the circuits of some stage, or nil.
func (l *lifter) fits() error {
	for i, c := range l.wires {
		if err := l.fabric.Fits(c.graph); err != nil {
			return fmt.Errorf("%w: stage %d: %w", planner.ErrInfeasible, i+1, err)
		}
	}
	return nil
}

// placeBy is placeAs with one way to place circuits.
func (l *lifter) placeBy(place func(g *topology.Graph) (*circuits, error), back bool) error {
	l.wires = nil
	for i := range l.core.Stages {
		g := l.core.Stages[i].Topology
		var made *circuits
		for _, other := range l.wires {
			if other.core == g || other.core.Equal(g) {
				made = other
				break
			}
		}
		if made == nil {
			if back {
				g = g.Transpose(g.Name())
			}
			var err error
			if made, err = place(g); err != nil {
				return err
			}
			if back {
				made = made.transposed()
			}
		}
		l.wires = append(l.wires, made)
	}
	return nil
}

// cut lays out the slots and makes the transfers of the core.
func (l *lifter) cut(cuts *cuts) {
	l.layOut(cuts)
	for _, s := range l.slots {
		if s.core != nil {
			l.carry(s)
			s.sent = len(s.base)
			l.left(s, l.bytes(s.core.Cost.Transmission*units.Time(s.to-s.from)/units.Time(l.shares.pieces)))
		}
	}
}

// layOut lists the slots: the steps of the core, in pieces, and steps only within islands while
// circuits change, before the first step and after the last.
func (l *lifter) layOut(cuts *cuts) {
	pieces := l.shares.pieces
	l.slots = append(l.slots, l.idle(0, l.core.Stages[0].Reconfiguration))
	count := 0
	for i := range l.core.Stages {
		stage := &l.core.Stages[i]
		if i > 0 && stage.Reconfiguration > 0 {
			l.slots = append(l.slots, l.idle(i, stage.Reconfiguration))
		}
		for j := range stage.Steps {
			ends := []int{pieces}
			if cuts != nil && cuts.ends[count] != nil {
				ends = cuts.ends[count]
			}
			from := 0
			for _, to := range ends {
				l.slots = append(l.slots, &slot{stage: i, core: &stage.Steps[j], from: from, to: to})
				from = to
			}
			count++
		}
	}
	l.slots = append(l.slots, l.idle(len(l.core.Stages)-1, 0))
}

// idle returns a slot in which no step of the core sends: circuits change, or none is needed.
func (l *lifter) idle(stage int, wait units.Time) *slot {
	s := &slot{stage: stage, to: l.shares.pieces, room: l.spare(wait)}
	s.roots = s.room[0]
	return s
}

// bytes returns how much a GPU sends in its island in a given time.
func (l *lifter) bytes(time units.Time) float64 {
	return max(0, float64(time)) / float64(l.fabric.Island.Bandwidth.Transmit(1))
}

// spare returns, by home, the bytes that a GPU can send in its island while circuits change.
func (l *lifter) spare(wait units.Time) []float64 {
	room := make([]float64, len(l.homes))
	wait -= l.fabric.IslandAlpha().Time() + l.fabric.IslandDelta().Time()
	for i := range room {
		room[i] = l.bytes(wait)
	}
	return room
}

// plan makes the plan from the slots.
func (l *lifter) plan() (*plan.Plan, error) {
	made := &plan.Plan{
		Fabric: *l.fabric, Provenance: l.core.Provenance,
		Collective: plan.Collective{
			Op: l.core.Collective.Op, Algorithm: Algorithm(l.fabric, l.core.Collective.Algorithm), Size: l.size, Space: l.space,
		},
		Stages: make([]plan.Stage, len(l.core.Stages)),
	}
	made.Slots, made.Synthesis = 0, nil // these are the core's
	for i := range made.Stages {
		made.Stages[i].Topology = l.wires[i].graph
	}
	if err := l.fits(); err != nil {
		return nil, err
	}
	for _, s := range l.slots {
		if len(s.base) > 0 {
			stage := &made.Stages[s.stage]
			stage.Steps = append(stage.Steps, plan.Step{Group: l.lifted, Base: s.base})
		}
	}
	if err := made.Price(); err != nil {
		return nil, fmt.Errorf("islands: %w", err)
	}
	return made, nil
}

// Algorithm returns the name of the algorithm that Lift makes from one for the core.
func Algorithm(f *fabric.Fabric, core string) string {
	return fmt.Sprintf("%s:%d/%s", collective.OnIslands, f.Island.Size, core)
}

// hop returns a route of one hop within an island.
func hop(u, v int) []flow.Route {
	return []flow.Route{{Path: []int32{int32(u), int32(v)}, Share: 1}}
}
