// Package tuning implements the command tune: what to use from which size on, as a table that can
// be written, read and queried.
package tuning

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/iterating"
	"github.com/lightpath-net/lightpath/command/planning"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/sweep"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
)

// TuneRequest asks for the best choice at every size of an operation.
type TuneRequest struct {
	Op collective.Op `json:"op"` // "": that of the pattern, or those of the workload
	// Workload, if it is not nil, has collectives of groups: each has a table for its sizes.
	Workload *workload.Workload `json:"workload,omitempty" help:"make a table for every collective of the workload in ${FILE}.json, for its sizes, on a fabric of one group"`
	// Pattern is one more algorithm of the operation that it carries out.
	Pattern   *collective.PatternFile `json:"pattern,omitempty" help:"try the steps in ${FILE}.json as one more algorithm"`
	Algorithm string                  `json:"algorithm,omitempty" help:"algorithm ${NAME}, or auto: all" default:"auto"`
	Planner   string                  `json:"planner,omitempty" help:"planner ${NAME}, or auto: all" default:"auto"`
	// Least and Most are the range of sizes; 0: 1KiB and 1GiB.
	Least units.Bytes `json:"least_bytes,omitzero"`
	Most  units.Bytes `json:"most_bytes,omitzero"`
	// Fabric is the machine, and For lists other fabrics to compare it with.
	Fabric fabric.Fabric `json:"fabric,omitzero"`
	For    []NamedFabric `json:"for,omitempty"`
	// To is the form that the table is for: NCCLTuner, or "". With Channels channels for NCCL; 0: one
	// for every port.
	To       string `json:"to,omitempty" help:"write a table in ${FORMAT}: nccl-tuner, for NCCL's own choice of algorithms"`
	Channels int    `json:"channels,omitempty" help:"nccl-tuner: ${K} channels" default:"one for every port"`
}

// NamedFabric is a fabric with a name.
type NamedFabric struct {
	Name   string        `json:"name"`
	Fabric fabric.Fabric `json:"fabric,omitzero"`
}

// UnmarshalJSON reads the JSON form.
func (r *TuneRequest) UnmarshalJSON(data []byte) error {
	type plain TuneRequest
	return command.ReadRequest(data, (*plain)(r))
}

// Complete fills in the defaults and reports the first invalid field.
func (r *TuneRequest) Complete() error {
	if r.Workload != nil {
		return r.completeWorkload()
	}
	if r.Pattern != nil {
		if err := planning.CompletePattern(r.Pattern, &r.Op, &r.Fabric); err != nil {
			return err
		}
	}
	if _, err := collective.ParseOp(string(r.Op)); err != nil {
		return field.In("op", err)
	}
	r.Algorithm, r.Planner = cmp.Or(r.Algorithm, collective.Auto), cmp.Or(r.Planner, collective.Auto)
	if err := r.completeTo(); err != nil {
		return err
	}
	r.Least, r.Most = cmp.Or(r.Least, units.KiB), cmp.Or(r.Most, units.GiB)
	if r.Least < 1 || r.Least > r.Most {
		return field.Errorf("size", "from %v to %v; want an ascending range, such as 1KiB..1GiB", r.Least, r.Most)
	}
	if err := command.CompleteFabric(&r.Fabric); err != nil {
		return err
	}
	for i := range r.For {
		if err := command.CompleteFabric(&r.For[i].Fabric); err != nil {
			return field.In(field.Index("for", i), err)
		}
	}
	return nil
}

// completeWorkload checks the other fields beside a workload.
func (r *TuneRequest) completeWorkload() error {
	switch {
	case r.Op != "":
		return field.Errorf("op", "there is a workload, too; want one of them")
	case r.Pattern != nil:
		return field.Errorf("pattern", "there is a workload, too; want one of them")
	case len(r.For) > 0:
		return field.Errorf("for", "not with a workload, whose groups are fabrics of their own")
	case r.Least > 0 || r.Most > 0:
		return field.Errorf("size", "the workload says the sizes; leave it out")
	}
	r.Algorithm, r.Planner = cmp.Or(r.Algorithm, collective.Auto), cmp.Or(r.Planner, collective.Auto)
	if err := r.completeTo(); err != nil {
		return err
	}
	asked := iterating.IterateRequest{Workload: r.Workload, Fabric: r.Fabric}
	err := asked.Complete()
	r.Fabric = asked.Fabric
	return err
}

// TuneSchema names the JSON form of a tuning table and its version.
const TuneSchema = "lightpath.tune/v1"

