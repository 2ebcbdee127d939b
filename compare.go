package lightpath

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/auto"
	"github.com/lightpath-net/lightpath/planner/exchange"
	"github.com/lightpath-net/lightpath/planner/exchange/strategy"
	"github.com/lightpath-net/lightpath/planner/idle"
	"github.com/lightpath-net/lightpath/units"
)

// CompareRequest asks for every algorithm with every planner.
type CompareRequest struct {
	Operation Operation `json:"operation,omitzero"` // its Algorithm: one, or all
	// Pattern is a collective of one's own, instead of Operation: with every planner that
	// takes the steps of others.
	Pattern       *collective.PatternFile `json:"pattern,omitempty"`
	Fabric        fabric.Fabric           `json:"fabric,omitzero"`
	PacketOptions                         // ChooseBy is what rows are in the order of
}

// UnmarshalJSON reads the JSON form.
func (r *CompareRequest) UnmarshalJSON(data []byte) error {
	type plain CompareRequest
	return readRequest(data, (*plain)(r))
}

// Complete fills in the defaults and reports the first field that makes no sense.
func (r *CompareRequest) Complete() error {
	if err := r.PacketOptions.complete(); err != nil {
		return err
	}
	if r.Pattern != nil {
		if r.Operation.Op != "" {
			return field.Errorf("pattern", "a pattern and an operation: want one of them")
		}
		return completePattern(r.Pattern, &r.Fabric)
	}
	return completeOperation(&r.Operation, &r.Fabric)
}

// completeOperation fills in an operation and the fabric that it is for. Where there is no
// fabric at all, a demand says how many GPUs there are.
func completeOperation(o *Operation, f *fabric.Fabric) error {
	if *f == (fabric.Fabric{}) && o.Demand != nil && o.GPUs == nil {
		*f = fabric.Default()
		f.Nodes = len(o.Demand)
	}
	if err := completeFabric(f); err != nil {
		return err
	}
	return field.In("operation", o.Complete(f.Nodes))
}

// Comparison is the outcome, fastest first.
type Comparison struct {
	Schema    string        `json:"schema"`
	Fabric    fabric.Fabric `json:"fabric"`
	Op        collective.Op `json:"op"`
	GPUs      []int         `json:"gpus,omitempty"` // that take part, if not all
	SizeBytes int64         `json:"size_bytes"`
	// Verdict says of an all-to-all how the simplest way does: everything at once over
	// circuits that never change.
	Verdict string `json:"verdict,omitempty"`
	// BaselinesNs are the fastest plan that does not rewire and the fastest that rewires before
	// every step, of any algorithm, also where one is asked for. OperationBoundNs is a time that
	// no plan for the operation can beat in the cost model, absent where there is no plan.
	BaselinesNs      plan.Baselines `json:"baselines_ns"`
	StaticAmong      string         `json:"static_among,omitempty"` // what the static one is the fastest of, if not of everything
	OperationBoundNs units.Time     `json:"operation_bound_ns,omitempty"`

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
	// SimulatedNs is the time of its packets of 4KiB, as simulate has it, or 0 and
	// Unsimulated says why it is not known.
	SimulatedNs units.Time `json:"simulated_ns,omitempty"`
	Unsimulated string     `json:"unsimulated,omitempty"`
	// Speedup and SimulatedSpeedup are how many times as fast it is as the fastest row
	// that does not rewire, by the model and packet by packet; 0 where that is not known.
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
	// SameAlgorithmNs are the times of planners static and every-step with this row's
	// algorithm, as plan has them; empty where a planner makes its own steps.
	SameAlgorithmNs plan.Baselines `json:"same_algorithm_ns"`
}

// Skipped is a combination for which there is no plan.
type Skipped struct {
	Algorithm string `json:"algorithm"`
	Planner   string `json:"planner"`
	Strategy  string `json:"strategy,omitempty"` // of planner exchange
	Reason    string `json:"reason"`
}

// Compare plans an operation with every algorithm that can do it and every planner. An error
// that wraps planner.ErrInfeasible means that none of them has a plan.
func Compare(ctx context.Context, r CompareRequest, options ...Option) (*Comparison, error) {
	e := newEnvironment(options)
	r.Fabric = e.fabric(r.Fabric)
	if err := r.Complete(); err != nil {
		return nil, err
	}
	ways, err := r.ways(e)
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
	for i, same := range ways {
		e.report(i, len(ways))
		w := same[0]
		made, err := auto.Fastest(ctx, r.request(e), len(same), func(k int) (planner.Planner, collective.Sized, error) {
			c, err := same[k].lay(ctx)
			if err == nil {
				answer.SizeBytes, answer.GPUs = int64(c.Size), c.Space.Members
			}
			return same[k].planner, c, err
		})
		switch {
		case errors.Is(err, planner.ErrInfeasible):
			impossible = err
			answer.Skipped = append(answer.Skipped, Skipped{Algorithm: w.algorithm, Planner: w.planner.Name(), Strategy: w.strategy, Reason: err.Error()})
		case err != nil:
			return nil, err
		default:
			if err := prove(ctx, e.know(made)); err != nil {
				return nil, blamePattern(r.Pattern, err)
			}
			row := newRow(made)
			row.Strategy = w.strategy
			if row.SimulatedNs, row.Unsimulated, err = r.simulated(ctx, made); err != nil {
				return nil, err
			}
			answer.Rows = append(answer.Rows, row)
			if bound := made.OperationBound().Total(); answer.OperationBoundNs == 0 || bound < answer.OperationBoundNs {
				answer.OperationBoundNs = bound
			}
		}
	}
	if len(answer.Rows) == 0 && impossible != nil {
		return nil, blameFailures(&r.Fabric, r.Operation.GPUs, []Operation{r.Operation}, Auto, impossible)
	}
	slices.SortStableFunc(answer.Rows, func(a, b ComparisonRow) int { return cmp.Compare(a.TotalNs, b.TotalNs) })
	if answer.BaselinesNs, answer.StaticAmong, err = r.baselines(ctx, e); err != nil {
		return nil, err
	}
	answer.Verdict = answer.staticDirect()
	answer.compareWithStatic()
	if r.ChooseBy == ChooseBySimulated {
		slices.SortStableFunc(answer.Rows, bySimulated)
	}
	return answer, nil
}

