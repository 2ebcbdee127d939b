// Package comparing implements the commands compare, which runs every algorithm with every planner,
// and frontier, which finds the best plan as a function of the reconfiguration delay.
package comparing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/planning"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/auto"
	"github.com/lightpath-net/lightpath/planner/portfolio"
	"github.com/lightpath-net/lightpath/units"
)

// CompareRequest asks for every algorithm with every planner.
type CompareRequest struct {
	Operation collective.Operation `json:"operation,omitzero"` // with one Algorithm, or all
	// Pattern is a user-defined collective, instead of Operation, for every planner that takes
	// given steps. If it performs an operation, it is compared with every algorithm and planner
	// of that operation.
	Pattern                *collective.PatternFile `json:"pattern,omitempty" help:"compare the steps in ${FILE}.json with all algorithms and planners of their operation; without an operation, compare the planners on these steps"`
	Fabric                 fabric.Fabric           `json:"fabric,omitzero"`
	planning.PacketOptions                         // ChooseBy gives the order of rows
}

// UnmarshalJSON reads the JSON form.
func (r *CompareRequest) UnmarshalJSON(data []byte) error {
	type plain CompareRequest
	return command.ReadRequest(data, (*plain)(r))
}

// Complete fills in the defaults and reports the first invalid field.
func (r *CompareRequest) Complete() error {
	if err := r.PacketOptions.Complete(); err != nil {
		return err
	}
	if r.Pattern != nil {
		if r.Operation.Op != "" {
			return field.Errorf("pattern", "a pattern and an operation: want one of them")
		}
		if err := command.CompletePattern(r.Pattern, &r.Fabric); err != nil {
			return err
		}
	} else if err := command.CompleteOperation(&r.Operation, &r.Fabric); err != nil {
		return err
	}
	return command.CheckBarriers(string(r.Timing), &r.Fabric)
}

// asked returns the request in the form of the search.
func (r *CompareRequest) asked() *portfolio.Request {
	asked := &portfolio.Request{Pattern: r.Pattern, Fabric: r.Fabric}
	if r.Pattern == nil {
		asked.Operations = []collective.Operation{r.Operation}
	}
	return asked
}

// Comparison is the answer of Compare, fastest first.
type Comparison struct {
	Schema    string        `json:"schema"`
	Fabric    fabric.Fabric `json:"fabric"`
	Op        collective.Op `json:"op"`
	GPUs      []int         `json:"gpus,omitempty"` // that take part, if not all
	SizeBytes int64         `json:"size_bytes"`
	// Verdict says how the simplest all-to-all compares: everything at once over circuits that
	// never change.
	Verdict string `json:"verdict,omitempty"`
	// BaselinesNs are the times of the fastest plan that does not reconfigure and of the fastest
	// plan that reconfigures before every step, with any algorithm, even if the request names
	// one. OperationBoundNs is a time that no plan for the operation can beat in the cost model,
	// absent if there is no plan.
	BaselinesNs plan.Baselines `json:"baselines_ns"`
	// StaticAmong says among which plans the static one is the fastest, if not among all.
	StaticAmong      string     `json:"static_among,omitempty"`
	OperationBoundNs units.Time `json:"operation_bound_ns,omitempty"`

	Rows    []ComparisonRow `json:"rows"`
	Skipped []Skipped       `json:"skipped"`
}

// CompareSchema names the JSON form of a comparison and its version.
const CompareSchema = "lightpath.compare/v1"

// ComparisonRow is one algorithm with one planner.
type ComparisonRow struct {
	Algorithm string     `json:"algorithm"`
	Planner   string     `json:"planner"`
	Strategy  string     `json:"strategy,omitempty"` // of planner exchange
	TotalNs   units.Time `json:"total_ns"`
	// SimulatedNs is the simulated time with packets of 4KiB, as in simulate; if it is 0,
	// Unsimulated says why.
	SimulatedNs units.Time `json:"simulated_ns,omitempty"`
	Unsimulated string     `json:"unsimulated,omitempty"`
	// Late says why packets take longer than in the model, if by 1% or more.
	Late []plan.Lateness `json:"late,omitempty"`
	// Speedup and SimulatedSpeedup are the speed-ups over the fastest row that does not
	// reconfigure, by the model and packet by packet; 0 if not known.
	Speedup           float64    `json:"speedup,omitempty"`
	SimulatedSpeedup  float64    `json:"simulated_speedup,omitempty"`
	StartupNs         units.Time `json:"startup_ns"`
	PropagationNs     units.Time `json:"propagation_ns"`
	TransmissionNs    units.Time `json:"transmission_ns"`
	ReductionNs       units.Time `json:"reduction_ns,omitempty"`
	ReconfigurationNs units.Time `json:"reconfiguration_ns"`
	Reconfigurations  int        `json:"reconfigurations"`
	Steps             int        `json:"steps"`
	BoundNs           units.Time `json:"bound_ns"`
	Gap               float64    `json:"gap"`
	// SameAlgorithmNs are the times of planners static and every-step with this row's algorithm,
	// as in plan; empty if the planner makes its own steps.
	SameAlgorithmNs plan.Baselines `json:"same_algorithm_ns"`
}

