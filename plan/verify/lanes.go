package verify

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// shareTolerance is how far the sum of a step's lane shares may be from 1, and a route's share
// from that of its lanes. The rounding of a sum of one float64 per port is far below it.
const shareTolerance = 1e-9

// checkLanes checks the form of a plan whose planes reconfigure independently. Every stage is
// one step and says what every plane does; a plane has at most one circuit from and one to
// every GPU; the lanes together are the stage's circuits; and shares add up to 1.
func checkLanes(p *plan.Plan) error {
	staggered := 0
	for i := range p.Stages {
		if p.Stages[i].Lanes != nil {
			staggered++
		}
	}
	if staggered == 0 {
		return nil
	}
	if err := p.Fabric.CanStagger(); err != nil {
		return fmt.Errorf("lanes: %w", err)
	}
	if staggered < len(p.Stages) {
		return fmt.Errorf("lanes: only %d of %d stages say what every plane does", staggered, len(p.Stages))
	}
	for i := range p.Stages {
		if err := checkLanesOf(p, &p.Stages[i]); err != nil {
			return fmt.Errorf("stage %d: lanes: %w", i+1, err)
		}
	}
	return nil
}

func checkLanesOf(p *plan.Plan, stage *plan.Stage) error {
	switch {
	case len(stage.Steps) != 1:
		return fmt.Errorf("%d steps; want one", len(stage.Steps))
	case len(stage.Lanes) != p.Fabric.Ports:
		return fmt.Errorf("%d lanes; want one for each of %d ports", len(stage.Lanes), p.Fabric.Ports)
	}
	sum := 0.0
	all := map[[2]int]int{}
	for k, lane := range stage.Lanes {
		if (lane.Circuits == nil) != (lane.Share == 0) || !(lane.Share >= 0 && lane.Share <= 1+shareTolerance) {
			return fmt.Errorf("plane %d: a share of %v; want one in 0..1, above 0 where there are circuits", k+1, lane.Share)
		}
		sum += lane.Share
		if lane.Circuits == nil {
			continue
		}
		if lane.Circuits.Nodes() != p.Fabric.Nodes {
			return fmt.Errorf("plane %d: circuits of %d GPUs; want %d", k+1, lane.Circuits.Nodes(), p.Fabric.Nodes)
		}
		from, to := make([]int, p.Fabric.Nodes), make([]int, p.Fabric.Nodes)
		for e := range lane.Circuits.Edges() {
			from[e.From] += e.Count
			to[e.To] += e.Count
			if from[e.From] > 1 || to[e.To] > 1 {
				return fmt.Errorf("plane %d: circuit %d->%d where a port is taken already", k+1, e.From, e.To)
			}
			if p.Fabric.Duplex && lane.Circuits.Count(e.To, e.From) != e.Count {
				return fmt.Errorf("plane %d: circuit %d->%d is not two-way", k+1, e.From, e.To)
			}
			all[[2]int{e.From, e.To}] += e.Count
		}
	}
	if !(math.Abs(sum-1) <= shareTolerance) {
		return fmt.Errorf("shares add up to %v, not to 1", sum)
	}
	for e := range stage.Topology.Edges() {
		at := [2]int{e.From, e.To}
		if all[at] != e.Count {
			return fmt.Errorf("%d circuits %d->%d, the stage has %d", all[at], e.From, e.To, e.Count)
		}
		delete(all, at)
	}
	if len(all) > 0 {
		return errors.New("some have circuits that the stage does not have")
	}
	return nil
}

// checkLaneRoutes checks that transfers follow the paths of the lanes, in their shares.
func checkLaneRoutes(p *plan.Plan, i int) error {
	stage := &p.Stages[i]
	for j := range stage.Steps {
		step := &stage.Steps[j]
		for k, lane := range stage.Lanes {
			if lane.Circuits != nil && !step.Group.Invariant(lane.Circuits) {
				return fmt.Errorf("stage %d, step %d: the transfers claim a symmetry that plane %d does not have", i+1, j+1, k+1)
			}
		}
		for b, t := range step.Base {
			left := map[string]float64{}
			for _, r := range t.Routes {
				left[fmt.Sprint(r.Path)] += r.Share
			}
			for k, lane := range stage.Lanes {
				if lane.Circuits == nil {
					continue
				}
				path, ok := follow(lane.Circuits, t.Src, t.Dst)
				if !ok {
					return fmt.Errorf("%s: plane %d does not lead from %d to %d", where(i, j, b), k+1, t.Src, t.Dst)
				}
				left[fmt.Sprint(path)] -= lane.Share
			}
			for path, share := range left {
				if math.Abs(share) > shareTolerance {
					return fmt.Errorf("%s: the routes have %v more of %s than the lanes", where(i, j, b), share, path)
				}
			}
		}
	}
	return nil
}

// follow goes from one GPU to another over the circuits of a plane.
func follow(g *topology.Graph, src, dst int) ([]int32, bool) {
	path := []int32{int32(src)}
	for at := src; at != dst; {
		next, _ := g.Row(at)
		if len(next) != 1 || len(path) > g.Nodes() {
			return nil, false
		}
		at = int(next[0])
		path = append(path, next[0])
	}
	return path, true
}

