package tuning

import (
	"context"
	"fmt"
	"strings"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/planning"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/frontier"
	"github.com/lightpath-net/lightpath/planner/portfolio/column"
	"github.com/lightpath-net/lightpath/units"
)

// table finds the rows and the curve of a fabric.
func (r *TuneRequest) table(ctx context.Context, e *command.Run, f fabric.Fabric) ([]TuneRow, []TunePoint, error) {
	// The static plans found at one size, which are lines in the size for every number of
	// pieces, are reused for all other sizes of rows and of the curve.
	staying := &statics{request: r, fabric: f, columns: column.NewSearch(e.Search, column.Options{})}
	rows, err := r.rows(ctx, e, f, staying)
	if err != nil {
		return nil, nil, err
	}
	curve, err := r.curve(ctx, e, f, rows, staying)
	return rows, curve, err
}

// curve finds the times between rows: on the line of a row if it has one, otherwise by planning
// its choice.
func (r *TuneRequest) curve(ctx context.Context, e *command.Run, f fabric.Fabric, rows []TuneRow, staying *statics) ([]TunePoint, error) {
	var curve []TunePoint
	for i := range rows {
		row := &rows[i]
		for _, size := range r.curveSizes(rows, i) {
			p := TunePoint{
				SizeBytes: int64(size), TotalNs: row.TotalNs + units.Time(row.NsPerByte*float64(int64(size)-row.FromBytes)),
				StaticNs: row.StaticNs, Topologies: row.Topologies, Reconfigurations: row.Reconfigurations,
			}
			if int64(size) > row.FromBytes {
				if row.NsPerByte == 0 {
					made, err := r.fastest(ctx, e, f, size, choice{row.Algorithm, row.Planner})
					if err != nil {
						return nil, err
					}
					p.TotalNs, p.Topologies, p.Reconfigurations = made.Cost.Total(), topologiesOf(made), made.Reconfigurations
				}
				var err error
				if p.StaticNs, err = staying.time(ctx, size, p.TotalNs, p.Reconfigurations); err != nil {
					return nil, err
				}
			}
			curve = append(curve, p)
		}
	}
	return curve, nil
}

// curveFactor is the factor between successive sizes of a curve: between two such sizes, static
// plans and planners that make their own steps change only a few times.
const curveFactor = 2

// curveSizes lists the sizes of a curve that belong to a row: the row's first, round sizes, and
// the last size of the table.
func (r *TuneRequest) curveSizes(rows []TuneRow, i int) []units.Bytes {
	end := r.Most
	if i+1 < len(rows) {
		end = units.Bytes(rows[i+1].FromBytes) - 1
	}
	sizes := []units.Bytes{units.Bytes(rows[i].FromBytes)}
	for s := r.Least; s < r.Most; s *= curveFactor {
		if s > sizes[0] && s <= end {
			sizes = append(sizes, s)
		}
		if s > r.Most/curveFactor { // the next might overflow
			break
		}
	}
	if i+1 == len(rows) && end > sizes[len(sizes)-1] {
		sizes = append(sizes, end)
	}
	return sizes
}

// rows finds the rows of a fabric.
func (r *TuneRequest) rows(ctx context.Context, e *command.Run, f fabric.Fabric, staying *statics) ([]TuneRow, error) {
	made := map[units.Bytes]*plan.Plan{}
	asked := 0
	found, err := frontier.SwitchOvers(r.Least, r.Most, func(size units.Bytes) (frontier.Choice, error) {
		best, err := r.fastest(ctx, e, f, size, choice{r.Algorithm, r.Planner})
		if err != nil {
			return frontier.Choice{}, err
		}
		made[size] = best
		asked++
		e.Report(asked, asked+8) // the number of lines is not known in advance
		return frontier.Choice{
			Name: choiceName(best), Bent: composes(best, e.Search.Planners()),
			At0: float64(best.Cost.Total() - best.Cost.Bytes()), Slope: float64(best.Cost.Bytes()) / float64(size),
		}, nil
	})
	if err != nil {
		return nil, err
	}
	var rows []TuneRow
	for _, s := range found {
		p := made[s.From]
		row := TuneRow{
			FromBytes: int64(s.From), Algorithm: p.Collective.Algorithm, Planner: p.Planner, Topologies: topologiesOf(p),
			Steps: p.CountSteps(), Reconfigurations: p.Reconfigurations, TotalNs: p.Cost.Total(),
		}
		if s.Straight {
			row.NsPerByte = s.Slope
		}
		if row.StaticNs, err = staying.time(ctx, s.From, row.TotalNs, row.Reconfigurations); err != nil {
			return nil, err
		}
		if row.StaticNs > 0 {
			row.Speedup = float64(row.StaticNs / row.TotalNs)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// choice is what a row of a table decides.
type choice struct{ algorithm, planner string }

// fastest plans a size by a choice or, for NCCL, by the best of NCCL's choices.
func (r *TuneRequest) fastest(ctx context.Context, e *command.Run, f fabric.Fabric, size units.Bytes, by choice) (*plan.Plan, error) {
	if r.To == NCCLTuner {
		return r.ncclFastest(ctx, e, f, size)
	}
	return r.planned(ctx, e, f, size, by)
}

// planned plans a size by a choice.
func (r *TuneRequest) planned(ctx context.Context, e *command.Run, f fabric.Fabric, size units.Bytes, by choice) (*plan.Plan, error) {
	return planning.Fastest(ctx, planning.PlanRequest{
		Fabric: f, Planner: by.planner,
		Operations: []collective.Operation{{Op: r.Op, Size: size, Algorithm: by.algorithm}},
	}, e)
}

// composes reports whether the planner of a plan makes its own steps: these may depend on the
// size, so that times need not be linear.
func composes(p *plan.Plan, registry planner.Registry) bool {
	by, err := registry.Lookup(p.Planner)
	if err != nil {
		return true
	}
	return planner.TraitsOf(by).Composes != nil
}

// choiceName identifies the choice of a row: the algorithm, the planner, the number of steps and
// the circuits.
func choiceName(p *plan.Plan) string {
	return fmt.Sprintf("%s %s %d %s", p.Collective.Algorithm, p.Planner, p.CountSteps(), strings.Join(topologiesOf(p), " "))
}

// topologiesOf names the circuits of a plan, stage by stage.
func topologiesOf(p *plan.Plan) []string {
	names := make([]string, len(p.Stages))
	for i := range p.Stages {
		names[i] = p.Stages[i].Topology.Name()
	}
	return names
}

// statics finds the times of the fastest plans that do not reconfigure.
type statics struct {
	request *TuneRequest
	fabric  fabric.Fabric
	columns *column.Search
}

// time returns the static time of a size for which a plan is known. If that plan does not
// reconfigure, and the search left nothing out, it is the fastest static plan.
func (s *statics) time(ctx context.Context, size units.Bytes, known units.Time, changes int) (units.Time, error) {
	if changes == s.fabric.SetUps() && s.request.Planner == collective.Auto && s.request.Algorithm == collective.Auto && s.request.To == "" {
		return known, nil
	}
	times, err := s.columns.Static(ctx, &column.Column{
		Operation: collective.Operation{Op: s.request.Op, Size: size}, Fabric: s.fabric, Delays: []units.Duration{s.fabric.Reconfig.Base},
	})
	if err != nil {
		return 0, err
	}
	return times[0], nil
}
