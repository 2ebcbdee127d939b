package training

import (
	"context"
	"math"

	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/planner/direct/expand"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/train"
	"github.com/lightpath-net/lightpath/units"
)

// onCircuits returns the cost of collectives on a topology, alone and after another one. Both
// are the same, because no circuits change in between.
func (r *TrainRequest) onCircuits(ctx context.Context, n *TrainingNetwork, e *command.Run) (cost, next train.Cost, err error) {
	expr, err := topology.ParseExpr(r.Topology)
	if err != nil {
		return nil, nil, field.In("topology", err)
	}
	g, err := expr.Build()
	if err != nil {
		return nil, nil, field.In("topology", err)
	}
	progress := percent(e.Status, "scheduling")
	all, err := expand.Frontier(ctx, expr, expand.Options{Op: bfb.AllReduce, Progress: func(_ string, done, total int) {
		if progress != nil {
			progress(done, total)
		}
	}})
	if err != nil {
		return nil, nil, err
	}
	s := all[len(all)-1] // the one with the least bandwidth
	node, err := r.nodeBandwidth(s.Degree)
	if err != nil {
		return nil, nil, err
	}
	n.Nodes = s.Nodes
	n.Circuits = &TrainingCircuits{
		Topology: expr.String(), Degree: s.Degree, AlphaNs: r.Fabric.Alpha.Time(), NodeBandwidthBps: int64(node),
		Steps: s.Steps, Bandwidth: s.Bandwidth.RatString(),
	}
	model := &train.AlphaBeta{
		Alpha: r.Fabric.Alpha, NodeBandwidth: node, AllReduce: trainingSchedule(s),
		AllToAll: func(ctx context.Context) (train.Schedule, error) { return n.Circuits.exchange(ctx, g) },
	}
	for _, o := range all[:len(all)-1] {
		model.Others = append(model.Others, trainingSchedule(o))
		n.Circuits.Others = append(n.Circuits.Others, TrainingSchedule{Steps: o.Steps, Bandwidth: o.Bandwidth.RatString()})
	}
	return model.Cost(), model.Cost(), nil
}

func trainingSchedule(s *expand.Schedule) train.Schedule {
	bandwidth, _ := s.Bandwidth.Float64()
	return train.Schedule{Steps: s.Steps, Bandwidth: bandwidth}
}

func (r *TrainRequest) nodeBandwidth(degree int) (units.Bandwidth, error) {
	if r.NodeBandwidth > 0 {
		return r.NodeBandwidth, nil
	}
	if r.Fabric.Bandwidth > math.MaxInt64/units.Bandwidth(max(1, degree)) {
		return 0, field.Errorf("fabric.bandwidth", "%v for each of %d ports does not fit 64 bits", r.Fabric.Bandwidth, degree)
	}
	return r.Fabric.Bandwidth * units.Bandwidth(degree), nil
}

// exchange returns the schedule of an all-to-all and records it in c.
func (c *TrainingCircuits) exchange(ctx context.Context, g *topology.Graph) (train.Schedule, error) {
	if c.AllToAll == nil {
		s, err := train.SplitEvenly(ctx, g)
		if err != nil {
			return train.Schedule{}, err
		}
		c.AllToAll = &TrainingExchange{Steps: s.Hops, Bandwidth: s.Load * float64(c.Degree) / float64(g.Nodes())}
	}
	return train.Schedule(*c.AllToAll), nil
}
