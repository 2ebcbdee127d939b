package exchange

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/exchange/jumpset"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/strategy"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

const (
	// mostPieces is the largest number of chunks into which the largest pair is cut unless the
	// request asks for smaller chunks.
	mostPieces = 16
	// mostSteps bounds the steps of a plan: every slot may be a step.
	mostSteps = 1 << 20
	// mergedNodes is the most nodes for which bounds count on slots that are merged.
	mergedNodes = 12
)

// pieceCounts yields the numbers of chunks to try: 1, 2, 3, 4, 6, 8, 12, 16, .., beginning with
// the first that is at least from.
func pieceCounts(from int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for two := 1; ; two *= 2 {
			for _, m := range []int{two, two + two/2} {
				if m >= from && (m == two || two > 1) && !yield(m) {
					return
				}
			}
		}
	}
}

// stored returns the fastest plan on a fabric that stores and forwards. Smaller chunks keep
// more circuits busy and cost more start-ups, so that their size is chosen as well.
func (t *task) stored(ctx context.Context) (*plan.Plan, error) {
	least := 1
	if t.options.Chunk > 0 {
		pieces := math.Ceil(t.pair / float64(t.options.Chunk))
		if pieces > mostSteps {
			return nil, fmt.Errorf("chunk: %v would cut what a GPU has for another into %.0f chunks, want %v or more",
				t.options.Chunk, pieces, units.Bytes(math.Ceil(t.pair/mostSteps)))
		}
		least = int(pieces)
	}
	floor, err := t.byteFloor()
	if err != nil {
		return nil, err
	}
	best, err := t.forwarded(ctx)
	if err != nil {
		return nil, err
	}
	for m := range pieceCounts(least) {
		if best != nil && (m > mostPieces || t.storedFloor(floor, m) >= best.Cost.Total()) {
			break
		}
		if best == nil {
			if err := t.request.Beyond(t.storedFloor(floor, m)); err != nil {
				return nil, err
			}
		}
		found, err := t.storedIn(ctx, m, floor, best)
		if err != nil {
			return nil, err
		}
		if best = found; best == nil {
			break // without a schedule for one number of chunks, there is none for others
		}
	}
	if best == nil {
		demand, unit, err := t.pieces(least)
		if err != nil {
			return nil, err
		}
		return nil, t.infeasible(t.problem(demand, unit))
	}
	return best, nil
}

// forwarded returns the fastest plan for a fabric that cuts through, if it keeps within the limit
// when it stores and forwards; else nil. Its stages are one step each: where most ways have one
// hop, that takes fewer start-ups than any schedule in slots.
func (t *task) forwarded(ctx context.Context) (*plan.Plan, error) {
	if t.options.Chunk > 0 {
		return nil, nil
	}
	through := *t
	r := *t.request
	r.Fabric.Forwarding, r.Progress = fabric.CutThrough, nil
	through.request = &r
	made, err := through.cutThrough(ctx)
	switch {
	case errors.Is(err, planner.ErrInfeasible), errors.Is(err, planner.ErrBeyond):
		return nil, nil
	case err != nil:
		return nil, err
	}
	made.Fabric = t.request.Fabric
	if err := made.PriceContext(ctx); err != nil {
		return nil, err
	}
	if t.request.Beyond(made.Cost.Total()) != nil {
		return nil, nil
	}
	return made, nil
}

// byteFloor returns, for each number of topologies from 1 on, a lower bound on the total length
// of the slots of any schedule, in bytes.
func (t *task) byteFloor() ([]float64, error) {
	k := min(t.request.Fabric.Ports, t.nodes-1)
	limit := arithmetic.CeilDiv(t.nodes-1, k)
	floor := make([]float64, limit+1)
	if t.sizes == nil {
		for d := 1; d <= limit; d++ {
			floor[d] = float64(model.RelayHops(t.nodes, k, d)) * t.pair / float64(k)
		}
		return floor, nil
	}
	demand, unit, err := t.amounts()
	if err != nil {
		return nil, err
	}
	rows := model.NewDemandRows(demand)
	for _, d := range jumpset.UpTo(limit) {
		slots := rows.Slots(k, func(n int) iter.Seq[int] { return model.AcrossAll(k, d, n) })
		// Amounts are rounded up to units, at most one for every pair of a node.
		floor[d] = max(0, float64(slots-t.nodes)*unit)
	}
	return floor, nil
}

