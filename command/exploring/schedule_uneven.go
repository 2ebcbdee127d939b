package exploring

import (
	"cmp"
	"context"
	"math/big"

	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/planner/direct"
	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/topology/wiring"
	"github.com/lightpath-net/lightpath/units"
)

// Defaults of a schedule on user-defined links.
const (
	defaultLinkBandwidth = 800 * units.Gbps
	defaultScheduleSize  = 4 * units.MiB
)

// completeLinks fills in the defaults of a schedule on links.
func (r *ScheduleRequest) completeLinks() error {
	r.Bandwidth, r.Size = cmp.Or(r.Bandwidth, defaultLinkBandwidth), cmp.Or(r.Size, defaultScheduleSize)
	switch {
	case r.Topology != "":
		return field.Errorf("topology", "not with links, which are the topology")
	case r.Best:
		return field.Errorf("best", "not with links: expansions need equal circuits")
	case r.Size < 0:
		return field.Errorf("size_bytes", "must be above 0B")
	case r.Bandwidth < 0:
		return field.Errorf("bandwidth_bps", "must be above 0")
	}
	_, err := wiring.Merge(r.Links)
	return field.In("links", err)
}

// uneven finds the breadth-first broadcast on links that differ. (Zhao et al., appendix D.3.)
func (r *ScheduleRequest) uneven(ctx context.Context, e *command.Run) (*Schedule, error) {
	w, err := wiring.Merge(r.Links)
	if err != nil {
		return nil, field.In("links", err)
	}
	g := w.Graph(w.Expr().String())
	op, _ := direct.Schedulable(r.Op)
	how := bfb.Options{Op: op, Chunks: r.Chunks, Round: true, Progress: e.Report}
	// The unit of time is a nanosecond if every delay is a multiple of it, else a picosecond.
	// The unit of size is the bits that a rate of one bit per second carries in that time.
	unit := units.Nanosecond
	for _, l := range w.Links {
		if l.Delay%units.Nanosecond != 0 {
			unit = 1
		}
	}
	shard := new(big.Int).Mul(big.NewInt(int64(r.Size)*8), big.NewInt(int64(units.Second/unit)))
	shard.Add(shard, big.NewInt(int64(w.Nodes)-1)).Div(shard, big.NewInt(int64(w.Nodes)))
	if !shard.IsInt64() {
		return nil, field.Errorf("size_bytes", "%v is too much for an exact schedule on %d nodes; give a smaller one", r.Size, w.Nodes)
	}
	how.Shard = shard.Int64()
	for _, l := range w.Links {
		how.Links = append(how.Links, bfb.Link{Bandwidth: int64(cmp.Or(l.Bandwidth, r.Bandwidth)), Latency: int64(l.Delay / unit)})
	}
	s, err := bfb.Solve(ctx, g, how)
	if err != nil {
		return nil, err
	}
	scale := new(big.Rat).SetFrac64(int64(unit), int64(units.Nanosecond))
	nanoseconds := func(t *big.Rat) units.Time {
		ns, _ := new(big.Rat).Mul(t, scale).Float64()
		return units.Time(ns)
	}
	answer := &Schedule{
		Schema: ScheduleSchema, Expr: g.Name(), Op: r.Op, Nodes: s.Nodes, Degree: s.Degree, Steps: s.Steps, Chunks: r.Chunks,
		PerStep: []string{}, Method: "bfb", Derivation: "BFB(" + g.Name() + ")", TimeNs: nanoseconds(s.Time),
		Rounded: s.Rounded,
	}
	answer.PerStepNs = append(answer.PerStepNs, each.Of(s.PerStep, nanoseconds)...)
	return answer, nil
}
