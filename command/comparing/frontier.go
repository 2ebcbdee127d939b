package comparing

import (
	"cmp"
	"context"
	"math"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/planning"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/frontier"
	"github.com/lightpath-net/lightpath/planner/portfolio"
	"github.com/lightpath-net/lightpath/units"
)

// FrontierSchema names the JSON form of a frontier and its version.
const FrontierSchema = "lightpath.frontier/v1"

// FrontierRequest asks for the best plans for all delays of a reconfiguration at once.
type FrontierRequest struct {
	Operation collective.Operation `json:"operation"`
	Fabric    fabric.Fabric        `json:"fabric,omitzero"` // whose delay is left open
	Planner   string               `json:"planner,omitempty" help:"planner ${NAME}, or auto: the fastest" default:"auto"`
}

// UnmarshalJSON reads the JSON form.
func (r *FrontierRequest) UnmarshalJSON(data []byte) error {
	type plain FrontierRequest
	return command.ReadRequest(data, (*plain)(r))
}

// Complete fills in the defaults and reports the first field that makes no sense.
func (r *FrontierRequest) Complete() error {
	r.Planner = cmp.Or(r.Planner, collective.Auto)
	return command.CompleteOperation(&r.Operation, &r.Fabric)
}

// Frontier is the outcome: the best plan as a function of the delay, smallest delays
// first.
type Frontier struct {
	Schema    string           `json:"schema"`
	Fabric    fabric.Fabric    `json:"fabric"`
	Op        collective.Op    `json:"op"`
	SizeBytes int64            `json:"size_bytes"`
	Points    []frontier.Point `json:"frontier"`
}

// FindFrontier computes the lower envelope, over planners, algorithms and numbers of
// reconfigurations, of the time as a function of the delay of one: what Plan takes for
// every delay.
func FindFrontier(ctx context.Context, r FrontierRequest, options ...command.Option) (*Frontier, error) {
	e := command.NewEnvironment(options)
	r.Fabric = e.Fabric(r.Fabric)
	if err := r.Complete(); err != nil {
		return nil, err
	}
	if err := DelaysAddUp(&r.Fabric); err != nil {
		return nil, err
	}
	p, err := e.Search.Planners.Lookup(r.Planner)
	if err != nil {
		return nil, field.In("planner", err)
	}
	answer := &Frontier{Schema: FrontierSchema, Fabric: r.Fabric, Op: r.Operation.Op}
	families, size, reason := r.families(ctx, &r.Fabric, p, e)
	answer.SizeBytes = int64(size)
	for _, less := range e.Search.Less(&r.Fabric) {
		narrow := less.On(r.Fabric) // where plans take the same time
		if more, size, err := r.families(ctx, &narrow, p, e); err == nil {
			families, answer.SizeBytes = append(families, more...), int64(size)
		}
	}
	switch err := ctx.Err(); {
	case err != nil:
		return nil, err
	case len(families) == 0:
		return nil, reason
	}
	answer.Points, err = frontier.Over(ctx, families, r.Fabric.Overlap.Compute.Time(), func(count int) {
		e.Report(count, count+8) // how many lines there are is not known before
	})
	if err != nil {
		return nil, planning.BlameBase(&r.Fabric, planning.BlameFailures(&r.Fabric, r.Operation.GPUs, []collective.Operation{r.Operation}, r.Planner, err))
	}
	return answer, nil
}

// families lists the ways to carry the operation out on all ports of a fabric, and the size
// of what they carry out.
func (r *FrontierRequest) families(ctx context.Context, f *fabric.Fabric, p planner.Planner, e *command.Environment) ([]frontier.Way, units.Bytes, error) {
	t, err := portfolio.NewTask(r.Operation, f, &e.Search)
	if err != nil {
		return nil, 0, field.In("operation", err)
	}
	ways, err := t.Ways(p)
	if err != nil {
		return nil, 0, field.In("operation", err)
	}
	var families []frontier.Way
	for _, w := range ways {
		laid, err := w.Lay(ctx)
		if err != nil {
			return nil, 0, field.In("operation", err)
		}
		choices := []planner.Planner{w.Planner} // one that chooses the layout plans by itself
		if w.As == nil {
			choices = portfolio.Expand(w.Planner, e.Search.Planners, f)
		}
		asked := e.Search.Ask(*f)
		asked.Collective, asked.Size, asked.Bare = laid.Collective, laid.Size, true
		asked.Progress, asked.Status, asked.Better = nil, nil, nil
		for _, p := range choices {
			families = append(families, family(p, asked))
		}
	}
	return families, t.Carries(), nil
}

