package joint

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/direct"
	"github.com/lightpath-net/lightpath/planner/joint/cast"
	"github.com/lightpath-net/lightpath/planner/joint/digit"
	"github.com/lightpath-net/lightpath/planner/joint/swarm"
	"github.com/lightpath-net/lightpath/topology"
)

// This file has gathers and broadcasts for an odd number of two-way ports. One GPU is always short
// of a port. While circuits stay, a gather of equal shards waits for that GPU: with 3 ports it
// takes 3/2 of the time that others need. There are two ways out (see also bound/odd_ports.go):
//
//   - Turns: another GPU is short in every stage, and each catches up in the other stages. So k
//     stages receive over d-1/k ports. A reduce-scatter is the reversal of a gather. A broadcast
//     is a gather of pieces that the root has, and a reduction its reversal. The root is never
//     short, so that it is ahead of those who have yet to be.
//   - An allreduce may choose who sums up what: it is a reduce-scatter of any shards, followed by
//     their gather. If the short GPU sums up about 1/d of the vector, it has that much less to
//     receive in the gather, and to send in the reduce-scatter. Then all take the same time.

const (
	// mostShort is the largest number of GPUs for which there are such plans.
	mostShort = 512
	// mostPieces limits the pieces that a plan lists, one for each GPU that gets it.
	mostPieces = 1 << 17
)

// turnsOf are the numbers of stages that are tried. The gain of one more stage falls with the
// square of their number.
var turnsOf = [...]int{2, 3, 4, 5, 6, 8, 11, 16, 22, 32}

// cutsOf are the ways to cut that are tried. Finer cuts leave fewer circuits idle at the end, and
// coarser ones take fewer steps.
var cutsOf = [...]cut{
	{1, 16}, {1, 12}, {1, 8}, {1, 6}, {1, 4}, {1, 3}, {1, 2},
	{1, 1}, {2, 1}, {3, 1}, {4, 1}, {6, 1}, {8, 1},
	{12, 1}, {16, 1}, {24, 1}, {32, 1},
}

// sumCuts returns the cuts for an allreduce of n GPUs: those, and finer pieces that a circuit
// carries several of in a step. The short GPU then sums up closer to what it should.
func sumCuts(n int) []cut {
	all := slices.Clone(cutsOf[:])
	for _, parts := range [...]int{2, 3, 4, 5, 6, 8, 10} {
		for _, each := range [...]int{2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48} {
			if n*parts <= mostFine {
				all = append(all, cut{parts, each})
			}
		}
	}
	return all
}

// mostFine limits the pieces of such cuts: a gather of many pieces takes long to make.
const mostFine = 240

// castCutsOf are those of a broadcast, which is a pipeline: pieces of the whole message.
var castCutsOf = [...]cut{
	{8, 1}, {12, 1}, {16, 1}, {24, 1}, {32, 1}, {48, 1}, {64, 1}, {96, 1}, {128, 1}, {192, 1}, {256, 1}, {384, 1}, {512, 1},
}

// mostCastCuts limits the cuts of a broadcast that are tried for a number of stages.
const mostCastCuts = 3

// casts reports whether an operation is a broadcast or its reversal.
func casts(op collective.Op) bool { return op == collective.Broadcast || op == collective.RootReduce }

// onShort returns plans for an odd number of two-way ports, those with the lowest floor first.
// Their floors are close to their times, so few of them are built.
func onShort(ctx context.Context, r *planner.Request, l digit.Limits) []option {
	f := &r.Fabric
	n, d := f.Nodes, f.Ports
	_, gathers := direct.Schedulable(r.Collective.Op)
	cuts := cutsOf[:]
	if r.Collective.Op == collective.AllReduce {
		cuts = sumCuts(n)
	}
	if !gathers {
		cuts = castCutsOf[:]
	}
	if !gathers && !casts(r.Collective.Op) || !f.Duplex || n*d%2 == 0 || d < 3 || n < d+2 || n > mostShort || f.Restricts() || !f.Avoid.IsZero() ||
		r.Collective.Space.Members != nil || l.NoNetworks || l.NoPoints == n {
		return nil
	}
	type close struct{ nodes, ports int }
	g := planner.Kept(r.Kept, close{n, d}, func() (*topology.Graph, bool) { return closest(n, d), true })
	if g == nil {
		return nil
	}
	halves, turns := 1, turnsOf[:]
	if r.Collective.Op == collective.AllReduce {
		halves, turns = 2, []int{1}
	}
	step, wait := float64(f.Alpha.Time()+f.Delta.Time()), float64(f.LeastBarrier())
	var all []option
	byTime := func(a, b option) int { return cmp.Compare(a.time, b.time) }
	for _, turns := range turns {
		if turns > n || l.Changes != digit.AnyChanges && turns-1 > l.Changes {
			break
		}
		first := len(all)
		for _, c := range cuts {
			s := shortGather{g, d, r.Collective.Op, turns, c}
			if (n-1)*s.pieces() > mostPieces || s.pieces() > int(r.Size) {
				continue
			}
			load := s.load()
			steps := math.Ceil(load / float64(c.each))
			piece := float64(f.Bandwidth.Transmit(float64(r.Size) / float64(s.pieces())))
			time := float64(halves)*(steps*step+load*piece) + float64(turns-1)*wait
			all = append(all, option{
				time: time, floor: time * (1 - rounding), uses: func() digit.Uses { return digit.Uses{Networks: true} },
				build: func() cast.Laid { return s.kept(ctx, r.Kept) },
			})
		}
		if !gathers { // which cuts are the best does not depend on the delay
			slices.SortStableFunc(all[first:], byTime)
			all = all[:min(len(all), first+mostCastCuts)]
		}
	}
	slices.SortStableFunc(all, byTime)
	return all
}