// Skipped is a combination for which there is no plan.
type Skipped struct {
	Algorithm string `json:"algorithm"`
	Planner   string `json:"planner"`
	Strategy  string `json:"strategy,omitempty"` // of planner exchange
	Reason    string `json:"reason"`
}

// Compare plans an operation with every applicable algorithm and every planner. An error that
// wraps planner.ErrInfeasible means that none of them has a plan.
func Compare(ctx context.Context, r CompareRequest, options ...command.Option) (done *Comparison, err error) {
	e := command.NewRun(options)
	r.Fabric = e.Fabric(r.Fabric)
	if err := r.Complete(); err != nil {
		return nil, err
	}
	e, err = r.besidePattern(ctx, e)
	if err != nil {
		return nil, err
	}
	if r.Pattern == nil && planning.Severed(&r.Fabric, []collective.Operation{r.Operation}) {
		return nil, r.none(planner.ErrInfeasible)
	}
	ways, err := r.asked().Compared(e.Search)
	if err != nil {
		return nil, err
	}
	answer := &Comparison{
		Schema: CompareSchema, Fabric: r.Fabric, Op: r.Operation.Op, Rows: []ComparisonRow{}, Skipped: []Skipped{},
	}
	if r.Pattern != nil {
		answer.Op = r.Pattern.Op
	}
	var impossible error
	tried := 0
	defer func() {
		err = e.Unfinished(ctx, err, func() (any, string) { return answer.soFar(tried, len(ways)) })
	}()
	request := e.Search.Ask(r.Fabric)
	request.Progress, request.Status, request.Better, request.Made = nil, nil, nil, nil
	for i, same := range ways {
		e.Report(i, len(ways))
		tried = i
		w := same[0]
		made, err := auto.Fastest(ctx, request, len(same), func(k int) (planner.Planner, collective.Sized, error) {
			c, err := same[k].Lay(ctx)
			if err == nil && same[k].Core == nil {
				answer.SizeBytes, answer.GPUs = int64(c.Size), c.Space.Members
			}
			if named, ok := err.(*field.Error); ok {
				err = field.In("operation", named)
			}
			return same[k].Planner, c, err
		})
		switch {
		case errors.Is(err, planner.ErrInfeasible):
			impossible = err
			answer.Skipped = append(answer.Skipped, Skipped{Algorithm: w.Algorithm, Planner: w.Planner.Name(), Strategy: w.Strategy, Reason: err.Error()})
		case err != nil:
			return nil, err
		default:
			if err := command.Prove(ctx, e.Know(made)); err != nil {
				return nil, planning.BlamePattern(r.Pattern, err)
			}
			row := newRow(made)
			row.Strategy = w.Strategy
			if row.SimulatedNs, row.Late, row.Unsimulated, err = r.ExplainedPacketTime(ctx, made); err != nil {
				return nil, err
			}
			answer.Rows = append(answer.Rows, row)
			if bound := made.OperationBound().Total(); answer.OperationBoundNs == 0 || bound < answer.OperationBoundNs {
				answer.OperationBoundNs = bound
			}
		}
	}
	if len(answer.Rows) == 0 && impossible != nil {
		return nil, r.none(impossible)
	}
	slices.SortStableFunc(answer.Rows, func(a, b ComparisonRow) int { return cmp.Compare(a.TotalNs, b.TotalNs) })
	if !request.Bare {
		if answer.BaselinesNs, answer.StaticAmong, err = r.baselines(ctx, e); err != nil {
			return nil, err
		}
		// The static baseline may pay more for its first set-up than that saves. A row whose
		// only reconfigurations are first set-ups is static, too.
		if first := answer.Rows[0]; first.Reconfigurations == r.Fabric.SetUps() && answer.BaselinesNs.Static > 0 {
			answer.BaselinesNs.Static = min(answer.BaselinesNs.Static, first.TotalNs)
		}
	}
	static := e.Search.Planners().Baseline(plan.Static)
	answer.Verdict = answer.staticDirect(static)
	answer.compareWithStatic(static)
	if r.ChooseBy == planning.ChooseBySimulated {
		slices.SortStableFunc(answer.Rows, bySimulated)
	}
	return answer, nil
}

