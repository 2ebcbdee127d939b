package lightpath

import (
	"context"
	"errors"
	"math"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/envelope"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/exchange"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/units"
)

// FrontierSchema names the JSON form of a frontier and its version.
const FrontierSchema = "lightpath.frontier/v1"

// FrontierRequest asks for the best plans for all delays of a reconfiguration at once.
type FrontierRequest struct {
	Fabric    fabric.Fabric // whose delay is left open
	Operation Operation
	Progress  func(done, total int)
}

// Frontier is the outcome: the best plan as a function of the delay, smallest delays
// first.
type Frontier struct {
	Schema    string          `json:"schema"`
	Fabric    fabric.Fabric   `json:"fabric"`
	Op        collective.Op   `json:"op"`
	SizeBytes int64           `json:"size_bytes"`
	Points    []FrontierPoint `json:"frontier"`
}

// FrontierPoint is a plan of planner harvest that is the fastest for a range of delays.
type FrontierPoint struct {
	Algorithm        string      `json:"algorithm"`
	Reconfigurations int         `json:"reconfigurations"`
	CommunicationNs  units.Time  `json:"communication_ns"` // without the delays
	FromNs           units.Time  `json:"from_reconfig_ns"`
	ToNs             *units.Time `json:"to_reconfig_ns,omitempty"` // absent: any longer delay
}

// FindFrontier computes the lower envelope, over algorithms and numbers of
// reconfigurations, of the time as a function of the delay of one.
func FindFrontier(ctx context.Context, r FrontierRequest) (*Frontier, error) {
	if err := r.Fabric.Validate(); err != nil {
		return nil, err
	}
	harvest, err := Planners().Lookup("harvest")
	if err != nil {
		return nil, err
	}
	ways, err := r.Operation.ways(&r.Fabric, harvest, exchange.Options{})
	if err != nil {
		return nil, err
	}
	answer := &Frontier{Schema: FrontierSchema, Fabric: r.Fabric, Op: r.Operation.Op}
	var lines []FrontierPoint
	var reason error
	for i, w := range ways {
		if r.Progress != nil {
			r.Progress(i, len(ways))
		}
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
			lines = append(lines, FrontierPoint{Algorithm: c.Algorithm, Reconfigurations: p.Reconfigurations, CommunicationNs: p.Communication})
		}
	}
	if len(lines) == 0 {
		return nil, reason
	}
	answer.Points = lowest(lines, r.Fabric.Overlap.Compute.Time())
	return answer, nil
}

// lowest keeps the lines that are lowest for some delay and gives each its range. Delays
// up to compute are hidden.
func lowest(lines []FrontierPoint, compute units.Time) []FrontierPoint {
	all := make([]envelope.Line, len(lines))
	for i, l := range lines {
		all[i] = envelope.Line{Fixed: float64(l.CommunicationNs), Slope: float64(l.Reconfigurations), Of: i}
	}
	var points []FrontierPoint
	for i, s := range envelope.Segments(nil, envelope.Lowest(all)) {
		point := lines[s.Of]
		if i > 0 {
			point.FromNs = units.Time(s.From) + compute
		}
		if !math.IsInf(s.To, 1) {
			to := units.Time(s.To) + compute
			point.ToNs = &to
		}
		points = append(points, point)
	}
	return points
}

// At returns the time of the best plan for a delay.
func (f *Frontier) At(delay units.Time) units.Time {
	hidden := f.Fabric.Overlap.Compute.Time()
	best := units.Time(math.Inf(1))
	for _, p := range f.Points {
		best = min(best, p.CommunicationNs+units.Time(p.Reconfigurations)*max(0, delay-hidden))
	}
	return best
}