// Tuning is the result of Tune: the choice for every size.
type Tuning struct {
	Schema  string `json:"schema"`
	Version string `json:"version"` // of the planner
	// Name is, for a workload, the kind of group whose collective the table is for; Others then
	// hold the tables of its other collectives.
	Name string `json:"name,omitempty"`
	// To is the form that limits the choices of the table; "": all choices.
	To        string        `json:"to,omitempty"`
	Op        collective.Op `json:"op"`
	Fabric    fabric.Fabric `json:"fabric"`
	MostBytes int64         `json:"most_bytes"` // the largest size of the table
	Rows      []TuneRow     `json:"rows"`       // smallest sizes first
	Curve     []TunePoint   `json:"curve,omitempty"`
	Others    []TuneTable   `json:"others,omitempty"`
}

// TuneTable holds the rows of another fabric, or of another collective of a workload.
type TuneTable struct {
	Name string `json:"name"`
	// Op and MostBytes describe the collective; absent if they are the same as above.
	Op        collective.Op `json:"op,omitempty"`
	MostBytes int64         `json:"most_bytes,omitempty"`
	Fabric    fabric.Fabric `json:"fabric"`
	Rows      []TuneRow     `json:"rows"`
	Curve     []TunePoint   `json:"curve,omitempty"`
}

// TunePoint is the time of a table's choice at a size, and the time of the best static plan of
// any planner, absent if there is none. A curve has a point for the first and the last size,
// every row, and sizes in between.
type TunePoint struct {
	SizeBytes        int64      `json:"size_bytes"`
	TotalNs          units.Time `json:"total_ns"`
	StaticNs         units.Time `json:"static_ns,omitempty"`
	Topologies       []string   `json:"topologies"`
	Reconfigurations int        `json:"reconfigurations"`
}

// TuneRow is the choice from one size on: its circuits and number of steps. The time, and the
// speed-up over the best static plan of any planner, are those at this size.
type TuneRow struct {
	FromBytes        int64      `json:"from_bytes"`
	Algorithm        string     `json:"algorithm"`
	Planner          string     `json:"planner"`
	Topologies       []string   `json:"topologies"` // one for each stage
	Steps            int        `json:"steps"`
	Reconfigurations int        `json:"reconfigurations"`
	TotalNs          units.Time `json:"total_ns"`
	StaticNs         units.Time `json:"static_ns,omitempty"`
	Speedup          float64    `json:"speedup,omitempty"`
	// NsPerByte is the time per additional byte, up to the next row; absent if the time is not
	// linear in the size.
	NsPerByte float64 `json:"ns_per_byte,omitempty"`
}

// Tune finds the best algorithm, planner and topologies for every size, and the sizes at which
// one overtakes another: where two lines meet, not on a grid. Different steps or circuits count
// as a different choice, also for a planner that makes its own steps. Sizes are exact to the
// byte if a planner's best time is a minimum of lines in the size. That holds for the steps of
// an algorithm on a given pool of topologies, and for the steps that planner joint composes. It
// does not hold for planners that search for topologies and miss some: there, bisection finds
// neighbouring sizes with different choices and may miss a third choice that wins only in
// between.
func Tune(ctx context.Context, r TuneRequest, options ...command.Option) (*Tuning, error) {
	e := command.NewRun(options)
	r.For = slices.Clone(r.For)
	if err := r.Complete(); err != nil {
		return nil, err
	}
	if r.Workload != nil {
		return r.tables(ctx, e)
	}
	if r.Pattern != nil {
		var err error
		if e, err = planning.KnowPattern(ctx, e, r.Pattern); err != nil {
			return nil, err
		}
	}
	rows, curve, err := r.table(ctx, e, r.Fabric)
	if err != nil {
		return nil, err
	}
	t := &Tuning{Schema: TuneSchema, Version: command.Version(), To: r.To, Op: r.Op, Fabric: r.Fabric, MostBytes: int64(r.Most), Rows: rows, Curve: curve}
	for i, other := range r.For {
		rows, curve, err := r.table(ctx, e, other.Fabric)
		if err != nil {
			return nil, field.In(field.Index("for", i), err)
		}
		t.Others = append(t.Others, TuneTable{Name: other.Name, Fabric: other.Fabric, Rows: rows, Curve: curve})
	}
	return t, nil
}