// DelaysAddUp reports why the time of a plan is no line in the delay of a change.
func DelaysAddUp(f *fabric.Fabric) error {
	_, uniform := f.Reconfig.Uniform()
	switch {
	case f.Overlap.Kind == fabric.OverlapPorts || f.Overlap.Kind == fabric.OverlapCircuits || f.Overlap.Kind == fabric.OverlapPlanes:
		return field.Errorf("fabric.overlap", "a frontier needs delays that add up, not overlap %s", f.Overlap)
	case f.Overlap.Kind == fabric.OverlapCompute && !uniform:
		return field.Errorf("fabric.overlap", "a frontier needs delays that add up: with %s computation hides more of some changes than of others", f.Reconfig)
	}
	return nil
}

// family is the plans of a planner for a request whose delay is left open.
func family(p planner.Planner, r planner.Request) frontier.Way {
	// at sets a delay that makes a change wait so long, to the picosecond.
	at := func(wait float64) (planner.Request, float64) {
		set := r
		ps := math.Round(wait * 1000)
		set.Fabric.Reconfig.Base = r.Fabric.Overlap.Compute + units.Duration(ps)
		return set, ps / 1000
	}
	w := frontier.Way{Best: func(ctx context.Context, wait float64, limit units.Time) (frontier.Point, error) {
		set, wait := at(wait)
		set.Limit = limit
		made, err := p.Plan(ctx, set)
		if err != nil {
			return frontier.Point{}, err
		}
		return frontier.Point{
			Algorithm: made.Collective.Algorithm, Planner: made.Planner, Reconfigurations: made.Reconfigurations,
			CommunicationNs: made.Cost.Total() - units.Time(float64(made.Reconfigurations)*wait),
		}, nil
	}}
	if len(r.Collective.Steps) == 0 { // a planner that makes its own
		if within := planner.TraitsOf(p).Bound; within != nil {
			w.Bound = func(wait float64) float64 {
				set, _ := at(wait)
				bound, _, err := within(context.Background(), set)
				if err != nil {
					return 0
				}
				return float64(bound)
			}
		}
		return w
	}
	w.Bound = func(wait float64) float64 {
		set, _ := at(wait)
		return float64(bound.PerStep(&set.Fabric, set.Collective, set.Size))
	}
	w.Closer = func(wait float64) float64 {
		set, _ := at(wait)
		return float64(bound.OfAlgorithm(&set.Fabric, set.Collective, set.Size).Schedule)
	}
	if anyDelay := planner.TraitsOf(p).AnyDelay; anyDelay != nil {
		var bestAt planner.BestAt // made when it is needed: a bound may say enough
		w.Best = func(ctx context.Context, wait float64, limit units.Time) (frontier.Point, error) {
			if bestAt == nil {
				bestAt = anyDelay(r)
			}
			l, err := bestAt(ctx, wait, limit)
			return frontier.Point{
				Algorithm: r.Collective.Algorithm, Planner: p.Name(), Reconfigurations: int(l.Slope), CommunicationNs: units.Time(l.Fixed),
			}, err
		}
	}
	return w
}

// At returns the time of the best plan for a delay.
func (f *Frontier) At(delay units.Time) units.Time {
	wait := f.Fabric.WaitFor(delay) - f.Fabric.WaitFor(0) // barriers are in the communication
	best := units.Time(math.Inf(1))
	for _, p := range f.Points {
		best = min(best, p.CommunicationNs+units.Time(p.Reconfigurations)*wait)
	}
	return best
}