// bySimulated orders rows by how long their packets take, those of which that is not known
// last.
func bySimulated(a, b ComparisonRow) int {
	if (a.SimulatedNs == 0) != (b.SimulatedNs == 0) {
		return cmp.Compare(b.SimulatedNs, a.SimulatedNs)
	}
	return cmp.Compare(a.SimulatedNs, b.SimulatedNs)
}

// compareWithStatic notes how many times as fast every row is as the fastest that does not
// rewire, by whatever planner; one of planner static may have to set circuits up once.
func (c *Comparison) compareWithStatic() {
	model, packets := units.Time(0), units.Time(0)
	for i := range c.Rows {
		row := &c.Rows[i]
		if row.Planner != "static" && row.Reconfigurations > c.Fabric.SetUps() {
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

// allWays lists every algorithm with every planner, and the planners that make their own
// steps.
func (t *task) allWays(registry planner.Registry) ([]way, error) {
	var all []way
	var reason error
	for _, p := range registry {
		if p.Name() == Auto {
			continue
		}
		ways, err := t.ways(p)
		if err == nil && p.Name() == exchange.Name {
			ways, err = t.strategies()
		}
		if err == nil {
			all = append(all, ways...)
		} else if reason == nil {
			reason = err
		}
	}
	if len(all) == 0 {
		return nil, reason
	}
	return all, nil
}

// request is what the planners are asked.
func (r *CompareRequest) request(e *environment) planner.Request {
	return planner.Request{Fabric: r.Fabric, Programs: e.programs, Kept: e.kept}
}

// ways lists what is compared: of each algorithm with a planner and a strategy the way that
// has all of the fabric, and those that leave ports unused, as planning with it by name has
// them.
func (r *CompareRequest) ways(e *environment) ([][]way, error) {
	type name struct{ algorithm, planner, strategy string }
	place := map[name]int{}
	var all [][]way
	add := func(w way) {
		key := name{w.algorithm, w.planner.Name(), w.strategy}
		k, known := place[key]
		if !known {
			k = len(all)
			place[key], all = k, append(all, nil)
		}
		all[k] = append(all[k], w)
	}
	ways, reason := r.waysOn(&r.Fabric, e)
	for _, w := range ways {
		add(w)
	}
	for _, less := range idle.Of(&r.Fabric) {
		narrow := less.On(r.Fabric)
		ways, err := r.waysOn(&narrow, e)
		if err != nil {
			continue // they are not for fabrics that allow so little
		}
		for _, w := range ways {
			w.planner = less.Planner(w.planner)
			add(w)
		}
	}
	if len(all) == 0 {
		return nil, reason
	}
	return all, nil
}

// waysOn lists what is compared, with all of a fabric.
func (r *CompareRequest) waysOn(f *fabric.Fabric, e *environment) ([]way, error) {
	if r.Pattern == nil {
		t, err := newTask(r.Operation, f, e)
		if err != nil {
			return nil, field.In("operation", err)
		}
		ways, err := t.allWays(e.registry)
		return ways, field.In("operation", err)
	}
	var all []way
	for _, p := range e.registry {
		if takes(p, f) {
			all = append(all, patternWay(r.Pattern, p))
		}
	}
	return all, nil
}

// strategies lists every strategy of planner exchange, but the complete search only where
// auto includes it.
func (t *task) strategies() ([]way, error) {
	var all []way
	for _, name := range strategy.Names() {
		if name == strategy.Auto || name == strategy.Exact && t.fabric.Nodes > strategy.ExactNodes {
			continue // a complete search would take longer than all others
		}
		ways, err := t.ways(exchange.New(exchange.Options{Strategy: name}))
		if err != nil {
			return nil, err
		}
		for i := range ways {
			ways[i].strategy = name
		}
		all = append(all, ways...)
	}
	return all, nil
}

// staticDirect compares the static direct all-to-all with the best row.
func (c *Comparison) staticDirect() string {
	for _, row := range c.Rows {
		if row.Algorithm != "direct" || row.Planner != "static" {
			continue
		}
		if best := c.Rows[0]; row.TotalNs > best.TotalNs {
			return fmt.Sprintf("static direct all-to-all takes %.2f times as long as %s with %s",
				float64(row.TotalNs/best.TotalNs), best.Algorithm, best.Planner)
		}
		return "static direct all-to-all wins: rewiring does not pay here"
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
