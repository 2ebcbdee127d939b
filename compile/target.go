package compile

import (
	"context"
	"fmt"
	"strings"

	"github.com/lightpath-net/lightpath/compile/lower"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/plan"
)

// ErrRefused marks a plan that a format or its runtime cannot carry; the error says why, with
// the limit and the value that exceeds it.
var ErrRefused = lower.ErrRefused

// Target is a format that plans are compiled to, with options of its own. Requests, flags and
// help are derived from it.
type Target interface {
	Format() Format
	// About is a line of help.
	About() string
	// Options returns new options with their defaults: a pointer to a struct. Its fields have
	// JSON names. Fields that can be set by name also have a help text, in which ${NAME} stands
	// for the value, and perhaps a default.
	Options() Options
	// Compile makes the files of a verified plan, with options of this target.
	Compile(ctx context.Context, p *plan.Plan, o Options) (*Result, error)
}

// Options are the options of a target.
type Options = field.Options

// NoOptions are the options of a target without options.
type NoOptions struct{}

// Complete always returns nil.
func (*NoOptions) Complete() error { return nil }

// targets are in the order of their documentation.
var targets = Targets{
	xmlTarget{MSCCL}, xmlTarget{RCCL}, mscclppTarget{}, torchTarget{}, astraTarget{}, harvestTarget{},
	dotTarget{}, edgesTarget{}, timetableTarget{},
}

// Targets are targets by their formats.
type Targets []Target

// Known returns the targets of this package.
func Known() Targets { return append(Targets(nil), targets...) }

// Options returns new options of every target, in their order.
func (t Targets) Options() []Options {
	all := make([]Options, len(t))
	for i, one := range t {
		all[i] = one.Options()
	}
	return all
}

// Lookup returns the target of a format.
func (t Targets) Lookup(f Format) (Target, error) {
	names := make([]string, len(t))
	for i, one := range t {
		if one.Format() == f {
			return one, nil
		}
		names[i] = string(one.Format())
	}
	return nil, fmt.Errorf("unknown format %q; use %s", f, strings.Join(names, ", "))
}

// Compile makes the files of a verified plan. If o is nil, the target uses its defaults.
func (t Targets) Compile(ctx context.Context, p *plan.Plan, f Format, o Options) (*Result, error) {
	one, err := t.Lookup(f)
	if err != nil {
		return nil, err
	}
	if o == nil {
		o = one.Options()
	}
	if err := o.Complete(); err != nil {
		return nil, err
	}
	r, err := one.Compile(ctx, p, o)
	if err != nil {
		return nil, err
	}
	r.Format = f
	return r, nil
}

// Compile makes the files of a verified plan for one of the known targets. If o is nil, the
// target uses its defaults.
func Compile(ctx context.Context, p *plan.Plan, f Format, o Options) (*Result, error) {
	return targets.Compile(ctx, p, f, o)
}

// own returns options as the type of the target to which they were given.
func own[O Options](f Format, o Options) (O, error) {
	mine, ok := o.(O)
	if !ok {
		return mine, fmt.Errorf("options of %s are a %T, not a %T", f, mine, o)
	}
	return mine, nil
}

// together refuses plans whose planes reconfigure independently.
func together(f Format, p *plan.Plan) error {
	if p.Staggered() {
		return lower.Refuse("%s reconfigures all planes together, but those of this plan reconfigure independently; plan with an `overlap` other than planes", f)
	}
	return nil
}
