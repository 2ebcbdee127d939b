package islands

import (
	"context"
	"errors"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// mostPieces is into how many pieces a step of the core is divided at most.
const mostPieces = 64

// mostItems bounds what is scheduled within the islands: chunks of a core times their pieces, for
// every island that differs.
const mostItems = 1 << 22

// Lift turns a plan for a core into one for the fabric, of an operation of the given size: the
// fastest of several numbers of pieces into which the first and the last step are divided.
func Lift(ctx context.Context, core *plan.Plan, c Core, f *fabric.Fabric, size units.Bytes) (*plan.Plan, error) {
	if core.Staggered() || core.Independent {
		return nil, fmt.Errorf("%w: planes of a core are those of several GPUs", planner.ErrInfeasible)
	}
	var best *plan.Plan
	for pieces := 1; pieces <= mostPieces; pieces *= 2 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var made *plan.Plan
		l, err := newLifter(core, c, f, size, pieces)
		if err == nil {
			l.schedule()
			made, err = l.plan()
		}
		switch {
		case err == nil && (best == nil || made.Cost.Total() < best.Cost.Total()):
			best = made
		case best != nil && (err == nil || errors.Is(err, planner.ErrInfeasible)):
			return best, nil // more pieces take longer, or there are too many
		case err != nil:
			return nil, err
		}
	}
	return best, nil
}

// lifter makes one plan.
type lifter struct {
	core   *plan.Plan
	span   int
	fabric *fabric.Fabric
	size   units.Bytes
	shares shares
	space  collective.Space      // of the GPUs
	group  topology.Translations // of the core, one for all its steps
	lifted topology.Translations // of the GPUs
	alike  bool                  // all places of an island do the same: the first stands for them
	wires  []*circuits           // by stage of the core
	slots  []*slot
	homes  []int // islands that stand for others
}

// slot is a step of the plan: one of the core or a part of it, or one within the islands alone.
type slot struct {
	stage    int
	core     *plan.Step // nil: within the islands alone
	from, to int        // pieces
	base     []plan.Transfer
	room     []float64 // by home, the bytes that a GPU can send in its island meanwhile
}

func newLifter(core *plan.Plan, c Core, f *fabric.Fabric, size units.Bytes, pieces int) (*lifter, error) {
	places := f.Island.Size
	l := &lifter{core: core, span: c.Span, fabric: f, size: size}
	var err error
	if l.shares, err = newShares(core.Collective.Space, places, pieces); err != nil {
		return nil, err
	}
	l.space = l.shares.space()
	l.group = commonGroup(core)
	l.alike = c.Span == 1 && l.shares.moves() && !core.Collective.Op.Rooted()
	l.lifted = lifted(l.group, core.Fabric.Nodes, places, l.alike)
	for u := range core.Fabric.Nodes {
		if _, home := l.group.Locate(u); home == u {
			l.homes = append(l.homes, u)
		}
	}
	if len(l.homes)*l.chunks()*pieces > mostItems {
		return nil, fmt.Errorf("%w: too many chunks to spread in islands", planner.ErrInfeasible)
	}
	l.place()
	l.cut(pieces)
	return l, nil
}

// chunks counts the chunks of the core that an island may have to collect or spread.
func (l *lifter) chunks() int {
	if l.core.Collective.Op == collective.AllToAll {
		return l.core.Fabric.Nodes * l.core.Collective.Space.Parts
	}
	return l.core.Collective.Space.Chunks()
}

// place places the circuits of every stage. Stages with the same circuits have the same places.
func (l *lifter) place() {
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
			made = place(g, l.group, l.fabric.Duplex, l.fabric.Island.Size, l.span, l.fabric.Ports)
		}
		l.wires = append(l.wires, made)
	}
}

