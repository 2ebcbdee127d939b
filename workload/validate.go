package workload

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/field"
)

// Validate reports the first error, as a field.Error with its place. A workload without errors
// can be carried out: Graph shows that nothing waits for itself.
func (w *Workload) Validate() error {
	_, err := w.Graph(context.Background())
	return err
}

// Check is Validate restricted to what can be checked without expanding calls, which takes no
// time.
func (w *Workload) Check() error {
	if w.Schema != "" && w.Schema != Schema {
		return field.Errorf("schema", "%.40q; want %q", w.Schema, Schema)
	}
	if err := field.Range(w.Ranks, 1, MaxRanks); err != nil {
		return field.In("ranks", err)
	}
	for _, name := range w.KindNames() {
		err := checkName(name)
		if err == nil {
			err = w.checkPartition(w.Kinds[name])
		}
		if err != nil {
			return field.In(field.Join("kinds", name), err)
		}
	}
	for _, name := range w.blockNames() {
		err := checkName(name)
		if err == nil {
			err = w.checkOps(w.Blocks[name])
		}
		if err != nil {
			return field.In(field.Join("blocks", name), err)
		}
	}
	return w.checkPrograms()
}

// checkPrograms checks that every rank has one program.
func (w *Workload) checkPrograms() error {
	if len(w.Programs) == 0 {
		return field.Errorf("programs", "none; every rank has one")
	}
	of := make([]int, w.Ranks) // the program of each rank, plus 1
	for i := range w.Programs {
		p := &w.Programs[i]
		here := field.Index("programs", i)
		if p.Ranks.Len() == 0 {
			return field.Errorf(field.Join(here, "ranks"), "none")
		}
		for r := range p.Ranks.All() {
			switch {
			case r >= w.Ranks:
				return field.Errorf(field.Join(here, "ranks"), "rank %d of 0..%d", r, w.Ranks-1)
			case of[r] > 0:
				return field.Errorf(field.Join(here, "ranks"), "rank %d has a program already, programs[%d]", r, of[r]-1)
			}
			of[r] = i + 1
		}
		if err := w.checkOps(p.Ops); err != nil {
			return field.In(field.Join(here, "ops"), err)
		}
	}
	if r := slices.Index(of, 0); r >= 0 {
		return field.Errorf("programs", "rank %d has none", r)
	}
	return nil
}

// checkPartition checks that every rank is in one group.
func (w *Workload) checkPartition(groups [][]int) error {
	of := make([]int, w.Ranks)
	for i, g := range groups {
		if len(g) == 0 {
			return field.Errorf(field.Index("", i), "an empty group")
		}
		for _, r := range g {
			switch {
			case r < 0 || r >= w.Ranks:
				return field.Errorf(field.Index("", i), "rank %d of 0..%d", r, w.Ranks-1)
			case of[r] > 0:
				return field.Errorf(field.Index("", i), "rank %d is in group [%d] already", r, of[r]-1)
			}
			of[r] = i + 1
		}
	}
	if r := slices.Index(of, 0); r >= 0 {
		return fmt.Errorf("rank %d is in no group; a rank that takes no part is a group by itself", r)
	}
	return nil
}

// checkOps checks a list of operations one by one.
func (w *Workload) checkOps(ops []Op) error {
	at := make(map[string]int, len(ops))
	for i := range ops {
		o := &ops[i]
		err := checkName(o.ID)
		if err == nil && strings.Contains(o.ID, "/") {
			err = errors.New("has a /, which leads into blocks")
		}
		if err != nil {
			return field.In(field.Join(field.Index("", i), "id"), err)
		}
		if j, twice := at[o.ID]; twice {
			return field.Errorf(field.Join(field.Index("", i), "id"), "%q is [%d] already", o.ID, j)
		}
		if err := w.checkOp(o); err != nil {
			return field.In(field.Index("", i), err)
		}
		for j, name := range o.After {
			first, _, _ := strings.Cut(name, "/")
			if _, before := at[first]; !before {
				return field.Errorf(field.Join(field.Index("", i), field.Index("after", j)), "%.60q is not listed before %q", name, o.ID)
			}
		}
		at[o.ID] = i
	}
	return nil
}

// checkOp checks that an operation has what it needs, and nothing else.
func (w *Workload) checkOp(o *Op) error {
	t, err := o.what()
	if err != nil {
		return err
	}
	for _, f := range []struct {
		name  string
		has   bool
		wants []Type // types that require it
		may   []Type
	}{
		{"size_bytes", o.Size != 0, []Type{Collective, Send}, nil},
		{"kind", o.Kind != "", []Type{Collective}, []Type{Send, Receive}},
		{"from", o.From != nil, []Type{Receive}, nil},
		{"skew", o.Skew != "", nil, []Type{Collective}},
	} {
		switch wanted := slices.Contains(f.wants, t); {
		case wanted && !f.has:
			if f.name == "size_bytes" {
				return field.Errorf(f.name, "missing or 0; want 1 or more")
			}
			return field.Errorf(f.name, "missing")
		case f.has && !wanted && !slices.Contains(f.may, t):
			return field.Errorf(f.name, "not with this operation")
		}
	}
	if o.Size < 0 {
		return field.Errorf("size_bytes", "below 0")
	}
	if _, known := w.Kinds[o.Kind]; o.Kind != "" && !known {
		return field.Errorf("kind", "%.40q is none of the kinds: %s", o.Kind, strings.Join(w.KindNames(), ", "))
	}
	switch t {
	case Computation:
		if *o.Compute < 0 {
			return field.Errorf("compute_ns", "below 0")
		}
	case Collective:
		if _, err := collective.ParseOp(string(o.Op)); err != nil {
			return field.In("op", err)
		}
		return field.In("skew", checkSkew(o))
	case Call:
		if len(w.Blocks[o.Block]) == 0 {
			return field.Errorf("block", "%.40q: no such block, or one without operations", o.Block)
		}
	case Send, Receive:
	}
	return nil
}

// checkName keeps names readable.
func checkName(name string) error {
	const most = 200
	if name == "" || len(name) > most {
		return fmt.Errorf("a name of %d bytes; want 1 to %d", len(name), most)
	}
	for _, r := range name {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			return fmt.Errorf("name %q; want printable characters", name)
		}
	}
	return nil
}