// storedFloor returns a lower bound on the time of any plan that cuts the largest pair into m
// chunks or more.
func (t *task) storedFloor(floor []float64, m int) units.Time {
	least := units.Time(math.Inf(1))
	for d := 1; d < len(floor); d++ {
		least = min(least, t.storedLeast(d, floor[d]*float64(m)/t.pair, floor[d]))
	}
	return least
}

// storedLeast returns a lower bound on the time of any plan with the given topologies whose slots
// last as long as it takes to send the given bytes. With up to mergedNodes nodes a stage may be one
// step. Beyond that every slot counts as a step, because few schedules are faster than that only
// since their slots are merged, and looking at all of them takes long.
func (t *task) storedLeast(stages int, slots, bytes float64) units.Time {
	f := &t.request.Fabric
	if t.nodes <= mergedNodes {
		slots = float64(stages)
	}
	busy := units.Time(slots)*(f.Alpha.Time()+f.Delta.Time()) + f.Bandwidth.Transmit(bytes/float64(t.copies))
	return max(t.charges(stages)+busy, t.waits(stages))
}

// pieces returns the demand in chunks, and the bytes of a chunk, when the largest pair is cut
// into m.
func (t *task) pieces(m int) (demand model.Demand, chunk float64, err error) {
	chunk = t.pair / float64(m)
	if t.sizes == nil {
		demand, err = model.Uniform(t.nodes, m)
	} else {
		demand, err = t.counts(chunk, model.Counts)
	}
	return demand, chunk, err
}

// storedIn returns the fastest plan in which the largest pair is cut into m chunks, or best
// if that is not slower, or nil if there is none at all.
func (t *task) storedIn(ctx context.Context, m int, floor []float64, best *plan.Plan) (*plan.Plan, error) {
	demand, chunk, err := t.pieces(m)
	if err != nil {
		return nil, err
	}
	p := t.problem(demand, chunk)
	worth := func(stages, slots int) bool {
		if best == nil {
			return true
		}
		return t.storedLeast(stages, float64(slots), floor[min(stages, len(floor)-1)])*(1+tie) < best.Cost.Total()
	}
	err = strategy.Search(ctx, p, worth, func(c *strategy.Candidate) error {
		if c.Slots > mostSteps {
			return fmt.Errorf("chunk: chunks of %v make a plan of %d steps, want larger ones", units.Bytes(chunk), c.Slots)
		}
		if best != nil && !worth(c.Stages, c.Slots) {
			return nil
		}
		s, err := c.Schedule(ctx)
		if err != nil {
			return err
		}
		made, err := t.slotted(ctx, s, demand)
		if err != nil {
			return err
		}
		if err := made.PriceContext(ctx); err != nil {
			return err
		}
		if len(made.Stages) == c.Stages && (best == nil || made.Cost.Total() < best.Cost.Total()) {
			best = made
			t.request.Say("exchange: %v with strategy %s, topologies: %d", made.Cost.Total(), c.Strategy, c.Stages)
		}
		return nil
	})
	return best, err
}

// slotted makes a plan of a schedule. Consecutive slots of a stage are one step if none moves a
// chunk that arrives in another: together they take one start-up and one hop. The plan is not
// priced.
func (t *task) slotted(ctx context.Context, s *model.Schedule, demand model.Demand) (*plan.Plan, error) {
	var group topology.Translations
	if s.Symmetric() {
		if group = t.translations(s.Group); group.Order() < t.nodes {
			s, group = s.Expand(), topology.Translations{}
		}
	}
	chunks := t.chunked(demand)
	p := &plan.Plan{
		Fabric: t.request.Fabric, Provenance: plan.Provenance{Planner: Name, Slots: s.Slots(), Strategy: s.Strategy},
		Collective: plan.Collective{Op: collective.AllToAll, Algorithm: Name, Size: t.request.Size, Space: chunks.space},
	}
	for i := range s.Stages {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		stage := plan.Stage{Topology: t.graph(circuitsOf(s, i), i)}
		for moves := range mergedSlots(s, i) {
			stage.Steps = append(stage.Steps, plan.Step{Group: group, Base: t.hopsOf(moves, chunks)})
		}
		if len(stage.Steps) > 0 {
			p.Stages = append(p.Stages, stage)
		}
	}
	return p, nil
}

