package lightpath

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/files"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/sweep"
	"github.com/lightpath-net/lightpath/units"
)

// TuneRequest asks what is best for every size of an operation.
type TuneRequest struct {
	Op        collective.Op `json:"op"`
	Algorithm string        `json:"algorithm,omitempty"` // a name, or Auto or "": all
	Planner   string        `json:"planner,omitempty"`   // a name, or Auto or "": all
	// Least and Most are the sizes that it is for; 0: 1KiB and 1GiB.
	Least units.Bytes `json:"least_bytes,omitzero"`
	Most  units.Bytes `json:"most_bytes,omitzero"`
	// Fabric is the machine, and For are others to compare it with.
	Fabric fabric.Fabric `json:"fabric,omitzero"`
	For    []NamedFabric `json:"for,omitempty"`
}

// NamedFabric is a fabric with a name.
type NamedFabric struct {
	Name   string        `json:"name"`
	Fabric fabric.Fabric `json:"fabric,omitzero"`
}

// UnmarshalJSON reads the JSON form.
func (r *TuneRequest) UnmarshalJSON(data []byte) error {
	type plain TuneRequest
	return readRequest(data, (*plain)(r))
}

// Complete fills in the defaults and reports the first field that makes no sense.
func (r *TuneRequest) Complete() error {
	if _, err := collective.ParseOp(string(r.Op)); err != nil {
		return field.In("op", err)
	}
	r.Algorithm, r.Planner = cmp.Or(r.Algorithm, Auto), cmp.Or(r.Planner, Auto)
	r.Least, r.Most = cmp.Or(r.Least, units.KiB), cmp.Or(r.Most, units.GiB)
	if r.Least < 1 || r.Least > r.Most {
		return field.Errorf("size", "from %v to %v; want a range that goes up, such as 1KiB..1GiB", r.Least, r.Most)
	}
	if err := completeFabric(&r.Fabric); err != nil {
		return err
	}
	for i := range r.For {
		if err := completeFabric(&r.For[i].Fabric); err != nil {
			return field.In(field.Index("for", i), err)
		}
	}
	return nil
}

// TuneSchema names the JSON form of a tuning table and its version.
const TuneSchema = "lightpath.tune/v1"

// Tuning is the outcome: for every size, what to use.
type Tuning struct {
	Schema    string        `json:"schema"`
	Version   string        `json:"version"` // of the planner
	Op        collective.Op `json:"op"`
	Fabric    fabric.Fabric `json:"fabric"`
	MostBytes int64         `json:"most_bytes"` // the last size that it is for
	Rows      []TuneRow     `json:"rows"`       // smallest sizes first
	Curve     []TunePoint   `json:"curve,omitempty"`
	Others    []TuneTable   `json:"others,omitempty"`
}

// TuneTable is the rows of another fabric.
type TuneTable struct {
	Name   string        `json:"name"`
	Fabric fabric.Fabric `json:"fabric"`
	Rows   []TuneRow     `json:"rows"`
	Curve  []TunePoint   `json:"curve,omitempty"`
}

// TunePoint is the time of a table's choice at a size, and that of the best static plan of
// any planner, absent where there is none. A curve has one for the first size, the last,
// every row and sizes in between.
type TunePoint struct {
	SizeBytes        int64      `json:"size_bytes"`
	TotalNs          units.Time `json:"total_ns"`
	StaticNs         units.Time `json:"static_ns,omitempty"`
	Topologies       []string   `json:"topologies"` // a planner that makes its own steps may change these within a row
	Reconfigurations int        `json:"reconfigurations"`
}

// TuneRow says: from this size on, this choice. The time is that of this size, and so is
// the speed-up, over the best static plan of any planner.
type TuneRow struct {
	FromBytes        int64      `json:"from_bytes"`
	Algorithm        string     `json:"algorithm"`
	Planner          string     `json:"planner"`
	Topologies       []string   `json:"topologies"` // one for each stage
	Reconfigurations int        `json:"reconfigurations"`
	TotalNs          units.Time `json:"total_ns"`
	StaticNs         units.Time `json:"static_ns,omitempty"`
	Speedup          float64    `json:"speedup,omitempty"`
	// NsPerByte is what a byte more takes, up to the next row; absent where the steps depend
	// on the size.
	NsPerByte float64 `json:"ns_per_byte,omitempty"`
}

// Tune finds the best algorithm, planner and topologies for every size, and the sizes at
// which one takes over from another: where two lines meet, and not on a grid. They are exact
// to the byte where a planner's best time is the least of lines in the size, as it is with
// the steps of an algorithm on a given pool of topologies. Where it is not (planners that
// make their own steps, or look for topologies and miss some), neighbouring sizes with
// different choices are found by halving the range between them, and a third choice that
// wins only in between may be missed.
func Tune(ctx context.Context, r TuneRequest, options ...Option) (*Tuning, error) {
	e := newEnvironment(options)
	r.For = slices.Clone(r.For)
	if err := r.Complete(); err != nil {
		return nil, err
	}
	rows, curve, err := r.table(ctx, e, r.Fabric)
	if err != nil {
		return nil, err
	}
	t := &Tuning{Schema: TuneSchema, Version: Version(), Op: r.Op, Fabric: r.Fabric, MostBytes: int64(r.Most), Rows: rows, Curve: curve}
	for i, other := range r.For {
		rows, curve, err := r.table(ctx, e, other.Fabric)
		if err != nil {
			return nil, field.In(field.Index("for", i), err)
		}
		t.Others = append(t.Others, TuneTable{other.Name, other.Fabric, rows, curve})
	}
	return t, nil
}