// tables makes a table for every collective of the workload.
func (r *TuneRequest) tables(ctx context.Context, e *command.Run) (*Tuning, error) {
	g, err := r.Workload.Graph(ctx)
	if err != nil {
		return nil, field.In("workload", err)
	}
	list, err := iteration.Communications(iteration.NewProgram(g), &r.Fabric)
	switch {
	case errors.Is(err, iteration.ErrFabric):
		return nil, field.In("fabric", err)
	case err != nil:
		return nil, err
	case len(list) == 0:
		return nil, field.Errorf("workload", "it has no collective without a skew")
	}
	if r.To == NCCLTuner {
		list = slices.DeleteFunc(list, func(c iteration.Communication) bool { return ncclAlgorithms[c.Op] == nil })
		if len(list) == 0 {
			return nil, field.Errorf("workload", "it has no collective that NCCL's tuner chooses for: %s", ncclOps())
		}
	}
	t := &Tuning{Schema: TuneSchema, Version: command.Version(), To: r.To}
	for i, c := range list {
		e.Report(i, len(list))
		one := TuneRequest{Op: c.Op, Algorithm: r.Algorithm, Planner: r.Planner, Least: c.Least, Most: c.Most, Fabric: c.Fabric, To: r.To, Channels: r.Channels}
		if err := one.Complete(); err != nil {
			return nil, fmt.Errorf("%s %s: %w", c.Kind, c.Op, err)
		}
		rows, curve, err := one.table(ctx, e, one.Fabric)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", c.Kind, c.Op, err)
		}
		if i == 0 {
			t.Name, t.Op, t.Fabric, t.MostBytes, t.Rows, t.Curve = c.Kind, c.Op, one.Fabric, int64(c.Most), rows, curve
			continue
		}
		t.Others = append(t.Others, TuneTable{c.Kind, c.Op, int64(c.Most), one.Fabric, rows, curve})
	}
	return t, nil
}

// Tables lists all tables, including the first, each with its operation.
func (t *Tuning) Tables() []TuneTable {
	list := append([]TuneTable{{t.Name, t.Op, t.MostBytes, t.Fabric, t.Rows, t.Curve}}, t.Others...)
	for i := range list {
		list[i].Op, list[i].MostBytes = cmp.Or(list[i].Op, t.Op), cmp.Or(list[i].MostBytes, t.MostBytes)
	}
	return list
}

// of returns the table for an operation on a fabric by itself; the first if there is none.
func (t *Tuning) of(op collective.Op, f *fabric.Fabric) *Tuning {
	for _, table := range t.Tables() {
		if table.Op == op && table.Fabric.Equal(*f) {
			one := *t
			one.Op, one.MostBytes, one.Fabric, one.Rows, one.Curve = op, table.MostBytes, table.Fabric, table.Rows, table.Curve
			return &one
		}
	}
	return t
}

// Verdict says in one line whether optical switching pays off at the sizes of the curve. These
// tell everything if every row is a line.
func (t *TuneTable) Verdict() string {
	best, at, any := 1.0, int64(0), false
	for i := range t.Curve {
		p := &t.Curve[i]
		if p.Reconfigurations == 0 {
			continue
		}
		any = true
		if speedup := float64(p.StaticNs / p.TotalNs); speedup > best {
			best, at = speedup, p.SizeBytes
		}
	}
	switch {
	case !any:
		text := "reconfiguring does not pay at any size"
		if slices.ContainsFunc(t.Rows, func(r TuneRow) bool { return r.NsPerByte == 0 }) {
			text = "reconfiguring does not pay at any of the sizes looked at"
		}
		if t.oneTopology() {
			text += ": one topology is best throughout"
		}
		return text
	case best < sweep.PaysFrom:
		return fmt.Sprintf("reconfiguring hardly pays: at most %.2f times as fast as the best static plan", best)
	}
	return fmt.Sprintf("reconfiguring pays: %.2f times as fast as the best static plan, at %v", best, units.Bytes(at))
}

// Changes returns the smallest and the largest number of circuit changes of a row, at the sizes
// of the curve.
func (t *TuneTable) Changes(row int) (least, most int) {
	least, most = t.Rows[row].Reconfigurations, t.Rows[row].Reconfigurations
	for i := range t.Curve {
		p := &t.Curve[i]
		if p.SizeBytes >= t.Rows[row].FromBytes && (row+1 == len(t.Rows) || p.SizeBytes < t.Rows[row+1].FromBytes) {
			least, most = min(least, p.Reconfigurations), max(most, p.Reconfigurations)
		}
	}
	return least, most
}

// oneTopology reports whether all plans are on the same circuits throughout.
func (t *TuneTable) oneTopology() bool {
	var names []string
	for i := range t.Curve {
		names = append(names, t.Curve[i].Topologies...)
	}
	slices.Sort(names)
	return len(slices.Compact(names)) == 1
}