// closest returns the graph with the least mean distance, of a few that look random.
func closest(n, d int) *topology.Graph {
	var best *topology.Graph
	var least *big.Rat
	for seed := range 8 {
		g, err := topology.Parse(fmt.Sprintf("Regular(%d,%d,%d)", n, d, seed))
		if err != nil {
			return nil
		}
		if mean, ok := g.AverageDistance(); ok && (best == nil || mean.Cmp(least) < 0) {
			best, least = g, mean
		}
	}
	return best
}

// cut says how finely a gather is cut.
type cut struct {
	parts int // pieces for every GPU, or of the message of a broadcast
	each  int // pieces that a circuit carries in a step
}

// shortGather is a gather, its reversal, or both, on circuits that leave one GPU a circuit short.
type shortGather struct {
	graph *topology.Graph // the last GPU is short
	ports int             // of all others
	op    collective.Op
	turns int
	cut   cut
}

// pieces returns the number of all pieces.
func (s *shortGather) pieces() int {
	if casts(s.op) {
		return s.cut.parts
	}
	return s.graph.Nodes() * s.cut.parts
}

// owners returns the GPU that has each piece at first. If that is free to choose, the short GPU
// has so many that it needs no longer for the others than other GPUs do.
func (s *shortGather) owners() []int {
	n := s.graph.Nodes()
	all := make([]int, s.pieces())
	if casts(s.op) {
		return all
	}
	if s.op != collective.AllReduce {
		for p := range all {
			all[p] = p / s.cut.parts
		}
		return all
	}
	own := s.own()
	for p := range all {
		if all[p] = n - 1; p >= own {
			all[p] = (p - own) % (n - 1)
		}
	}
	return all
}

// own returns how many pieces of an allreduce the short GPU sums up. With p of the N pieces it
// receives N-p over d-1 ports, and others receive N-(N-p)/(n-1) over d ports.
func (s *shortGather) own() int {
	d, others := float64(s.ports), float64(s.graph.Nodes()-1)
	return int(float64(s.pieces())*(others+d-1)/(others*d+d-1) + 0.5)
}

// load returns a lower bound on the pieces that the busiest circuits carry.
func (s *shortGather) load() float64 {
	n, d, pieces := s.graph.Nodes(), s.ports, s.pieces()
	if casts(s.op) { // the last pieces must still get from the root to others
		far, _ := s.graph.Diameter()
		return math.Ceil(float64(pieces)/(float64(d)-1/float64(s.turns))) + float64(far/2)
	}
	if s.op == collective.AllReduce {
		own := s.own()
		rest := (pieces - own) / (n - 1) // what every other GPU has
		return max(math.Ceil(float64(pieces-own)/float64(d-1)), math.Ceil(float64(pieces-rest)/float64(d)))
	}
	return math.Ceil(float64(pieces-s.cut.parts) / (float64(d) - 1/float64(s.turns)))
}

// kept is laid with steps that the caller may price. They do not depend on size or delay, so the
// transfers are kept.
func (s *shortGather) kept(ctx context.Context, memory *planner.Memory) cast.Laid {
	laid := planner.Kept(memory, *s, func() (cast.Laid, bool) {
		laid := s.laid(ctx)
		return laid, ctx.Err() == nil
	})
	laid.Stages = slices.Clone(laid.Stages)
	for i := range laid.Stages {
		laid.Stages[i].Steps = slices.Clone(laid.Stages[i].Steps)
	}
	return laid
}

// laid lays out the steps.
func (s *shortGather) laid(ctx context.Context) cast.Laid {
	spared := -1
	if casts(s.op) {
		spared = 0
	}
	graphs := swarm.Moved(s.graph, s.turns, spared)
	steps, until := int(s.load())/s.cut.each, make([]int, len(graphs))
	for i := range until {
		until[i] = (i+1)*steps/len(graphs) - i*steps/len(graphs)
	}
	laid := cast.Laid{Space: collective.SpaceOf(s.op, s.graph.Nodes(), s.cut.parts)}
	for _, st := range swarm.Gather(ctx, graphs, until, s.owners(), s.cut.each) {
		stage := plan.Stage{Topology: st.Graph}
		for _, step := range st.Steps {
			stage.Steps = append(stage.Steps, sent(step))
		}
		laid.Stages = append(laid.Stages, stage)
	}
	laid.About = fmt.Sprintf("%d GPUs in turn are short of a port", len(laid.Stages))
	if s.op == collective.AllGather || s.op == collective.Broadcast || len(laid.Stages) == 0 {
		return laid
	}
	gather := laid.Stages
	laid.Stages = cast.Reversed(laid)
	if s.op == collective.AllReduce {
		laid.About = "one GPU is short of a port and sums up more"
		laid.Stages[0].Steps = append(laid.Stages[0].Steps, gather[0].Steps...)
	}
	return laid
}

// sent lists the transfers of a step.
func sent(s swarm.Step) plan.Step {
	var step plan.Step
	for _, m := range s.Messages {
		chunks := make(collective.Chunks, len(m.Pieces))
		slices.Sort(m.Pieces)
		for i, p := range m.Pieces {
			chunks[i] = collective.Run{First: int(p), Count: 1, Stride: 1}
		}
		step.Base = append(step.Base, plan.Transfer{
			Transfer: collective.Transfer{Src: int(m.From), Dst: int(m.To), Action: collective.Copy, Chunks: chunks},
			Routes:   []flow.Route{{Path: []int32{m.From, m.To}, Share: 1}},
		})
	}
	return step
}
