package sweep

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/units"
)

// Spec defines the cells of a sweep: one for every combination of the axes' values.
type Spec struct {
	Fabric fabric.Fabric // the settings that no axis has
	// Axes has at most one axis of each name; op, algorithm, planner and size are required. If
	// operations have sizes of their own (allreduce/100MB), all of them do, and there is no axis
	// of sizes.
	Axes []Axis
	// Packet, if not 0, also asks for every plan's time in packets of that size.
	Packet units.Bytes
	// Pattern identifies the pattern that is one more algorithm, "" if there is none: with
	// another pattern, cells are different.
	Pattern string
	// Workload identifies the workload whose iterations are planned in place of an operation, ""
	// if there is none. The axis op then has only the value Iterations, and the axis of
	// algorithms has policies.
	Workload string
	// Version identifies the planner: answers of other versions are not reused.
	Version string
}

// Iterations is the operation of cells that are whole iterations.
const Iterations = "iteration"

// Request is the request of a cell.
type Request struct {
	Fabric    fabric.Fabric
	Op        collective.Op
	Size      units.Bytes
	Algorithm string // a name, or auto
	Planner   string // a name, or auto
	Packet    units.Bytes
	Pattern   string // of the Spec
	Workload  string // of the Spec
}

// maxCells bounds a grid: a table holds all of its cells, at a few hundred bytes each, and
// planning more would take days. A larger grid must be a mistake.
const maxCells = 10_000_000

// NewSpec sorts the axes and checks every value that can be checked by itself.
func NewSpec(f fabric.Fabric, axes []Axis, packet units.Bytes, version string) (*Spec, error) {
	s := &Spec{Fabric: f, Packet: packet, Version: version}
	names := Names()
	own, err := ownSizes(axes)
	if err != nil {
		return nil, err
	}
	own = own || slices.ContainsFunc(axes, func(a Axis) bool { return a.Name == AxisOp && slices.Contains(a.Values, Iterations) })
	for _, name := range names {
		k := slices.IndexFunc(axes, func(a Axis) bool { return a.Name == name })
		if k < 0 {
			if own && name == AxisSize {
				continue
			}
			if name == AxisOp || name == AxisAlgorithm || name == AxisPlanner || name == AxisSize {
				return nil, field.Errorf(name, "must be given")
			}
			continue
		}
		if len(axes[k].Values) == 0 {
			return nil, field.Errorf(name, "has no value")
		}
		s.Axes = append(s.Axes, axes[k])
	}
	if len(s.Axes) != len(axes) {
		return nil, fmt.Errorf("an axis is unknown or given twice; there are %s", strings.Join(names, ", "))
	}
	if cells := s.size(); cells > maxCells {
		return nil, fmt.Errorf("the grid has %.3g cells; want at most %d: fewer values, or several sweeps", cells, maxCells)
	}
	for _, a := range s.Axes {
		for _, v := range a.Values {
			r := Request{Fabric: f}
			if err := r.set(a.Name, v); err != nil {
				return nil, field.In(a.Name, err)
			}
		}
	}
	return s, nil
}

// ownSizes reports whether operations have sizes of their own. Either all have or none.
func ownSizes(axes []Axis) (own bool, err error) {
	for _, a := range axes {
		if a.Name != AxisOp {
			continue
		}
		sized := each.Count(a.Values, func(v string) bool { return strings.Contains(v, "/") })
		if own = sized > 0; own && sized < len(a.Values) {
			return own, field.Errorf(AxisOp, "some operations have a size and some have none: %s", strings.Join(a.Values, ", "))
		}
	}
	if own && slices.ContainsFunc(axes, func(a Axis) bool { return a.Name == AxisSize }) {
		return own, fmt.Errorf("%s: operations have sizes of their own", AxisSize)
	}
	return own, nil
}

// OwnSizes reports whether operations have sizes of their own.
func (s *Spec) OwnSizes() bool {
	return !slices.ContainsFunc(s.Axes, func(a Axis) bool { return a.Name == AxisSize })
}

// size returns the number of cells, which may be more than an int holds.
func (s *Spec) size() float64 {
	product := 1.0
	for _, a := range s.Axes {
		product *= float64(len(a.Values))
	}
	return product
}

// Cells is the number of cells.
func (s *Spec) Cells() int {
	product := 1
	for _, a := range s.Axes {
		product *= len(a.Values)
	}
	return product
}

// fewSizes is the number of sizes up to which each size is planned: finding the lines of many
// sizes takes about that many plans.
const fewSizes = 8

// FewSizes reports whether planning each size is less work than finding lines: see Columns.
func (s *Spec) FewSizes() bool {
	for _, a := range s.Axes {
		if a.Name == AxisSize {
			return len(a.Values) <= fewSizes
		}
	}
	return true
}

// height returns the number of cells of a column, which differ only in the delay.
func (s *Spec) height() int {
	if last := s.Axes[len(s.Axes)-1]; last.Name == AxisReconfig {
		return len(last.Values)
	}
	return 1
}

// Columns is the number of columns.
func (s *Spec) Columns() int { return s.Cells() / s.height() }