// table finds the rows and the curve of a fabric.
func (r *TuneRequest) table(ctx context.Context, e *environment, f fabric.Fabric) ([]TuneRow, []TunePoint, error) {
	rows, err := r.rows(ctx, e, f)
	if err != nil {
		return nil, nil, err
	}
	curve, err := r.curve(ctx, e, f, rows)
	return rows, curve, err
}

// curve finds the times between rows: on the line of a row that is one, else by planning
// its choice.
func (r *TuneRequest) curve(ctx context.Context, e *environment, f fabric.Fabric, rows []TuneRow) ([]TunePoint, error) {
	quiet := *e
	quiet.progress = nil
	columns := sweep.NewColumns(e.registry, nil) // finds the lines of static plans once
	var curve []TunePoint
	for i := range rows {
		row := &rows[i]
		by, err := e.registry.Lookup(row.Planner)
		if err != nil {
			return nil, err
		}
		for _, size := range r.curveSizes(rows, i) {
			p := TunePoint{
				SizeBytes: int64(size), TotalNs: row.TotalNs + units.Time(row.NsPerByte*float64(int64(size)-row.FromBytes)),
				StaticNs: row.StaticNs, Topologies: row.Topologies, Reconfigurations: row.Reconfigurations,
			}
			if int64(size) > row.FromBytes {
				static, err := columns.Baselines(ctx, sweep.Request{Fabric: f, Op: r.Op, Size: size})
				if err != nil {
					return nil, err
				}
				p.StaticNs = static.Static
				if row.NsPerByte == 0 {
					request := PlanRequest{Fabric: f, Planner: row.Planner, Operations: []Operation{{Op: r.Op, Size: size, Algorithm: row.Algorithm}}}
					if err := request.Complete(); err != nil {
						return nil, err
					}
					made, err := request.fastest(ctx, by, &quiet)
					if err != nil {
						return nil, err
					}
					p.TotalNs, p.Topologies, p.Reconfigurations = made.Cost.Total(), topologiesOf(made), made.Reconfigurations
				}
			}
			curve = append(curve, p)
		}
	}
	return curve, nil
}

// curveFactor is that between the sizes of a curve: static plans and planners that make
// their own steps change few times from one size to the next.
const curveFactor = 2

// curveSizes lists the sizes of a curve that belong to a row: its first, round ones, and the
// last of all.
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
		if s > r.Most/curveFactor { // the next might be too large a number
			break
		}
	}
	if i+1 == len(rows) && end > sizes[len(sizes)-1] {
		sizes = append(sizes, end)
	}
	return sizes
}