// planesTimeline replays the times that a plan claims on a record of every plane: its circuits,
// until when it is dark, and when the last byte left it.
type planesTimeline struct {
	plan   *plan.Plan
	planes []planeRecord
	ended  units.Time // the previous step, as the plan claims
}

type planeRecord struct {
	has    map[[2]int]bool // circuits; nil before the first
	spent  units.Time      // when the last byte on them arrived
	lit    units.Time      // when they are up
	paid   units.Time      // the delay of the change before the current stage
	change bool            // the circuits changed
}

// checkLaneTiming replays a plan whose planes reconfigure independently.
func checkLaneTiming(ctx context.Context, p *plan.Plan) (violation, cancelled error) {
	t := &planesTimeline{plan: p, planes: make([]planeRecord, p.Fabric.Ports)}
	for i := range p.Stages {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		replay := t.stage
		if p.Independent {
			replay = t.turn
		}
		if err := replay(i); err != nil {
			return err, nil
		}
	}
	return nil, nil
}

func (t *planesTimeline) stage(i int) error {
	stage := &t.plan.Stages[i]
	step := &stage.Steps[0]
	if !plan.Near(stage.Start, t.ended) {
		return fmt.Errorf("stage %d: begins at %v, but the step before ends at %v", i+1, stage.Start, t.ended)
	}
	if !plan.Near(step.Start, stage.Start+stage.Reconfiguration) || stage.Reconfiguration < 0 {
		return fmt.Errorf("stage %d: starts at %v, but waits from %v for %v", i+1, step.Start, stage.Start, stage.Reconfiguration)
	}
	end := step.Start + step.Cost.Total()
	reducing := (&timeline{plan: t.plan}).reducing(step)
	longest := units.Time(0)
	for k, lane := range stage.Lanes {
		if lane.Circuits == nil {
			continue
		}
		plane := &t.planes[k]
		t.rewire(plane, lane.Circuits)
		if plane.change {
			longest = max(longest, plane.paid)
		}
		begin := max(t.ended, plane.lit)
		plane.spent = begin + t.sending(lane, step)
		if reduced := plane.spent + reducing; before(end, reduced) {
			return fmt.Errorf("stage %d, step 1: plane %d is up at %v, so its share of %.4g is there, and reduced, at %v, not at %v",
				i+1, k+1, plane.lit, lane.Share, reduced, end)
		}
	}
	if hidden := max(0, longest-stage.Reconfiguration); !(math.Abs(float64(stage.Hidden-hidden)) <= float64(slack(max(end, hidden)))) {
		return fmt.Errorf("stage %d: %v of the changes are said to be hidden, but %v are", i+1, stage.Hidden, hidden)
	}
	t.ended = end
	return nil
}

// rewire gives a plane new circuits as soon as the last byte has left the old ones. The whole
// plane is dark meanwhile.
func (t *planesTimeline) rewire(plane *planeRecord, circuits *topology.Graph) {
	f := &t.plan.Fabric
	next := map[[2]int]bool{}
	for e := range circuits.Edges() {
		next[[2]int{e.From, e.To}] = true
	}
	set, taken := 0, 0
	changed := map[int]bool{} // ports that get another circuit, by GPU
	compare := func(some, others map[[2]int]bool, count *int) {
		for at := range some {
			if !others[at] {
				*count++
				changed[at[0]], changed[at[1]] = true, true
			}
		}
	}
	compare(next, plane.has, &set)
	compare(plane.has, next, &taken)
	free := plane.has == nil && f.Initial == fabric.InitialFree
	plane.change = set+taken > 0 && !free
	plane.paid = 0
	if plane.change {
		// A plane has one port of every GPU, and is one switch.
		plane.paid = f.Reconfig.Charge(fabric.Counts{OfPorts: len(changed), Set: set, Taken: taken, OfSwitches: 1})
		plane.lit = plane.spent + plane.paid + f.Sync.Time()
	}
	plane.has = next
}

// sending returns how long a lane takes for its share of a step, including start-up and
// propagation, by counting every byte on every circuit.
func (t *planesTimeline) sending(lane plan.Lane, step *plan.Step) units.Time {
	f := &t.plan.Fabric
	bytes := map[[2]int32]float64{}
	hops, slowest := 0, 0.0
	for x := range step.All(t.plan.Collective.Space) {
		path, ok := follow(lane.Circuits, x.Src, x.Dst)
		if !ok {
			return units.Time(math.Inf(1))
		}
		share := lane.Share * t.plan.Bytes(x.Chunks)
		for h := range path[1:] {
			bytes[[2]int32{path[h], path[h+1]}] += share
		}
		hops = max(hops, len(path)-1)
		if f.Forwarding == fabric.StoreAndForward {
			slowest = max(slowest, share*float64(len(path)-1))
		}
	}
	for _, sum := range bytes {
		slowest = max(slowest, sum)
	}
	return f.Alpha.Time() + units.Time(hops)*f.Delta.Time() + f.Bandwidth.Transmit(slowest)
}
