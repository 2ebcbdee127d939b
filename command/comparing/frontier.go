package comparing

import (
	"cmp"
	"context"
	"math"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/planning"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/planner/frontier"
	"github.com/lightpath-net/lightpath/planner/portfolio"
	"github.com/lightpath-net/lightpath/planner/portfolio/column"
	"github.com/lightpath-net/lightpath/units"
)

// FrontierSchema names the JSON form of a frontier and its version.
const FrontierSchema = "lightpath.frontier/v1"

// FrontierRequest asks for the best plans at all reconfiguration delays at once.
type FrontierRequest struct {
	Operation collective.Operation `json:"operation"`
	Fabric    fabric.Fabric        `json:"fabric,omitzero"` // its delay is ignored
	Planner   string               `json:"planner,omitempty" help:"planner ${NAME}, or auto: the fastest" default:"auto"`
}

// UnmarshalJSON reads the JSON form.
func (r *FrontierRequest) UnmarshalJSON(data []byte) error {
	type plain FrontierRequest
	return command.ReadRequest(data, (*plain)(r))
}

// Complete fills in the defaults and reports the first invalid field.
func (r *FrontierRequest) Complete() error {
	r.Planner = cmp.Or(r.Planner, collective.Auto)
	return command.CompleteOperation(&r.Operation, &r.Fabric)
}

// Frontier is the best plan as a function of the reconfiguration delay, smallest delays first.
type Frontier struct {
	Schema    string           `json:"schema"`
	Fabric    fabric.Fabric    `json:"fabric"`
	Op        collective.Op    `json:"op"`
	SizeBytes int64            `json:"size_bytes"`
	Points    []frontier.Point `json:"frontier"`
}

// FindFrontier computes the lower envelope, over planners, algorithms and numbers of
// reconfigurations, of the time as a function of the reconfiguration delay. At every delay it is
// the time of the plan that Plan returns.
func FindFrontier(ctx context.Context, r FrontierRequest, options ...command.Option) (*Frontier, error) {
	e := command.NewRun(options)
	r.Fabric = e.Fabric(r.Fabric)
	if err := r.Complete(); err != nil {
		return nil, err
	}
	if err := DelaysAddUp(&r.Fabric); err != nil {
		return nil, err
	}
	p, err := e.Search.Planners().Lookup(r.Planner)
	if err != nil {
		return nil, field.In("planner", err)
	}
	answer := &Frontier{Schema: FrontierSchema, Fabric: r.Fabric, Op: r.Operation.Op}
	t, err := portfolio.NewTask(r.Operation, &r.Fabric, e.Search)
	if err != nil {
		return nil, field.In("operation", err)
	}
	answer.SizeBytes = int64(t.Carries())
	asked := &portfolio.Request{Operations: []collective.Operation{r.Operation}, Fabric: r.Fabric}
	families, err := column.Families(ctx, asked, p, e.Search)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, field.In("operation", err)
	}
	answer.Points, err = frontier.Over(ctx, families, r.Fabric.Overlap.Compute.Time(), func(count int) {
		e.Report(count, count+8) // the number of lines is not known in advance
	})
	if err != nil {
		return nil, planning.BlameBase(&r.Fabric, planning.BlameFailures(&r.Fabric, r.Operation.GPUs, []collective.Operation{r.Operation}, r.Planner, err))
	}
	return answer, nil
}

// DelaysAddUp returns an error that says why the time of a plan is not linear in the
// reconfiguration delay.
func DelaysAddUp(f *fabric.Fabric) error {
	if err := command.OnlyChanges(f, "a frontier"); err != nil {
		return err
	}
	_, uniform := f.Reconfig.Uniform()
	switch {
	case !f.Island.IsZero():
		return field.Errorf("fabric.island", "a frontier needs delays that add up, but islands send during a reconfiguration")
	case !f.Fixed.IsZero():
		return field.Errorf("fabric.fixed", "a frontier needs delays that add up, but fixed links send during a reconfiguration")
	case f.Overlap.Kind == fabric.OverlapPorts || f.Overlap.Kind == fabric.OverlapCircuits || f.Overlap.Kind == fabric.OverlapPlanes:
		return field.Errorf("fabric.overlap", "a frontier needs delays that add up, not overlap %s", f.Overlap)
	case f.Overlap.Kind == fabric.OverlapCompute && !uniform:
		return field.Errorf("fabric.overlap", "a frontier needs delays that add up: with %s computation hides more of some changes than of others", f.Reconfig)
	}
	return nil
}

// At returns the time of the best plan for a delay.
func (f *Frontier) At(delay units.Time) units.Time {
	wait := f.Fabric.WaitFor(delay) - f.Fabric.WaitFor(0) // barriers count as communication
	return each.Min(units.Time(math.Inf(1)), f.Points, func(p frontier.Point) units.Time {
		return p.CommunicationNs + units.Time(p.Reconfigurations)*wait
	})
}
