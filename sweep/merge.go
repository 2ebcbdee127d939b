package sweep

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/units"
)

// Merge adds the answers of other stores. Answers to the same request by the same version must
// be the same: planning is deterministic.
func (s *Store) Merge(ctx context.Context, others ...*Store) error {
	known, err := s.all(ctx)
	if err != nil {
		return err
	}
	for _, other := range others {
		specs, err := other.Specs(ctx)
		if err != nil {
			return err
		}
		for _, spec := range specs {
			if err := s.AddSpec(ctx, spec); err != nil {
				return err
			}
		}
		found, err := other.all(ctx)
		if err != nil {
			return err
		}
		if err := s.add(known, found, other.name); err != nil {
			return err
		}
	}
	return nil
}

// Differences names the differences of two specs: axes, settings of the fabric, packet and
// version. There are none if and only if both have the same ID.
func (s *Spec) Differences(other *Spec) []string {
	values := func(of *Spec, name string) (axis []string) {
		for _, a := range of.Axes {
			if a.Name == name {
				axis = a.Values
			}
		}
		return axis
	}
	names := each.Where(Names(), func(name string) bool {
		return !slices.Equal(values(s, name), values(other, name))
	})
	for _, setting := range fabric.Settings() {
		if setting.Get(&s.Fabric) != setting.Get(&other.Fabric) && !slices.Contains(names, setting.Name) {
			names = append(names, setting.Name)
		}
	}
	if s.Packet != other.Packet {
		names = append(names, "packet")
	}
	if s.Version != other.Version {
		names = append(names, "version")
	}
	return names
}

// mergeBatch is how many answers are written at once: a few megabytes.
const mergeBatch = 1 << 16

// add writes answers that are not known yet.
func (s *Store) add(known, found map[Key]Outcome, from string) error {
	var fresh []Key
	for key, o := range found {
		if old, ok := known[key]; !ok {
			fresh = append(fresh, key)
		} else if !old.agrees(&o) {
			return fmt.Errorf("%s and %s have different answers to the same request: %v and %v", s.name, from, old.Total, o.Total)
		}
	}
	slices.SortFunc(fresh, func(a, b Key) int { return strings.Compare(string(a[:]), string(b[:])) })
	for part := range slices.Chunk(fresh, mergeBatch) {
		b := s.begin()
		for _, key := range part {
			o := found[key]
			b.add(key, &o)
			known[key] = o
		}
		if err := b.commit(); err != nil {
			return err
		}
	}
	return nil
}

// agrees reports whether two outcomes are the same except for rounding.
func (o *Outcome) agrees(other *Outcome) bool {
	theirs := other.times()
	for i, t := range o.times() {
		if math.Abs(relative(*t, *theirs[i])) > diffTolerance {
			return false
		}
	}
	return o.Reason == other.Reason
}

// Comparison describes how two tables differ. Cells with the same parameters are compared.
type Comparison struct {
	Same      int // cells with the same time, to diffTolerance, and the same winner
	OnlyOld   int
	OnlyNew   int
	Faster    int // cells with a shorter time in the new table
	Slower    int
	Different []Change
}

// Change is a cell that differs.
type Change struct {
	Params   []Param
	Old, New Outcome
}

// diffTolerance is the relative difference that rounding may cause.
const diffTolerance = 1e-9

// Diff compares two tables.
func Diff(old, now *Table) *Comparison {
	name := func(c *Cell) string {
		parts := each.Of(c.Params, func(p Param) string { return p.Name + "=" + p.String() })
		slices.Sort(parts)
		return strings.Join(parts, ",")
	}
	before := make(map[string]*Cell, len(old.Cells))
	for i := range old.Cells {
		if old.Cells[i].Known {
			before[name(&old.Cells[i])] = &old.Cells[i]
		}
	}
	d := &Comparison{}
	for i := range now.Cells {
		c := &now.Cells[i]
		if !c.Known {
			continue
		}
		b, ok := before[name(c)]
		if !ok {
			d.OnlyNew++
			continue
		}
		delete(before, name(c))
		change := relative(b.Total, c.Total)
		switch {
		case change < -diffTolerance:
			d.Faster++
		case change > diffTolerance:
			d.Slower++
		}
		if math.Abs(change) <= diffTolerance && b.Outcome.Algorithm == c.Outcome.Algorithm && b.Outcome.Planner == c.Outcome.Planner {
			d.Same++
			continue
		}
		d.Different = append(d.Different, Change{Params: c.Params, Old: b.Outcome, New: c.Outcome})
	}
	d.OnlyOld = len(before)
	return d
}

// relative returns by how much a time grew; a missing time counts as infinite.
func relative(old, now units.Time) float64 {
	switch {
	case old == now:
		return 0
	case old == 0:
		return math.Inf(-1)
	case now == 0:
		return math.Inf(1)
	}
	return float64(now/old) - 1
}
