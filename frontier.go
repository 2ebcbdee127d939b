package lightpath

import (
	"context"
	"errors"
	"math"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/frontier"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/units"
)

// FrontierSchema names the JSON form of a frontier and its version.
const FrontierSchema = "lightpath.frontier/v1"

// FrontierRequest asks for the best plans for all delays of a reconfiguration at once.
type FrontierRequest struct {
	Operation Operation     `json:"operation"`
	Fabric    fabric.Fabric `json:"fabric,omitzero"` // whose delay is left open
}

// UnmarshalJSON reads the JSON form.
func (r *FrontierRequest) UnmarshalJSON(data []byte) error {
	type plain FrontierRequest
	return readRequest(data, (*plain)(r))
}

// Complete fills in the defaults and reports the first field that makes no sense.
func (r *FrontierRequest) Complete() error { return completeOperation(&r.Operation, &r.Fabric) }

// Frontier is the outcome: the best plan as a function of the delay, smallest delays
// first.
type Frontier struct {
	Schema    string           `json:"schema"`
	Fabric    fabric.Fabric    `json:"fabric"`
	Op        collective.Op    `json:"op"`
	SizeBytes int64            `json:"size_bytes"`
	Points    []frontier.Point `json:"frontier"`
}

// FindFrontier computes the lower envelope, over algorithms and numbers of
// reconfigurations, of the time as a function of the delay of one.
func FindFrontier(ctx context.Context, r FrontierRequest, options ...Option) (*Frontier, error) {
	e := newEnvironment(options)
	r.Fabric = e.fabric(r.Fabric)
	if err := r.Complete(); err != nil {
		return nil, err
	}
	harvest, err := e.registry.Lookup("harvest")
	if err != nil {
		return nil, err
	}
	t, err := newTask(r.Operation, &r.Fabric, e)
	if err != nil {
		return nil, field.In("operation", err)
	}
	ways, err := t.ways(harvest)
	if err != nil {
		return nil, field.In("operation", err)
	}
	answer := &Frontier{Schema: FrontierSchema, Fabric: r.Fabric, Op: r.Operation.Op}
	var lines []frontier.Point
	var reason error
	for i, w := range ways {
		e.report(i, len(ways))
		c, err := w.lay()
		if err != nil {
			return nil, err
		}
		answer.SizeBytes = int64(c.Size)
		points, err := staged.Frontier(ctx, planner.Request{Fabric: r.Fabric, Collective: c.Collective, Size: c.Size})
		switch {
		case errors.Is(err, planner.ErrInfeasible):
			if reason == nil {
				reason = err
			}
			continue
		case err != nil:
			return nil, err
		}
		for _, p := range points {
			lines = append(lines, frontier.Point{Algorithm: c.Algorithm, Reconfigurations: p.Reconfigurations, CommunicationNs: p.Communication})
		}
	}
	if len(lines) == 0 {
		return nil, reason
	}
	answer.Points = frontier.Lowest(lines, r.Fabric.Overlap.Compute.Time())
	return answer, nil
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
