package lightpath

import (
	"bytes"
	"context"

	"github.com/lightpath-net/lightpath/compile"
	"github.com/lightpath-net/lightpath/compile/mscclpp"
	"github.com/lightpath-net/lightpath/compile/program"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// CompileRequest asks for the files of a plan that a runtime, a simulator or a switch loads.
type CompileRequest struct {
	Plan   *plan.Plan `json:"-"` // in JSON "plan": the whole plan, or {"id": HASH}
	PlanID string     `json:"-"`

	To      compile.Format `json:"to"`
	InPlace bool           `json:"in_place,omitempty"` // for buffers that are the same
	// Protocol of MSCCL and RCCL; "": Simple.
	Protocol program.Protocol `json:"protocol,omitempty"`
	// Channel of MSCCL++; "": port.
	Channel mscclpp.ChannelType `json:"channel,omitempty"`
	// MinBytes and MaxBytes are the sizes for which a runtime should choose the program;
	// 0: half and twice the plan's.
	MinBytes units.Bytes `json:"min_bytes,omitzero"`
	MaxBytes units.Bytes `json:"max_bytes,omitzero"`
	NoFuse   bool        `json:"no_fuse,omitempty"` // keep receives and sends apart
	Style    string      `json:"style,omitempty"`   // of a timetable: json, csv or scpi; "": json
	Inline   bool        `json:"inline,omitempty"`  // the answer has the contents of the files
}

// MarshalJSON writes the JSON form.
func (r CompileRequest) MarshalJSON() ([]byte, error) {
	type fields CompileRequest
	return writeWithPlan(r.Plan, r.PlanID, fields(r))
}

// UnmarshalJSON reads the JSON form.
func (r *CompileRequest) UnmarshalJSON(data []byte) (err error) {
	type fields CompileRequest
	r.Plan, r.PlanID, err = readWithPlan(data, (*fields)(r))
	return err
}

// Complete reports the first field that makes no sense.
func (r *CompileRequest) Complete() error {
	if _, err := compile.ParseFormat(string(r.To)); err != nil {
		return field.In("to", err)
	}
	switch r.Protocol {
	case "", program.Simple, program.LL, program.LL128:
	default:
		return field.Errorf("protocol", "%q is not %s, %s or %s", r.Protocol, program.Simple, program.LL, program.LL128)
	}
	switch r.Channel {
	case "", mscclpp.Memory, mscclpp.Port:
	default:
		return field.Errorf("channel", "%q is not %s or %s", r.Channel, mscclpp.Port, mscclpp.Memory)
	}
	switch r.Style {
	case "", "json", "csv", "scpi":
	default:
		return field.Errorf("style", "%q is not json, csv or scpi", r.Style)
	}
	if r.MinBytes < 0 {
		return field.Errorf("min_bytes", "must not be negative")
	}
	if r.MaxBytes < 0 || r.MaxBytes > 0 && r.MaxBytes < r.MinBytes {
		return field.Errorf("max_bytes", "must not be below min_bytes")
	}
	return onePlan(r.Plan, r.PlanID)
}

// Compilation is the files of a plan.
type Compilation struct {
	Format compile.Format `json:"format"`
	// Folder says that there are several files, which belong together.
	Folder bool           `json:"folder"`
	Files  []CompiledFile `json:"files"`
	Notes  []string       `json:"notes"`
	// Plan is the time of the plan, and Lowered that of the plan as the runtime carries it
	// out: its ranks store and forward, where a plan may cut through. Zero where a format
	// has no runtime.
	Plan    units.Time `json:"plan_ns"`
	Lowered units.Time `json:"lowered_ns,omitempty"`

	LoweredPlan *plan.Plan `json:"-"`
}

// CompiledFile is one file of a compilation.
type CompiledFile struct {
	compile.File `json:"-"`
	Path         string `json:"name"`              // within the folder; "" if it is the only one
	Content      []byte `json:"content,omitempty"` // if it was asked for
}

// Compile verifies a plan and makes its files. An error that wraps compile.ErrRefused means
// that the format or its runtime cannot carry the plan.
func Compile(ctx context.Context, r CompileRequest, options ...Option) (*Compilation, error) {
	e := newEnvironment(options)
	if err := r.Complete(); err != nil {
		return nil, err
	}
	p, err := e.correctPlan(ctx, r.Plan, r.PlanID)
	if err != nil {
		return nil, err
	}
	made, err := compile.Compile(ctx, p, compile.Options{
		Format: r.To, InPlace: r.InPlace, Protocol: r.Protocol, Channel: r.Channel,
		MinBytes: r.MinBytes, MaxBytes: r.MaxBytes, NoFuse: r.NoFuse, Style: r.Style,
	})
	if err != nil {
		return nil, err
	}
	answer := &Compilation{
		Format: made.Format, Folder: made.Folder(), Notes: made.Notes, Plan: p.Cost.Total(), LoweredPlan: made.Lowered,
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
