package compile

import (
	"context"
	"fmt"
	"strings"

	"github.com/lightpath-net/lightpath/compile/lower"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/each"
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
	// Carries says what the files tell of a plan.
	Carries() Content
	// Options returns new options, none of them set, as a pointer to a struct. Complete fills in
	// defaults. Fields have JSON names. Fields that can be set by name also have a help text, in
	// which ${NAME} stands for the value, and perhaps a default.
	Options() Options
	// Compile makes the files of a verified plan, with options of this target.
	Compile(ctx context.Context, p *plan.Plan, o Options) (*Result, error)
}

// Content is what files tell of a plan.
type Content int

const (
	// Transfers: who sends what, or when circuits change for it. Results say how and why the time
	// differs from the plan's.
	Transfers Content = iota
	// Circuits: only circuits, so that there is no time to compare.
	Circuits
)

// Options are the options of a target.
type Options = field.Options

// NoOptions are the options of a target without options.
type NoOptions struct{}

// Complete always returns nil.
func (*NoOptions) Complete() error { return nil }

// targets are in the order of their documentation.
var targets = Targets{
	xmlTarget(MSCCL, "MSCCL XML"), xmlTarget(RCCL, "MSCCL XML in RCCL's dialect"), mscclppTarget, torchTarget,
	astraTarget, harvestTarget, dotTarget, edgesTarget, timetableTarget,
}

// Targets are targets by their formats.
type Targets []Target

// Known returns the targets of this package.
func Known() Targets { return append(Targets(nil), targets...) }

// Options returns new options of every target, in their order.
func (t Targets) Options() []Options { return each.Of(t, Target.Options) }

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

// target is a Target whose options are an O, by its parts.
type target[O any, P interface {
	*O
	Options
}] struct {
	format  Format
	about   string
	carries Content
	// compile makes the files of a verified plan.
	compile func(ctx context.Context, p *plan.Plan, o P) (*Result, error)
}

func (t target[O, P]) Format() Format   { return t.format }
func (t target[O, P]) About() string    { return t.about }
func (t target[O, P]) Carries() Content { return t.carries }
func (t target[O, P]) Options() Options { return P(new(O)) }

func (t target[O, P]) Compile(ctx context.Context, p *plan.Plan, options Options) (*Result, error) {
	o, ok := options.(P)
	if !ok {
		return nil, fmt.Errorf("options of %s are a %T, not a %T", t.format, o, options)
	}
	return t.compile(ctx, p, o)
}

// together refuses plans whose planes reconfigure independently.
func together(f Format, p *plan.Plan) error {
	if p.Staggered() {
		return lower.Refuse("%s reconfigures all planes together, but those of this plan reconfigure independently; plan with an `overlap` other than planes", f)
	}
	return nil
}