// Values returns the values of a cell, one per axis.
func (s *Spec) Values(cell int) []string {
	values := make([]string, len(s.Axes))
	for k := len(s.Axes) - 1; k >= 0; k-- {
		n := len(s.Axes[k].Values)
		values[k] = s.Axes[k].Values[cell%n]
		cell /= n
	}
	return values
}

// Request returns the request of a cell. An error says which combination is invalid.
func (s *Spec) Request(cell int) (Request, error) {
	r := Request{Fabric: s.Fabric, Packet: s.Packet, Pattern: s.Pattern, Workload: s.Workload}
	for k, v := range s.Values(cell) {
		if err := r.set(s.Axes[k].Name, v); err != nil {
			return r, fmt.Errorf("%s: %w", s.Axes[k].Name, err)
		}
	}
	return r, nil
}

// Machine returns the fabric that all cells share, including axes with only one value. Settings
// that vary have the values of the first cell.
func (s *Spec) Machine() fabric.Fabric {
	r := Request{Fabric: s.Fabric}
	for _, a := range s.Axes {
		// NewSpec has checked every value; the cells report settings that conflict.
		_ = r.set(a.Name, a.Values[0])
	}
	return r.Fabric
}

// set gives a parameter its value.
func (r *Request) set(name, value string) (err error) {
	switch name {
	case AxisOp:
		if value == Iterations {
			r.Op = Iterations
			return nil
		}
		op, size, sized := strings.Cut(value, "/")
		if r.Op, err = collective.ParseOp(op); err == nil && sized {
			r.Size, err = units.ParsePositiveBytes(size)
		}
	case AxisAlgorithm:
		r.Algorithm = value
	case AxisPlanner:
		r.Planner = value
	case AxisSize:
		if r.Size, err = units.ParseBytes(value); err == nil && r.Size <= 0 {
			err = fmt.Errorf("must be above 0B")
		}
	default:
		for _, setting := range fabric.Settings() {
			if setting.Name == name {
				return setting.Set(&r.Fabric, value)
			}
		}
		err = fmt.Errorf("there is no such parameter")
	}
	return err
}

// Key identifies the answer of a planner's version to a request: the first half of the SHA-256
// of its content.
type Key [16]byte

// keys returns the keys of the cells of a column, which differ only in the delay.
func keys(version string, column []Request) []Key {
	if len(column) == 0 {
		return nil
	}
	var prefix strings.Builder
	first := &column[0]
	fmt.Fprintf(&prefix, "lightpath.cell/v1\nversion=%s\nop=%s\nsize=%d\nalgorithm=%s\nplanner=%s\npacket=%d\n",
		version, first.Op, first.Size, first.Algorithm, first.Planner, first.Packet)
	if first.Pattern != "" {
		fmt.Fprintf(&prefix, "pattern=%s\n", first.Pattern)
	}
	if first.Workload != "" {
		fmt.Fprintf(&prefix, "workload=%s\n", first.Workload)
	}
	for _, s := range fabric.Settings() {
		if s.Name != AxisReconfig {
			fmt.Fprintf(&prefix, "%s=%s\n", s.Name, s.Get(&first.Fabric))
		}
	}
	text := []byte(prefix.String())
	all := make([]Key, len(column))
	for i := range column {
		sum := sha256.Sum256(append(text[:len(text):len(text)], column[i].Fabric.Reconfig.String()...))
		all[i] = Key(sum[:])
	}
	return all
}

// specFile is the form of a Spec in a store.
type specFile struct {
	Schema  string            `json:"schema"`
	Version string            `json:"version"`
	Fabric  map[string]string `json:"fabric"`
	Axes    []Axis            `json:"axes"`
	Packet  units.Bytes       `json:"packet"`
	Pattern string            `json:"pattern,omitempty"`
	// Workload is the name and hash of the workload.
	Workload string `json:"workload,omitempty"`
}

const specSchema = "lightpath.sweep.spec/v1"

// MarshalJSON implements json.Marshaler.
func (s *Spec) MarshalJSON() ([]byte, error) {
	f := specFile{Schema: specSchema, Version: s.Version, Fabric: map[string]string{}, Axes: s.Axes, Packet: s.Packet, Pattern: s.Pattern, Workload: s.Workload}
	for _, setting := range fabric.Settings() {
		if v := setting.Get(&s.Fabric); v != "" { // else its default depends on others
			f.Fabric[setting.Name] = v
		}
	}
	return json.Marshal(f)
}

// UnmarshalJSON implements json.Unmarshaler. Missing settings keep their defaults.
func (s *Spec) UnmarshalJSON(data []byte) error {
	var f specFile
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	if f.Schema != specSchema {
		return fmt.Errorf("schema is %q, want %q", f.Schema, specSchema)
	}
	machine := fabric.Default()
	for _, setting := range fabric.Settings() {
		if v, ok := f.Fabric[setting.Name]; ok {
			if err := setting.Set(&machine, v); err != nil {
				return fmt.Errorf("%s: %w", setting.Name, err)
			}
		}
	}
	made, err := NewSpec(machine, f.Axes, f.Packet, f.Version)
	if err != nil {
		return err
	}
	*s = *made
	s.Pattern, s.Workload = f.Pattern, f.Workload
	return nil
}

// ID is the hash of a spec's content.
func (s *Spec) ID() (string, error) {
	data, err := s.MarshalJSON()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8]), nil
}
