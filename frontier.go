package lightpath

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
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
	ways, err := r.Operation.ways(&r.Fabric, harvest)
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
	slices.SortStableFunc(lines, func(a, b FrontierPoint) int {
		return cmp.Or(cmp.Compare(a.Reconfigurations, b.Reconfigurations), cmp.Compare(a.CommunicationNs, b.CommunicationNs))
	})
	meet := func(fewer, more FrontierPoint) units.Time {
		return (fewer.CommunicationNs - more.CommunicationNs) / units.Time(more.Reconfigurations-fewer.Reconfigurations)
	}
	var hull []FrontierPoint // fewest changes first
	for _, l := range lines {
		if n := len(hull); n > 0 && l.CommunicationNs >= hull[n-1].CommunicationNs*(1-rangeTolerance) {
			continue
		}
		for len(hull) >= 2 && meet(hull[len(hull)-1], l) >= meet(hull[len(hull)-2], hull[len(hull)-1]) {
			hull = hull[:len(hull)-1]
		}
		hull = append(hull, l)
	}
	slices.Reverse(hull)
	from := units.Time(0)
	for i := range hull {
		hull[i].FromNs = from
		if i+1 < len(hull) {
			from = meet(hull[i+1], hull[i]) + compute
			to := from
			hull[i].ToNs = &to
		}
	}
	return hull
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
