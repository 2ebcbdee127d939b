package direct

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// uneven plans on circuits that differ in bandwidth or latency. It tries the base, to which
// they belong, and the topology that it would choose if all circuits were equal, each with the
// schedule for equal circuits and with the one that balances the actual circuits (Zhao et al.,
// appendix D.3). The balanced schedule minimises the sum over steps of the largest latency +
// bytes/bandwidth of a circuit. A plan charges the largest latency and the largest
// bytes/bandwidth separately, so that either schedule may be the faster.
func (d direct) uneven(ctx context.Context, r planner.Request) (*plan.Plan, error) {
	alike := r
	alike.Fabric.Links = fabric.Links{}
	chosen, err := topologyFor(ctx, &alike)
	if err != nil {
		return nil, err
	}
	circuits := r.Fabric.Circuits()
	var best *plan.Plan
	var reason error
	for _, g := range withBase(chosen, &r.Fabric) {
		for _, make := range []func() (*plan.Plan, error){
			func() (*plan.Plan, error) { return On(ctx, r, g) },
			func() (*plan.Plan, error) { return balanced(ctx, &r, circuits, g) },
		} {
			made, err := make()
			if errors.Is(err, planner.ErrInfeasible) || errors.Is(err, planner.ErrBeyond) {
				if reason == nil || errors.Is(err, planner.ErrBeyond) {
					reason = err
				}
				continue
			}
			if err != nil {
				return nil, err
			}
			if best == nil || made.Cost.Total() < best.Cost.Total() {
				best = made
			}
		}
	}
	if best == nil {
		return nil, reason
	}
	return best, r.Beyond(best.Cost.Total())
}

// balanced makes the plan of the schedule that balances the actual circuits.
func balanced(ctx context.Context, r *planner.Request, circuits *fabric.Circuits, g *topology.Graph) (*plan.Plan, error) {
	if !circuits.Differ(g) {
		return nil, fmt.Errorf("%w: all circuits of %s are alike", planner.ErrInfeasible, g.Name())
	}
	op, _ := Schedulable(r.Collective.Op)
	unit := units.Duration(0) // of all latencies
	for e := range g.Edges() {
		_, delay := circuits.Of(e.From, e.To)
		unit = units.Duration(arithmetic.GCD(int64(unit), int64(delay)))
	}
	unit = cmp.Or(unit, units.Nanosecond)
	shard, err := shardBits(r, unit)
	if err != nil {
		return nil, err
	}
	how := bfb.Options{Op: op, Progress: r.Progress, Shard: shard}
	for e := range g.Edges() {
		bandwidth, delay := circuits.Of(e.From, e.To)
		how.Links = append(how.Links, bfb.Link{Bandwidth: int64(bandwidth), Latency: int64(delay / unit)})
	}
	bytes := mostParts(r)
	// First with shards cut anywhere, if a plan can have parts that small.
	for _, chunks := range []int{0, min(wholeChunks, bytes)} {
		how.Chunks = chunks
		s, err := bfb.Solve(ctx, g, how)
		switch {
		case errors.Is(err, bfb.ErrNotConnected), errors.Is(err, bfb.ErrOptions):
			// ErrOptions may also mean that numbers exceed 64 bits.
			return nil, fmt.Errorf("%w: %s: %w", planner.ErrInfeasible, g.Name(), err)
		case err != nil:
			return nil, err
		}
		// The schedule's time is in other units. A bound for circuits that carry nothing holds
		// as well.
		of := source{s.Steps, new(big.Rat), s.All, s.Of}
		if err := r.Beyond(of.least(r)); err != nil {
			return nil, err
		}
		steps, parts, err := filled(ctx, of, g.Nodes(), chunks)
		switch {
		case err != nil:
			return nil, err
		case parts > 0 && parts <= bytes:
			return laid(ctx, r, g, steps, parts)
		}
	}
	panic("direct: whole chunks are parts")
}

// shardBits returns the size of a shard in units of what one bit per second carries in unit,
// the unit of the circuits' latencies. A size that does not fit into 64 bits is an error.
func shardBits(r *planner.Request, unit units.Duration) (int64, error) {
	space := collective.SpaceOf(r.Collective.Op, r.Fabric.Nodes, 1)
	bits := math.Round(8 * space.Bytes(float64(r.Size), collective.Single(0)) * (float64(units.Second) / float64(unit)))
	if bits < 1 || bits >= math.MaxInt64 {
		return 0, fmt.Errorf("%w: a shard of %v is beyond what is counted in %v", planner.ErrInfeasible, r.Size, unit)
	}
	return int64(bits), nil
}
