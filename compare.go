package lightpath

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// CompareRequest asks for every algorithm with every planner.
type CompareRequest struct {
	Fabric   fabric.Fabric
	Op       collective.Op
	Size     units.Bytes
	Progress func(done, total int)
}

// Comparison is the outcome, fastest first.
type Comparison struct {
	Schema    string        `json:"schema"`
	Fabric    fabric.Fabric `json:"fabric"`
	Op        collective.Op `json:"op"`
	SizeBytes int64         `json:"size_bytes"`
	Rows      []Row         `json:"rows"`
	Skipped   []Skipped     `json:"skipped"`
}

// CompareSchema names the JSON form of a comparison and its version.
const CompareSchema = "lightpath.compare/v1"

// Row is one algorithm with one planner.
type Row struct {
	Algorithm         string     `json:"algorithm"`
	Planner           string     `json:"planner"`
	TotalNs           units.Time `json:"total_ns"`
	StartupNs         units.Time `json:"startup_ns"`
	PropagationNs     units.Time `json:"propagation_ns"`
	TransmissionNs    units.Time `json:"transmission_ns"`
	ReconfigurationNs units.Time `json:"reconfiguration_ns"`
	Reconfigurations  int        `json:"reconfigurations"`
	Steps             int        `json:"steps"`
	BoundNs           units.Time `json:"bound_ns"`
	Gap               float64    `json:"gap"`
}

// Skipped is a combination for which there is no plan.
type Skipped struct {
	Algorithm string `json:"algorithm"`
	Planner   string `json:"planner"`
	Reason    string `json:"reason"`
}

// Compare plans op with every algorithm that can do it and every planner.
func Compare(ctx context.Context, r CompareRequest) (*Comparison, error) {
	if err := r.Fabric.Validate(); err != nil {
		return nil, err
	}
	answer := &Comparison{
		Schema: CompareSchema, Fabric: r.Fabric, Op: r.Op, SizeBytes: int64(r.Size), Rows: []Row{}, Skipped: []Skipped{},
	}
	algorithms := collective.For(r.Op, r.Fabric.Nodes, r.Fabric.Ports)
	planners := slices.DeleteFunc(Planners(), func(p planner.Planner) bool { return p.Name() == Auto })
	done := 0
	for _, a := range algorithms {
		c, err := collective.New(r.Op, a.Name, r.Fabric.Nodes, r.Fabric.Ports)
		if err != nil {
			return nil, err
		}
		for _, p := range planners {
			if r.Progress != nil {
				r.Progress(done, len(algorithms)*len(planners))
			}
			done++
			made, err := p.Plan(ctx, planner.Request{Fabric: r.Fabric, Collective: c, Size: r.Size})
			switch {
			case errors.Is(err, planner.ErrInfeasible):
				answer.Skipped = append(answer.Skipped, Skipped{a.Name, p.Name(), err.Error()})
			case err != nil:
				return nil, err
			default:
				if err := prove(ctx, made); err != nil {
					return nil, err
				}
				answer.Rows = append(answer.Rows, newRow(made))
			}
		}
	}
	slices.SortStableFunc(answer.Rows, func(a, b Row) int { return cmp.Compare(a.TotalNs, b.TotalNs) })
	return answer, nil
}

func newRow(p *plan.Plan) Row {
	return Row{
		Algorithm: p.Collective.Algorithm, Planner: p.Planner, TotalNs: p.Cost.Total(),
		StartupNs: p.Cost.Startup, PropagationNs: p.Cost.Propagation, TransmissionNs: p.Cost.Transmission,
		ReconfigurationNs: p.Cost.Reconfiguration, Reconfigurations: p.Reconfigurations, Steps: p.CountSteps(),
		BoundNs: p.Bound, Gap: p.Gap(),
	}
}
