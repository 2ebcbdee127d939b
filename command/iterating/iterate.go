// Package iterating implements the command iterate: it plans a whole training iteration.
package iterating

import (
	"context"
	"errors"

	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
)

// Iterate plans an iteration: how every collective and send runs, on which ports and when, and
// when ports are reconfigured. The plan is proven correct before it is returned.
func Iterate(ctx context.Context, r IterateRequest, options ...command.Option) (*iteration.Document, error) {
	return IterateIn(ctx, r, command.NewRun(options))
}

// IterateIn is Iterate for a command that has already combined its options.
func IterateIn(ctx context.Context, r IterateRequest, e *command.Run) (*iteration.Document, error) {
	return iterate(ctx, &r, &groups{e: e, report: e.Report})
}

// iterate plans an iteration; plans of groups may exist already.
func iterate(ctx context.Context, r *IterateRequest, plans *groups) (*iteration.Document, error) {
	if err := r.Complete(); err != nil {
		return nil, err
	}
	w, err := r.load()
	if err != nil {
		return nil, err
	}
	if !r.DemandTrace.IsZero() {
		return follow(ctx, r, w, plans)
	}
	g, err := graphOf(ctx, w)
	if err != nil {
		return nil, err
	}
	run, err := r.fastest(ctx, iteration.NewProgram(g), plans)
	if err != nil {
		return nil, err
	}
	return proven(ctx, g, &r.Fabric, run)
}

// graphOf returns the dependency graph of the ranks' work in a workload.
func graphOf(ctx context.Context, w *workload.Workload) (*workload.Graph, error) {
	g, err := w.Graph(ctx)
	if err != nil && ctx.Err() == nil {
		return nil, field.In("workload", err)
	}
	return g, err
}

// fastest plans a program by the request's policy.
func (r *IterateRequest) fastest(ctx context.Context, p *iteration.Program, plans *groups) (*iteration.Run, error) {
	repertoire, err := r.repertoire(ctx, p, plans)
	if err != nil {
		return nil, err
	}
	made, err := iteration.Fastest(ctx, p, repertoire, r.Policy)
	if err != nil {
		return nil, err
	}
	return r.carriedOut(p, repertoire, made)
}

// repertoire returns the plans and circuits with which a program can run.
func (r *IterateRequest) repertoire(ctx context.Context, p *iteration.Program, plans *groups) (*iteration.Repertoire, error) {
	made, err := iteration.NewRepertoire(ctx, p, &r.Fabric, iteration.Options{Plans: plans.on, Progress: plans.report})
	if errors.Is(err, iteration.ErrFabric) {
		err = field.In("fabric", err)
	}
	return made, err
}

// carriedOut returns the run of a plan, or an error if there is none.
func (r *IterateRequest) carriedOut(p *iteration.Program, repertoire *iteration.Repertoire, made *iteration.Plan) (*iteration.Run, error) {
	if made.Course == nil {
		return nil, field.Errorf("policy", "%s: %w: the circuits of all kinds do not fit %s at once", r.Policy, planner.ErrImpossible, units.Count(r.Fabric.Ports, "port"))
	}
	return iteration.NewRun(p, repertoire, made), nil
}

// proven makes the document of a plan and proves it.
func proven(ctx context.Context, g *workload.Graph, f *fabric.Fabric, run *iteration.Run) (*iteration.Document, error) {
	d, err := iteration.NewDocument(g, f, run.Program, run.Repertoire, run.Plan)
	if err != nil {
		return nil, err
	}
	report, err := iteration.Verify(ctx, d)
	if err != nil {
		return nil, err
	}
	if bad := report.First(); bad != nil {
		return nil, command.Refuted(run.Policy, *bad)
	}
	return d, nil
}