// none returns an error that says why there is no plan at all.
func (r *CompareRequest) none(err error) error {
	return planning.BlameFailures(&r.Fabric, r.Operation.GPUs, []collective.Operation{r.Operation}, collective.Auto, err)
}

// besidePattern asks for all algorithms of the operation that a pattern performs, with the
// pattern as one of them. A pattern that performs no operation is compared by itself.
func (r *CompareRequest) besidePattern(ctx context.Context, e *command.Run) (*command.Run, error) {
	if r.Pattern == nil {
		return e, nil
	}
	operation, carries := r.Pattern.Operation()
	if !carries {
		return e, nil
	}
	knowing, err := planning.KnowPattern(ctx, e, r.Pattern)
	if err != nil {
		return nil, err
	}
	r.Operation, r.Pattern = operation, nil
	return knowing, command.CompleteOperation(&r.Operation, &r.Fabric)
}

// soFar returns the rows known so far, for when time runs out.
func (c *Comparison) soFar(tried, all int) (known any, how string) {
	if len(c.Rows) == 0 {
		return nil, ""
	}
	slices.SortStableFunc(c.Rows, func(a, b ComparisonRow) int { return cmp.Compare(a.TotalNs, b.TotalNs) })
	c.compareWithStatic(command.Planners().Baseline(plan.Static))
	return c, fmt.Sprintf("%d of %d ways were compared", tried, all)
}

// bySimulated orders rows by the simulated time of their packets; rows without one come last.
func bySimulated(a, b ComparisonRow) int {
	if (a.SimulatedNs == 0) != (b.SimulatedNs == 0) {
		return cmp.Compare(b.SimulatedNs, a.SimulatedNs)
	}
	return cmp.Compare(a.SimulatedNs, b.SimulatedNs)
}

// compareWithStatic records each row's speed-up over the fastest row of any planner that does
// not reconfigure; a row of the static planner may set circuits up once.
func (c *Comparison) compareWithStatic(static planner.Planner) {
	model, packets := units.Time(0), units.Time(0)
	for i := range c.Rows {
		row := &c.Rows[i]
		if !row.by(static) && row.Reconfigurations > c.Fabric.SetUps() {
			continue
		}
		if model == 0 || row.TotalNs < model {
			model = row.TotalNs
		}
		if row.SimulatedNs > 0 && (packets == 0 || row.SimulatedNs < packets) {
			packets = row.SimulatedNs
		}
	}
	for i := range c.Rows {
		row := &c.Rows[i]
		row.Speedup = float64(model / row.TotalNs)
		if row.SimulatedNs > 0 {
			row.SimulatedSpeedup = float64(packets / row.SimulatedNs)
		}
	}
}

// by reports whether a row is of a planner, which may be nil.
func (r *ComparisonRow) by(p planner.Planner) bool { return p != nil && r.Planner == p.Name() }

// staticDirect compares the static direct all-to-all with the best row.
func (c *Comparison) staticDirect(static planner.Planner) string {
	direct := algorithms.Direct(collective.AllToAll)
	for _, row := range c.Rows {
		if row.Algorithm != direct || !row.by(static) {
			continue
		}
		if best := c.Rows[0]; row.TotalNs > best.TotalNs {
			return fmt.Sprintf("static direct all-to-all takes %.2f times as long as %s with %s",
				float64(row.TotalNs/best.TotalNs), best.Algorithm, best.Planner)
		}
		return "static direct all-to-all wins: reconfiguring does not pay here"
	}
	return ""
}

func newRow(p *plan.Plan) ComparisonRow {
	return ComparisonRow{
		Algorithm: p.Collective.Algorithm, Planner: p.Planner, TotalNs: p.Cost.Total(),
		StartupNs: p.Cost.Startup, PropagationNs: p.Cost.Propagation, TransmissionNs: p.Cost.Transmission, ReductionNs: p.Cost.Reduction,
		ReconfigurationNs: p.Cost.Reconfiguration, Reconfigurations: p.Reconfigurations, Steps: p.CountSteps(),
		BoundNs: p.Bound, Gap: p.Gap(), SameAlgorithmNs: p.SameAlgorithm,
	}
}

// baselines returns the times of the fastest plan that does not reconfigure and of the fastest
// plan that reconfigures before every step, with any algorithms, even if only one algorithm is
// compared. Plan compares with the same baselines. among says among which plans the first is the
// fastest.
func (r *CompareRequest) baselines(ctx context.Context, e *command.Run) (b plan.Baselines, among string, err error) {
	extremes, err := r.asked().AnyAlgorithm().Extremes(ctx, nil, e.Search)
	for _, x := range extremes {
		b.Set(x.Role, x.Cost.Total())
		among += x.Among
	}
	return b, among, err
}
