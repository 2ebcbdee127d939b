package compile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/lightpath-net/lightpath/compile/check"
	"github.com/lightpath-net/lightpath/compile/lower"
	"github.com/lightpath-net/lightpath/compile/msccl"
	"github.com/lightpath-net/lightpath/compile/program"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// XMLOptions are the options of MSCCL and RCCL.
type XMLOptions struct {
	BufferOptions
	// Protocol is the protocol of MSCCL and RCCL; "": Simple.
	Protocol program.Protocol `json:"protocol,omitempty" placeholder:"NAME" help:"protocol: Simple | LL | LL128" default:"Simple"`
	// NoFuse keeps receives and sends separate.
	NoFuse bool `json:"no_fuse,omitempty" help:"do not fuse receives with sends"`
}

// Complete reports the first invalid field.
func (o *XMLOptions) Complete() error {
	switch o.Protocol {
	case "", program.Simple, program.LL, program.LL128:
	default:
		return field.Errorf("protocol", "%q is not %s, %s or %s", o.Protocol, program.Simple, program.LL, program.LL128)
	}
	return o.BufferOptions.Complete()
}

// fusingSaves is the share of a program's time that fused operations are taken to save: they read
// and write memory less often, which the predicted time does not count. Programs that fuse are
// written unless others take less time by more than this share.
const fusingSaves = 0.01

// xmlTarget writes the XML of MSCCL, or its dialect for RCCL.
func xmlTarget(format Format, about string) Target {
	compile := func(ctx context.Context, p *plan.Plan, o *XMLOptions) (*Result, error) {
		return compileXML(ctx, p, format, o)
	}
	return target[XMLOptions, *XMLOptions]{format, about, Transfers, compile}
}

// loweredXML is a lowered plan with the predicted time of its programs.
type loweredXML struct {
	*lower.Lowered
	graphs []*check.Graph
	takes  units.Time
	note   string
}

func lowerForXML(ctx context.Context, p *plan.Plan, o lower.Options) (*loweredXML, error) {
	made, err := lower.Lower(ctx, p, o)
	if err != nil {
		return nil, err
	}
	l := &loweredXML{Lowered: made, graphs: make([]*check.Graph, len(made.Programs))}
	for i, one := range made.Programs {
		if l.graphs[i], err = check.NewGraph(one); err != nil {
			return nil, err
		}
	}
	l.takes, err = programsTake(ctx, p, l.graphs, made.Stages, made.Programs[0].Chunks, allCosts)
	return l, err
}

// fusedIfFaster lowers a plan with fused operations, or without them where that takes less time,
// which its note then says.
func fusedIfFaster(ctx context.Context, p *plan.Plan, o lower.Options) (*loweredXML, error) {
	made, err := lowerForXML(ctx, p, o)
	if err != nil || made.Fused == 0 {
		return made, err
	}
	o.NoFuse = true
	apart, err := lowerForXML(ctx, p, o)
	switch {
	case errors.Is(err, lower.ErrRefused): // too many thread blocks, say
		return made, nil
	case err != nil:
		return nil, err
	case apart.takes < made.takes*(1-fusingSaves):
		apart.note = fmt.Sprintf("receives are not fused with sends: fused, a rank would wait for room at the next one, and the program would take %v", made.takes)
		return apart, nil
	}
	return made, nil
}

func compileXML(ctx context.Context, p *plan.Plan, format Format, o *XMLOptions) (*Result, error) {
	if err := together(format, p); err != nil {
		return nil, err
	}
	dialect := msccl.Dialect(format)
	if err := dialect.Supports(p.Collective.Op); err != nil {
		return nil, lower.Refuse("%v", err)
	}
	low, high := o.window(p)
	protocol := cmp.Or(o.Protocol, program.Simple)
	lowering := lower.Options{
		Limits: dialect.Limits(), Protocol: protocol, InPlace: o.InPlace, NoFuse: o.NoFuse,
		Name: label(p), MinBytes: low, MaxBytes: high,
	}
	r := &Result{Format: format}
	made, note, err := fastestCut(func(parts int) (*cut[*loweredXML], error) {
		lowering.MaxParts = parts
		made, err := fusedIfFaster(ctx, p, lowering)
		if err != nil {
			return nil, err
		}
		return &cut[*loweredXML]{made, made.Parts, made.takes}, nil
	})
	if err != nil {
		return nil, err
	}
	for _, note := range []string{note, made.note} {
		if note != "" {
			r.Notes = append(r.Notes, note)
		}
	}
	layout := made.Programs[0].BufferMap
	if err := r.runs(ctx, p, made.graphs, made.Stages, layout.Chunks); err != nil {
		return nil, err
	}
	r.Notes = append(r.Notes, validity(&layout, fmt.Sprintf("a multiple of %d elements", layout.Chunks)), meant(low, high))
	r.Notes = append(r.Notes, changes(p, made.Parts, made.Rounded)...)
	writer := func(stage int) func(w io.Writer) error {
		return func(w io.Writer) error {
			notes := append([]string{fmt.Sprintf("%s, planned for %v", label(p), p.Collective.Size)}, r.Notes...)
			if len(made.Programs) > 1 {
				notes = append(notes, fmt.Sprintf("stage %d of %d: see %s", stage+1, len(made.Programs), ManifestFile))
			}
			return msccl.Write(w, made.Programs[stage], dialect, notes...)
		}
	}
	scratch := make([]int, layout.Nodes)
	for _, one := range made.Programs {
		for rank := range scratch {
			scratch[rank] = max(scratch[rank], one.Ranks[rank].Scratch)
		}
	}
	return r, r.stages(p, &pieces{&layout, scratch, made.ScratchLives, made.Stages, ".xml", writer})
}