// arrival is a chunk at a node. Symmetric schedules list the chunks of one node, so of all images
// of a move there is one in the list.
type arrival struct {
	model.Chunk
	node int
}

// mergedSlots yields the moves of a stage, those of consecutive slots together unless one moves a
// chunk that arrives in another. An empty slot takes no time if nothing waits for it. The slice is
// reused.
func mergedSlots(s *model.Schedule, stage int) iter.Seq[[]model.Move] {
	return func(yield func([]model.Move) bool) {
		var together []model.Move
		arrived := map[arrival]bool{}
		for _, moves := range s.Moves(stage) {
			if slices.ContainsFunc(moves, func(m model.Move) bool { return arrived[arrival{m.Chunk, m.Src}] }) {
				if !yield(together) {
					return
				}
				together = together[:0]
				clear(arrived)
			}
			together = append(together, moves...)
			for _, m := range moves {
				arrived[arrival{m.Chunk, m.Dst}] = true
			}
		}
		if len(together) > 0 {
			yield(together)
		}
	}
}

// hopsOf makes the transfers of moves, one for all chunks that take the same circuit.
func (t *task) hopsOf(moves []model.Move, chunks *chunked) []plan.Transfer {
	var list []plan.Transfer
	at := map[[2]int]int{}
	var numbers [][]int
	for _, m := range moves {
		hop := [2]int{m.Src, m.Dst}
		k, known := at[hop]
		if !known {
			k = len(numbers)
			at[hop], numbers = k, append(numbers, nil)
			src, dst := t.gpu(m.Src), t.gpu(m.Dst)
			list = append(list, plan.Transfer{
				Transfer: collective.Transfer{Src: src, Dst: dst, Action: collective.Copy},
				Routes:   []flow.Route{{Path: []int32{int32(src), int32(dst)}, Share: 1}},
			})
		}
		numbers[k] = append(numbers[k], chunks.number(m.Chunk))
	}
	for k := range list {
		list[k].Chunks = collective.Of(numbers[k])
	}
	return list
}

// circuitsOf returns the circuits of a stage of a schedule.
func circuitsOf(s *model.Schedule, stage int) [][]int {
	st := &s.Stages[stage]
	if !s.Symmetric() {
		return st.Circuits
	}
	circuits := make([][]int, len(st.Generators))
	for p := range circuits {
		circuits[p] = make([]int, s.Nodes)
		for u := range circuits[p] {
			circuits[p][u] = s.Next(stage, p, u)
		}
	}
	return circuits
}

// chunked gives the chunks of a schedule their numbers in the space of the plan.
type chunked struct {
	space collective.Space
	nodes int
	first []int // number of a pair's first chunk, if pairs differ
}

func (t *task) chunked(demand model.Demand) *chunked {
	c := &chunked{nodes: t.nodes}
	x := newNumbers(t)
	if t.sizes == nil {
		each, _ := demand.Each()
		c.space = x.space(each)
		return c
	}
	c.first = slices.Repeat([]int{-1}, t.nodes*t.nodes)
	for u := range t.nodes {
		for v := range t.nodes {
			count := demand.Count(u, v)
			for k := range count {
				number := x.addPart(u, v, 1, 0, 1/float64(count))
				if k == 0 {
					c.first[u*t.nodes+v] = number
				}
			}
		}
	}
	c.space = x.space(0)
	return c
}

// number returns the number of a chunk in the space.
func (c *chunked) number(x model.Chunk) int {
	pair := int(x.Origin)*c.nodes + int(x.Dest)
	if c.first != nil {
		return c.first[pair] + int(x.Index)
	}
	return pair*c.space.Parts + int(x.Index)
}
