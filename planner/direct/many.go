package direct

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/planner/direct/finder"
	"github.com/lightpath-net/lightpath/planner/direct/paced"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Plans for many GPUs. A schedule that cuts shards at will lists every pair of GPUs, so that it
// takes at least the square of their number. Above mostPairs GPUs shards stay whole, and a bit
// for every pair says who has which shard (package paced). GPUs are numbered so that the shards
// that cross a circuit form few runs (compact): with n GPUs on a line graph, about n^1.5 runs
// in total.

const (
	// mostPairs is the largest number of GPUs for which every pair is scheduled.
	mostPairs = 1 << 12
	// mostMany is the largest number of GPUs for which there are plans of whole shards. They
	// take a minute and 2 GB on two cores.
	mostMany = 1 << 14
	// mostBeside is the largest number of GPUs that are inserted or removed.
	mostBeside = 32
)

// compactOn reports whether plans for a fabric have few runs of shards although they list every
// GPU's part.
func compactOn(f *fabric.Fabric) bool {
	return f.Nodes > mostPairs && f.Nodes <= mostMany && f.Ports > 1 && f.Ports <= paced.MostSenders && !f.Duplex && anyCircuits(f)
}

// manyOn reports whether there are plans for many GPUs on a fabric.
func manyOn(f *fabric.Fabric) bool { return compactOn(f) || rotatedOn(f) }

// beside is a topology with about the requested number of GPUs, and the time of the collective
// on it.
type beside struct {
	expr  topology.Expr
	nodes int
	time  units.Time
}

// many plans for many GPUs.
func many(ctx context.Context, r planner.Request) (*plan.Plan, error) {
	best, err := broadcastOf(ctx, &r)
	if err != nil {
		return nil, err
	}
	if err := r.Beyond(best.least(&r)); err != nil {
		return nil, err
	}
	steps, err := best.listed(ctx)
	if err != nil {
		return nil, err
	}
	return laid(ctx, &r, best.graph, steps, 1)
}

// broadcastOf returns the schedule for many GPUs: on the best topology of that size, or on one
// of a nearby size with GPUs inserted into circuits or removed.
func broadcastOf(ctx context.Context, r *planner.Request) (best *broadcasts, err error) {
	sizes, err := sizesBeside(ctx, r)
	if err != nil {
		return nil, err
	}
	for _, b := range sizes {
		if best != nil && best.least(r) <= b.time {
			break // resizing a topology does not make it faster
		}
		g, stride, err := compact(b.expr)
		if err != nil {
			return nil, err
		}
		random := rand.New(rand.NewPCG(uint64(r.Fabric.Nodes), uint64(b.nodes)))
		if g = refitted(g, r.Fabric.Nodes, random); g == nil {
			continue
		}
		made, err := broadcast(ctx, r, g)
		if errors.Is(err, paced.ErrUnsuitable) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if made.stride = stride; best == nil || made.least(r) < best.least(r) {
			best = made
		}
	}
	if best == nil {
		return nil, fmt.Errorf("%w: no topology of about %d GPUs was found", planner.ErrInfeasible, r.Fabric.Nodes)
	}
	return best, nil
}

// tried is the number of topologies of other sizes that are scheduled.
const tried = 2

// sizesBeside returns the topologies that are worth a schedule, the fastest first. It looks no
// further than a topology that is near the least possible time, and returns only the topology
// of the requested size if none is faster.
func sizesBeside(ctx context.Context, r *planner.Request) ([]beside, error) {
	n := r.Fabric.Nodes
	var all []beside
	for _, nodes := range numbersBeside(n, r.Fabric.Ports) {
		b, err := found(ctx, r, nodes)
		if errors.Is(err, finder.ErrNone) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, b)
		if float64(b.time) <= near*float64(ideal(r)) {
			break
		}
	}
	slices.SortStableFunc(all, func(a, b beside) int { return cmp.Compare(a.time, b.time) })
	if len(all) > 0 && all[0].nodes == n {
		return all[:1], nil
	}
	return all[:min(len(all), tried)], nil
}

// numbersBeside returns n and nearby numbers of GPUs, the nearest first. Line graphs, the best
// topologies for many GPUs, have sizes that are multiples of powers of the number of ports.
func numbersBeside(n, ports int) []int {
	list := []int{n}
	for power := 1; power <= mostBeside; power *= ports {
		list = append(list, n/power*power, (n/power+1)*power)
	}
	list = slices.DeleteFunc(list, func(m int) bool { return m < n-mostBeside || m > n+mostBeside })
	slices.SortStableFunc(list, func(a, b int) int {
		return cmp.Compare(math.Abs(float64(a-n)), math.Abs(float64(b-n)))
	})
	return slices.Compact(list)
}

// found returns the best topology with the given number of GPUs whose cost is known without
// scheduling every pair.
func found(ctx context.Context, r *planner.Request, nodes int) (beside, error) {
	f := &r.Fabric
	op, _ := Schedulable(r.Collective.Op)
	machine := finder.Machine{Alpha: f.Alpha + f.Delta, NodeBandwidth: f.Bandwidth * units.Bandwidth(f.Ports)}
	options := finder.Options{Op: op, Families: f.Families(), Alike: mostPairs}
	choice, err := machine.Fastest(ctx, nodes, f.Ports, options, []finder.Weighted{{Size: r.Size, Weight: 1}})
	if err != nil {
		return beside{}, err
	}
	time, err := machine.Time(choice.Point.Cost, r.Size)
	return beside{choice.Point.Expr, nodes, time}, err
}

// broadcasts holds an allgather on a topology, one on its transpose for a reduce-scatter, or
// both.
type broadcasts struct {
	graph           *topology.Graph
	gather, scatter *paced.Gather // nil: none
	stride          int           // distance between shards of the scatter that belong together
}

// broadcast schedules the operation of a request on a topology.
func broadcast(ctx context.Context, r *planner.Request, g *topology.Graph) (*broadcasts, error) {
	f := &r.Fabric
	shard := f.Bandwidth.Transmit(float64(r.Size) / float64(f.Nodes))
	step := float64(f.Alpha.Time()+f.Delta.Time()) / math.Max(1e-9, float64(shard))
	b := &broadcasts{graph: g}
	op, _ := Schedulable(r.Collective.Op)
	var err error
	if op != bfb.ReduceScatter {
		if b.gather, err = paced.Solve(ctx, g, step); err != nil {
			return nil, err
		}
	}
	if op != bfb.AllGather {
		b.scatter, err = paced.Solve(ctx, g.Transpose(""), step)
	}
	return b, err
}

// least returns the time of the plan without the initial setup of its circuits.
func (b *broadcasts) least(r *planner.Request) units.Time {
	s := source{time: new(big.Rat)}
	for _, half := range []*paced.Gather{b.gather, b.scatter} {
		if half != nil {
			s.steps += len(half.Paces)
			s.time.Add(s.time, big.NewRat(int64(half.Load()), 1))
		}
	}
	return s.least(r)
}

// listed lists the transfers: the reduce-scatter runs the allgather on the transpose backwards.
func (b *broadcasts) listed(ctx context.Context) ([]plan.Step, error) {
	var all []plan.Step
	if b.scatter != nil {
		steps, err := listed(ctx, b.scatter, collective.Reduce, b.stride)
		if err != nil {
			return nil, err
		}
		slices.Reverse(steps)
		all = steps
	}
	if b.gather != nil {
		steps, err := listed(ctx, b.gather, collective.Copy, 1)
		if err != nil {
			return nil, err
		}
		all = append(all, steps...)
	}
	return all, nil
}
