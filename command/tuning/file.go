package tuning

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/planning"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/files"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// Lookup returns the row for a size: the last row that begins at or before it. It does not
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
func (t *Tuning) Apply(r *planning.PlanRequest) error {
	_, err := t.apply(r)
	return err
}

// apply is Apply, and returns the table of the row by itself.
func (t *Tuning) apply(r *planning.PlanRequest) (*Tuning, error) {
	if len(r.Operations) != 1 {
		return nil, fmt.Errorf("a tuning table is for one operation")
	}
	o := &r.Operations[0]
	if o.Demand != nil || o.Generator != "" {
		return nil, fmt.Errorf("a tuning table is for the same bytes between every pair, not for a demand")
	}
	f := r.Fabric
	if err := command.CompleteFabric(&f); err != nil {
		return nil, err
	}
	t = t.of(o.Op, &f)
	size := cmp.Or(o.Size, collective.DefaultSize)
	row, ok := t.Lookup(size)
	switch {
	case o.Op != t.Op:
		return nil, fmt.Errorf("the table is for %s, not %s", t.Op, o.Op)
	case !f.Equal(t.Fabric):
		return nil, fmt.Errorf("the table is for another fabric (%s)", difference(&t.Fabric, &f))
	case o.GPUs != nil && len(o.GPUs) != f.Nodes:
		return nil, fmt.Errorf("the table is for all %d GPUs, not for some of them", f.Nodes)
	case !ok:
		return nil, fmt.Errorf("the table is for sizes from %v to %v, not %v", units.Bytes(t.Rows[0].FromBytes), units.Bytes(t.MostBytes), size)
	}
	o.Algorithm, r.Planner = row.Algorithm, row.Planner
	return t, nil
}

// At returns the row's time for a size in its range; false if the row does not give one.
func (r *TuneRow) At(size units.Bytes) (units.Time, bool) {
	if r.NsPerByte == 0 && int64(size) != r.FromBytes {
		return 0, false
	}
	return r.TotalNs + units.Time(r.NsPerByte*float64(int64(size)-r.FromBytes)), true
}

// Plan makes the plan of the table's row and verifies it. It plans neither other choices nor
// baselines; the plan has the best static baseline if the table has it.
func (t *Tuning) Plan(ctx context.Context, r planning.PlanRequest, options ...command.Option) (*plan.Plan, *TuneRow, error) {
	r.Operations = slices.Clone(r.Operations)
	t, err := t.apply(&r)
	if err != nil {
		return nil, nil, err
	}
	size := cmp.Or(r.Operations[0].Size, collective.DefaultSize)
	row, _ := t.Lookup(size)
	made, err := planning.Plan(ctx, r, append(slices.Clone(options), command.WithoutBaselines())...)
	if err != nil {
		return nil, nil, err
	}
	made.Baselines.Static = t.static(row, size, made)
	return made, row, nil
}

// static returns the time of the best static plan, 0 if the table does not give it.
func (t *Tuning) static(row *TuneRow, size units.Bytes, made *plan.Plan) units.Time {
	if row.Reconfigurations == 0 && made.Reconfigurations == 0 && row.StaticNs == row.TotalNs {
		return made.Cost.Total() // the row is the best static plan, up to the next row
	}
	i, found := slices.BinarySearchFunc(t.Curve, int64(size), func(p TunePoint, size int64) int { return cmp.Compare(p.SizeBytes, size) })
	if !found {
		return 0
	}
	return t.Curve[i].StaticNs
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

// maxTuning bounds the size of a table's file: a row has a few hundred bytes.
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
		if errors.As(err, &kind) { // the error's message is about Go types
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