// rows finds the rows of a fabric.
func (r *TuneRequest) rows(ctx context.Context, e *environment, f fabric.Fabric) ([]TuneRow, error) {
	p, err := e.registry.Lookup(r.Planner)
	if err != nil {
		return nil, field.In("planner", err)
	}
	made := map[units.Bytes]*plan.Plan{}
	asked := 0
	found, err := sweep.SwitchOvers(r.Least, r.Most, func(size units.Bytes) (sweep.Choice, error) {
		request := PlanRequest{Fabric: f, Planner: r.Planner, Operations: []Operation{{Op: r.Op, Size: size, Algorithm: r.Algorithm}}}
		if err := request.Complete(); err != nil {
			return sweep.Choice{}, err
		}
		quiet := *e
		quiet.progress, quiet.bare = nil, true
		best, err := request.fastest(ctx, p, &quiet)
		if err != nil {
			return sweep.Choice{}, err
		}
		made[size] = best
		asked++
		e.report(asked, asked+8) // how many lines there are is not known before
		return sweep.Choice{
			Name: choiceName(best, e.registry), Bent: composes(best, e.registry),
			At0: float64(best.Cost.Total() - best.Cost.Bytes()), Slope: float64(best.Cost.Bytes()) / float64(size),
		}, nil
	})
	if err != nil {
		return nil, err
	}
	columns := sweep.NewColumns(e.registry, nil)
	columns.FewSizes = true
	var rows []TuneRow
	for _, s := range found {
		p := made[s.From]
		row := TuneRow{
			FromBytes: int64(s.From), Algorithm: p.Collective.Algorithm, Planner: p.Planner, Topologies: topologiesOf(p),
			Reconfigurations: p.Reconfigurations, TotalNs: p.Cost.Total(),
		}
		if !composes(p, e.registry) {
			row.NsPerByte = s.Slope
		}
		static, err := columns.Baselines(ctx, sweep.Request{Fabric: f, Op: r.Op, Size: s.From})
		if err != nil {
			return nil, err
		}
		if static.Static > 0 {
			row.StaticNs, row.Speedup = static.Static, float64(static.Static/row.TotalNs)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// composes reports whether the planner of a plan makes its own steps: these may depend on
// the size, so that times are not lines.
func composes(p *plan.Plan, registry planner.Registry) bool {
	by, err := registry.Lookup(p.Planner)
	if err != nil {
		return true
	}
	_, ok := by.(planner.Composer)
	return ok
}

// choiceName names what a table has a row for: the algorithm, the planner and, of steps
// that no size changes, the circuits.
func choiceName(p *plan.Plan, registry planner.Registry) string {
	name := p.Collective.Algorithm + " " + p.Planner
	if !composes(p, registry) {
		name += " " + strings.Join(topologiesOf(p), " ")
	}
	return name
}

// topologiesOf names the circuits of a plan, stage by stage.
func topologiesOf(p *plan.Plan) []string {
	names := make([]string, len(p.Stages))
	for i := range p.Stages {
		names[i] = p.Stages[i].Topology.Name()
	}
	return names
}

// Lookup returns the row for a size: the last that begins at it or before. It does not
// allocate.
func (t *Tuning) Lookup(size units.Bytes) (row *TuneRow, ok bool) {
	if int64(size) > t.MostBytes {
		return nil, false
	}
	i, found := slices.BinarySearchFunc(t.Rows, int64(size), func(r TuneRow, size int64) int { return cmp.Compare(r.FromBytes, size) })
	if !found {
		i--
	}
	if i < 0 {
		return nil, false
	}
	return &t.Rows[i], true
}

// Apply gives a request for one operation the algorithm and the planner of its row.
func (t *Tuning) Apply(r *PlanRequest) error {
	if len(r.Operations) != 1 || r.Operations[0].Demand != nil || r.Operations[0].Generator != "" {
		return fmt.Errorf("a tuning table is for one operation of one size")
	}
	o := &r.Operations[0]
	f := r.Fabric
	if err := completeFabric(&f); err != nil {
		return err
	}
	size := cmp.Or(o.Size, collective.DefaultSize)
	row, ok := t.Lookup(size)
	switch {
	case o.Op != t.Op:
		return fmt.Errorf("the table is for %s, not %s", t.Op, o.Op)
	case f != t.Fabric:
		return fmt.Errorf("the table is for another fabric (%s)", difference(&t.Fabric, &f))
	case !ok:
		return fmt.Errorf("the table is for sizes from %v to %v, not %v", units.Bytes(t.Rows[0].FromBytes), units.Bytes(t.MostBytes), size)
	}
	o.Algorithm, r.Planner = row.Algorithm, row.Planner
	return nil
}

// difference names the first setting in which fabrics differ.
func difference(a, b *fabric.Fabric) string {
	for _, s := range fabric.Settings() {
		if x, y := s.Get(a), s.Get(b); x != y {
			return fmt.Sprintf("%s is %s there and %s here", s.Name, x, y)
		}
	}
	return "in its settings"
}

// maxTuning bounds a table's file: a row has some hundred bytes.
const maxTuning = 64 << 20

// ReadTuning reads a tuning table that was written as JSON.
func ReadTuning(name string) (*Tuning, error) {
	file, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxTuning))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	t := &Tuning{}
	if err := t.parse(data); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}

// parse reads the JSON form.
func (t *Tuning) parse(data []byte) error {
	if err := json.Unmarshal(data, t); err != nil {
		var kind *json.UnmarshalTypeError
		if errors.As(err, &kind) { // its message is about Go types
			if kind.Field == "" {
				return fmt.Errorf("not a tuning table, which is an object with rows, but JSON of another kind (%s)", kind.Value)
			}
			return fmt.Errorf("not a tuning table: %s is of the wrong kind (%s)", kind.Field, kind.Value)
		}
		return fmt.Errorf("not a tuning table: %w", err)
	}
	if t.Schema != TuneSchema {
		return fmt.Errorf("schema is %.40q, want %q", t.Schema, TuneSchema)
	}
	if len(t.Rows) == 0 {
		return fmt.Errorf("the table has no rows")
	}
	for i := 1; i < len(t.Rows); i++ {
		if t.Rows[i].FromBytes <= t.Rows[i-1].FromBytes {
			return fmt.Errorf("rows[%d].from_bytes: not above that of the row before", i)
		}
	}
	return nil
}

// Verdict says in one line whether optical switching pays: at the sizes of the curve, which
// are all there is to say where every row is a line.
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
		text := "rewiring pays for no size"
		if slices.ContainsFunc(t.Rows, func(r TuneRow) bool { return r.NsPerByte == 0 }) {
			text = "rewiring pays for none of the sizes looked at"
		}
		if t.oneTopology() {
			text += ": one topology is best throughout"
		}
		return text
	case best < sweep.PaysFrom:
		return fmt.Sprintf("rewiring hardly pays: at most %.2f times as fast as the best static plan", best)
	}
	return fmt.Sprintf("rewiring pays: %.2f times as fast as the best static plan, at %v", best, units.Bytes(at))
}

// Changes returns the least and the most changes of circuits of a row, at the sizes of the
// curve.
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
