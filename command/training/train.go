// Package training implements the command train: the time of a minibatch of data-parallel training.
package training

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/planning"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/train"
	"github.com/lightpath-net/lightpath/units"
)

// Train simulates a minibatch.
func Train(ctx context.Context, r TrainRequest, options ...command.Option) (*Training, error) {
	e := command.NewRun(options)
	if err := r.Complete(); err != nil {
		return nil, err
	}
	r.Trace = r.Trace.Faster(r.Speedup)
	answer := &Training{
		Schema: TrainSchema, Trace: r.Trace.Name, Layers: len(r.Trace.Layers),
		BucketBytes: int64(r.Bucket), AllToAllFirst: r.AllToAllFirst,
	}
	carryOut := r.oneByOne
	if r.Topology == "" && r.Planner == collective.Auto {
		carryOut = r.fastest
	}
	if err := carryOut(ctx, answer, e); err != nil {
		return nil, err
	}
	// If both are equal, they may differ by rounding.
	answer.BoundNs = min(answer.BoundNs, answer.MinibatchNs)
	if answer.BoundNs > 0 {
		answer.Gap = float64(answer.MinibatchNs/answer.BoundNs) - 1
	}
	return answer, nil
}

// oneByOne makes every collective use its own best plan, whatever comes after it.
func (r *TrainRequest) oneByOne(ctx context.Context, answer *Training, e *command.Run) error {
	costs := r.onFabric
	if r.Topology != "" {
		costs = r.onCircuits
	}
	cost, next, err := costs(ctx, &answer.Network, e)
	if err != nil {
		return err
	}
	result, err := train.Simulate(ctx, r.Trace, next, train.Options{
		Bucket: r.Bucket, AllToAllFirst: r.AllToAllFirst, Progress: e.Progress,
	})
	if err != nil {
		return err
	}
	answer.Result = *result
	answer.BoundNs, err = train.Bound(ctx, r.Trace, cost)
	return err
}

// percent returns a progress callback that reports the status at every new percent.
func percent(say func(text string), what string) func(done, total int) {
	if say == nil {
		return nil
	}
	last := -1
	return func(done, total int) {
		if now := int(100 * float64(done) / float64(max(1, total))); now != last {
			last = now
			say(fmt.Sprintf("%s: %d%%", what, now))
		}
	}
}

// onFabric returns the cost of planned collectives, alone and after another one. A later
// collective may have to change the circuits that the previous one has left.
func (r *TrainRequest) onFabric(ctx context.Context, n *TrainingNetwork, e *command.Run) (cost, next train.Cost, err error) {
	n.Nodes = r.Fabric.Nodes
	n.Planned = &TrainingPlanned{Fabric: r.Fabric, Planner: r.Planner, Algorithm: r.Algorithm}
	plans := 0
	costs := train.NewPlanned(r.Fabric, &n.Planned.PlannedCount, func(ctx context.Context, op collective.Op, size units.Bytes) (*plan.Plan, error) {
		operation := collective.Operation{Op: op, Size: size}
		if op == collective.AllReduce {
			operation.Algorithm = r.Algorithm
		}
		plans++
		made, err := planning.PlanIn(ctx, planning.PlanRequest{Fabric: r.Fabric, Operations: []collective.Operation{operation}, Planner: r.Planner}, sharing(e.Search, 0,
			command.WithRegistry(e.Search.Planners()), command.WithoutBaselines(), command.WithProgress(percent(e.Status, fmt.Sprintf("plan %d, for %s of %v", plans, op, size)))))
		if named, ok := err.(*field.Error); ok && named.Path == "operations[0].algorithm" {
			return nil, field.In("algorithm", named.Err)
		}
		return made, err
	})
	return costs.Alone, costs.Next, nil
}
