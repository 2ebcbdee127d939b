package compiling

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/compile"
	"github.com/lightpath-net/lightpath/compile/check"
	"github.com/lightpath-net/lightpath/compile/harvest"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// CheckRequest asks whether a runtime's program, whatever wrote it, does what its collective
// promises.
type CheckRequest struct {
	// File is the name of a program or a manifest. Content holds the contents of this file, and
	// of the files that a manifest names, by name; if it is nil, WithFiles opens them.
	File    string            `json:"file"`
	Content map[string]string `json:"content,omitempty"`
	For     compile.Format    `json:"for,omitempty" help:"check the limits of this ${RUNTIME}: msccl | rccl | mscclpp (default: the file's own)"`

	// ToPlan lifts the program to a plan: on the base topology of Fabric, or on the circuits
	// of the manifest, with buffers of Size (0: collective.DefaultSize). An empty fabric is the
	// default one with as many GPUs as the program has ranks, and as many ports as its Base needs.
	ToPlan bool          `json:"to_plan,omitempty" help:"lift the program to a plan"`
	Fabric fabric.Fabric `json:"fabric,omitzero"`
	Base   string        `json:"base,omitempty"` // an expression, if Fabric is empty
	Size   units.Bytes   `json:"size_bytes,omitzero" help:"buffer size of the plan, with ${to_plan}" default:"4MiB"`
	// Operation or Pattern says what a HARVEST schedule performs, because a schedule holds only
	// circuits. Fields that they leave out come from the schedule's collective; the size is then
	// collective.DefaultSize.
	Operation *collective.Operation   `json:"operation,omitempty" flag:"of" help:"the ${OP/SIZE/ALGORITHM} that a HARVEST schedule carries out"`
	Pattern   *collective.PatternFile `json:"pattern,omitempty" help:"the pattern in ${FILE}.json that a HARVEST schedule carries out"`
}

// UnmarshalJSON reads the JSON form.
func (r *CheckRequest) UnmarshalJSON(data []byte) error {
	type plain CheckRequest
	return command.ReadRequest(data, (*plain)(r))
}

// Complete fills in the defaults and reports the first invalid field.
func (r *CheckRequest) Complete() error { return r.complete(nil) }

// complete is Complete with user-defined families, which may be nil.
func (r *CheckRequest) complete(families *topology.Registry) error {
	switch r.For {
	case "", compile.MSCCL, compile.RCCL, compile.MSCCLPP:
	default:
		return field.Errorf("for", "%q is not %s, %s or %s", r.For, compile.MSCCL, compile.RCCL, compile.MSCCLPP)
	}
	r.Size = cmp.Or(r.Size, collective.DefaultSize)
	stated := !r.Fabric.IsZero()
	switch {
	case r.File == "":
		return field.Errorf("file", "missing; want the name of a program or of a manifest")
	case r.Size < 0:
		return field.Errorf("size_bytes", "must be above 0B")
	case !r.ToPlan && (stated || r.Base != ""):
		return field.Errorf("fabric", "only with `to_plan`: a program is checked by itself")
	case stated && r.Base != "":
		return field.Errorf("base", "a fabric and a base: set the fabric's own base instead")
	case stated:
		return field.In("fabric", r.Fabric.Validate())
	}
	if r.Base != "" {
		if _, err := families.ParseExpr(r.Base); err != nil {
			return field.In("base", err)
		}
	}
	return nil
}

// Checked is the result of all checks.
type Checked struct {
	check.Report
	// Plan is the time of the lifted plan.
	Plan   units.Time `json:"plan_ns,omitempty"`
	Lifted *plan.Plan `json:"-"`
}

// Check checks a program. A wrong program gives a report that is not OK; an error means that
// there was nothing to check, or that the program cannot be lifted to a plan.
func Check(ctx context.Context, r CheckRequest, options ...command.Option) (*Checked, error) {
	e := command.NewRun(options)
	r.Fabric = e.Fabric(r.Fabric)
	if err := r.complete(e.Known.Families); err != nil {
		return nil, err
	}
	open := e.Files
	if r.Content != nil {
		open = func(name string) (io.ReadCloser, error) {
			text, known := r.Content[name]
			if !known {
				return nil, field.Errorf("content", "there is no file %q", name)
			}
			return io.NopCloser(strings.NewReader(text)), nil
		}
	}
	if open == nil {
		return nil, field.Errorf("content", "missing; want what is in the file")
	}
	checked, err := compile.Check(ctx, r.File, r.For, open)
	if err != nil {
		return nil, err
	}
	answer := &Checked{Report: *checked.Report}
	if !r.ToPlan || !answer.OK {
		return answer, nil
	}
	if checked.Schedule != nil {
		answer.Lifted, err = r.schedule(ctx, checked.Schedule)
	} else {
		answer.Lifted, err = r.lift(ctx, e, checked)
	}
	if err != nil {
		return nil, err
	}
	answer.Lifted = e.Know(answer.Lifted)
	answer.Plan = answer.Lifted.Cost.Total()
	if err := command.Prove(ctx, answer.Lifted); err != nil {
		return nil, err
	}
	return answer, nil
}

// lift makes the plan of a program.
func (r *CheckRequest) lift(ctx context.Context, e *command.Run, checked *compile.Checked) (*plan.Plan, error) {
	if r.Operation != nil || r.Pattern != nil {
		return nil, field.Errorf("operation", "only for a HARVEST schedule; a program already says what it is for")
	}
	f, err := r.machine(e, checked)
	if err != nil {
		return nil, err
	}
	p, err := checked.Plan(ctx, f, r.Size)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.File, err)
	}
	return p, nil
}

// schedule makes the plan of a schedule and the operation that it performs.
func (r *CheckRequest) schedule(ctx context.Context, s *harvest.Schedule) (*plan.Plan, error) {
	given := harvest.Given{Operation: r.Operation}
	if !r.Fabric.IsZero() {
		given.Fabric = &r.Fabric
	}
	if r.Pattern != nil {
		given.Pattern = &r.Pattern.Sized
	}
	if r.Operation != nil && r.Pattern != nil {
		return nil, field.Errorf("operation", "an operation and a pattern: want one or the other")
	}
	lifted, err := s.Lift(ctx, given)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.File, err)
	}
	return lifted.Plan, nil
}

// machine returns the fabric onto which a program is lifted.
func (r *CheckRequest) machine(e *command.Run, c *compile.Checked) (fabric.Fabric, error) {
	if !r.Fabric.IsZero() {
		return r.Fabric, nil
	}
	f := e.Fabric(fabric.Default())
	f.Nodes, f.Base = c.Nodes(), r.Base
	if r.Base != "" {
		g, err := e.Known.Families.Parse(r.Base)
		if err != nil {
			return f, field.In("base", err)
		}
		f.Ports = max(1, g.Degree())
	}
	if c.Manifest != nil {
		f.Ports = max(f.Ports, c.Manifest.Ports())
	}
	return f, field.In("base", f.Validate())
}
