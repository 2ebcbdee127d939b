// Package compiling implements the commands compile, which turns a plan into files for a runtime,
// and check, which checks a runtime's program and can lift it to a plan.
package compiling

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/iterating"
	"github.com/lightpath-net/lightpath/compile"
	"github.com/lightpath-net/lightpath/compile/iterations"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// CompileRequest asks for the files of a plan that a runtime, a simulator or a switch loads.
type CompileRequest struct {
	Plan   *plan.Plan `json:"-"` // in JSON "plan": the whole plan, or {"id": HASH}
	PlanID string     `json:"-"`
	// Iteration is the plan of a whole iteration, to be compiled instead of a plan.
	Iteration *iteration.Document `json:"iteration,omitempty"`

	// Targets are the targets that To may name; nil: compile.Known.
	Targets compile.Targets `json:"-"`
	To      compile.Format  `json:"to" help:"output ${FORMAT}"`
	// Options are the target's options; nil: its defaults. In JSON they stand beside "to".
	Options compile.Options `json:"-"`
	Inline  bool            `json:"inline,omitempty"` // the answer has the contents of the files
}

// MarshalJSON writes the JSON form.
func (r CompileRequest) MarshalJSON() ([]byte, error) {
	type fields CompileRequest
	whole, err := command.WriteWithPlan(r.Plan, r.PlanID, fields(r))
	if err != nil || r.Options == nil {
		return whole, err
	}
	options, err := json.Marshal(r.Options)
	if err != nil {
		return nil, err
	}
	return command.Besides(whole, options), nil
}

// UnmarshalJSON reads the JSON form.
//
// The target determines which fields are allowed.
func (r *CompileRequest) UnmarshalJSON(data []byte) error {
	type fields CompileRequest
	targets := r.targets()
	var head struct {
		To compile.Format `json:"to"`
	}
	_ = json.Unmarshal(data, &head) // errors are reported below
	var options compile.Options = &compile.NoOptions{}
	target, unknown := targets.Lookup(head.To)
	if unknown == nil {
		options = target.Options()
	}
	var p command.PlanField
	err := command.ReadBesides(data, &p, (*fields)(r), options)
	r.Plan, r.PlanID, r.Options = p.Plan, p.ID, nil
	var bad *field.Error
	if errors.As(err, &bad) {
		if others := having(targets, bad.Path); len(others) > 0 && !slices.Contains(others, head.To) {
			if unknown != nil {
				return field.In("to", unknown)
			}
			return field.Errorf(bad.Path, "%s has no such option; use it with %s", head.To, joined(others, ", "))
		}
	}
	if !reflect.ValueOf(options).Elem().IsZero() {
		r.Options = options
	}
	return err
}

// targets returns the targets that the request may name.
func (r *CompileRequest) targets() compile.Targets {
	if r.Targets == nil {
		return compile.Known()
	}
	return r.Targets
}

// joined writes formats one after another.
func joined(all []compile.Format, between string) string {
	names := each.Of(all, func(f compile.Format) string { return string(f) })
	return strings.Join(names, between)
}

// having lists the formats whose targets have a given option.
func having(targets compile.Targets, name string) []compile.Format {
	var all []compile.Format
	for _, t := range targets {
		for f := range field.All(t.Options()) {
			if f.Name == name || strings.TrimSuffix(f.Name, "_bytes") == name {
				all = append(all, t.Format())
			}
		}
	}
	return all
}

// Complete reports the first invalid field.
func (r *CompileRequest) Complete() error {
	if _, err := r.targets().Lookup(r.To); err != nil {
		return field.In("to", err)
	}
	if r.Options != nil {
		if err := field.Check(r.Options); err != nil {
			return err
		}
		if err := r.Options.Complete(); err != nil {
			return err
		}
	}
	if r.Iteration == nil {
		return command.OnePlan(r.Plan, r.PlanID)
	}
	return iterating.One(r.Iteration, r.Plan != nil || r.PlanID != "")
}

// Compilation is the files of a plan.
type Compilation struct {
	Format compile.Format `json:"format"`
	// Folder says that the files make a folder.
	Folder bool           `json:"folder"`
	Files  []CompiledFile `json:"files"`
	Notes  []string       `json:"notes"`
	// Plan is the time of the plan. Lowered is its time as the runtime executes it: ranks store
	// and forward, where a plan may cut through. Lowered is zero if a format has no runtime.
	Plan    units.Time `json:"plan_ns"`
	Lowered units.Time `json:"lowered_ns,omitempty"`
	// Carried is how long the target takes by its own rules, which How states: a runtime adds a
	// start-up to every message that a rank forwards, a simulator has a network of its own. It
	// is zero if a format has no time.
	Carried units.Time `json:"carried_ns,omitempty"`
	How     string     `json:"carried_how,omitempty"`
	// Parts splits Carried into its parts. Causes says, part by part, why they differ from the
	// plan's.
	Parts  *compile.Carried `json:"carried_parts_ns,omitempty"`
	Causes []string         `json:"carried_causes,omitempty"`

	LoweredPlan *plan.Plan `json:"-"`
}

// CompiledFile is one file of a compilation.
type CompiledFile struct {
	compile.File `json:"-"`
	Path         string `json:"name"`              // within the folder; "" if it is the only one
	Content      []byte `json:"content,omitempty"` // if requested
}

// Compile verifies a plan and makes its files. An error that wraps compile.ErrRefused means
// that the format or its runtime cannot carry the plan.
func Compile(ctx context.Context, r CompileRequest, options ...command.Option) (*Compilation, error) {
	e := command.NewRun(options)
	if err := r.Complete(); err != nil {
		return nil, err
	}
	made, time, err := r.compile(ctx, e)
	if err != nil {
		return nil, err
	}
	answer := &Compilation{
		Format: made.Format, Folder: made.Folder(), Notes: made.Notes, Plan: time, LoweredPlan: made.Lowered,
		Carried: made.Carried, How: made.How, Parts: made.Parts, Causes: made.Causes,
	}
	if answer.Notes == nil {
		answer.Notes = []string{}
	}
	if made.Lowered != nil {
		answer.Lowered = made.Lowered.Cost.Total()
	}
	for _, f := range made.Files {
		file := CompiledFile{File: f, Path: f.Name}
		if r.Inline {
			var content bytes.Buffer
			if err := f.Write(&content); err != nil {
				return nil, err
			}
			file.Content = content.Bytes()
		}
		answer.Files = append(answer.Files, file)
	}
	return answer, nil
}

// compile makes the files of the plan, or of the iteration, and returns its time.
func (r *CompileRequest) compile(ctx context.Context, e *command.Run) (*compile.Result, units.Time, error) {
	if r.Iteration == nil {
		p, err := e.CorrectPlan(ctx, r.Plan, r.PlanID)
		if err != nil {
			return nil, 0, err
		}
		if err := command.OnlyChanges(&p.Fabric, "files for runtimes and switches, which set only circuits that change"); err != nil {
			return nil, 0, field.In("plan", err)
		}
		made, err := r.targets().Compile(ctx, p, r.To, r.Options)
		return made, p.Cost.Total(), err
	}
	a, err := iterating.Agenda(ctx, r.Iteration)
	if err != nil {
		return nil, 0, err
	}
	made, err := iterations.Compile(ctx, a, r.targets(), r.To, r.Options)
	return made, a.Iteration, err
}