// cut lays the slots out: the steps of the core, the first and the last in pieces, and between
// them steps within the islands where circuits change, before the first and after the last.
func (l *lifter) cut(pieces int) {
	last := l.core.CountSteps()
	l.slots = append(l.slots, &slot{stage: 0, to: pieces, room: l.spare(l.core.Stages[0].Reconfiguration)})
	count := 0
	for i := range l.core.Stages {
		stage := &l.core.Stages[i]
		if i > 0 && stage.Reconfiguration > 0 {
			l.slots = append(l.slots, &slot{stage: i, to: pieces, room: l.spare(stage.Reconfiguration)})
		}
		for j := range stage.Steps {
			step := &stage.Steps[j]
			width := pieces
			if count++; count == 1 || count == last {
				width = 1
			}
			for from := 0; from < pieces; from += width {
				s := &slot{stage: i, core: step, from: from, to: from + width}
				l.carry(s)
				sends := step.Cost.Transmission * units.Time(width) / units.Time(pieces)
				s.room = l.left(s, l.bytes(sends))
				l.slots = append(l.slots, s)
			}
		}
	}
	l.slots = append(l.slots, &slot{stage: len(l.core.Stages) - 1, to: pieces, room: make([]float64, len(l.homes))})
}

// bytes is what a GPU sends in its island in some time.
func (l *lifter) bytes(time units.Time) float64 {
	return max(0, float64(time)) / float64(l.fabric.Island.Bandwidth.Transmit(1))
}

// spare is what the GPUs of every home can send in their islands while circuits change.
func (l *lifter) spare(wait units.Time) []float64 {
	room := make([]float64, len(l.homes))
	wait -= l.fabric.IslandAlpha().Time() + l.fabric.IslandDelta().Time()
	for i := range room {
		room[i] = l.bytes(wait)
	}
	return room
}

// carry makes the transfers of a step of the core.
func (l *lifter) carry(s *slot) {
	step := *s.core
	if !step.Group.Equal(l.group) {
		step = under(step, l.core.Collective.Space, l.group)
	}
	places := l.shares.places
	if l.alike {
		places = 1
	}
	crossings := map[[2]int32][][]part{}
	for i := range step.Base {
		t := &step.Base[i]
		for p := range places {
			lifted := plan.Transfer{Transfer: t.Transfer}
			lifted.Src, lifted.Dst = t.Src*l.shares.places+p, t.Dst*l.shares.places+p
			lifted.Chunks = l.shares.of(t.Chunks, p, s.from, s.to)
			lifted.Routes = l.wires[s.stage].routes(t.Routes, crossings, l.shares.places, l.span, p)
			s.base = append(s.base, lifted)
		}
	}
}

// left is what GPUs can send in their islands beside the hops of the core's routes there.
func (l *lifter) left(s *slot, bytes float64) []float64 {
	size := l.shares.places
	enter, leave := map[int]float64{}, map[int]float64{}
	total := float64(l.size)
	for i := range s.base {
		t := &s.base[i]
		amount := l.space.Bytes(total, t.Chunks)
		for _, r := range t.Routes {
			for h := 1; h < len(r.Path); h++ {
				u, v := int(r.Path[h-1]), int(r.Path[h])
				if u/size == v/size {
					_, from := l.lifted.Locate(u)
					_, to := l.lifted.Locate(v)
					enter[from] += r.Share * amount
					leave[to] += r.Share * amount
				}
			}
		}
	}
	room := make([]float64, len(l.homes))
	for i, home := range l.homes {
		most := 0.0
		for p := range size {
			most = max(most, enter[home*size+p], leave[home*size+p])
		}
		room[i] = max(0, bytes-most)
	}
	return room
}

// plan puts the slots together.
func (l *lifter) plan() (*plan.Plan, error) {
	made := &plan.Plan{
		Fabric: *l.fabric, Provenance: l.core.Provenance,
		Collective: plan.Collective{
			Op: l.core.Collective.Op, Algorithm: Algorithm(l.fabric, l.core.Collective.Algorithm), Size: l.size, Space: l.space,
		},
		Stages: make([]plan.Stage, len(l.core.Stages)),
	}
	made.Slots, made.Synthesis = 0, nil // of the core
	for i := range made.Stages {
		made.Stages[i].Topology = l.wires[i].graph
		if err := l.fabric.Fits(made.Stages[i].Topology); err != nil {
			return nil, fmt.Errorf("%w: stage %d: %w", planner.ErrInfeasible, i+1, err)
		}
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
	made.Bound = min(made.OperationBound().Total(), made.Cost.Total())
	return made, nil
}

// Algorithm is the name of what Lift makes of the steps of an algorithm.
func Algorithm(f *fabric.Fabric, core string) string {
	return fmt.Sprintf("islands:%d/%s", f.Island.Size, core)
}

// hop is a route within an island.
func hop(u, v int) []flow.Route {
	return []flow.Route{{Path: []int32{int32(u), int32(v)}, Share: 1}}
}
