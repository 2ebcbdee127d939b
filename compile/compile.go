package compile

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/lightpath-net/lightpath/compile/astra"
	"github.com/lightpath-net/lightpath/compile/check"
	"github.com/lightpath-net/lightpath/compile/draw"
	"github.com/lightpath-net/lightpath/compile/harvest"
	"github.com/lightpath-net/lightpath/compile/lift"
	"github.com/lightpath-net/lightpath/compile/lower"
	"github.com/lightpath-net/lightpath/compile/msccl"
	"github.com/lightpath-net/lightpath/compile/mscclpp"
	"github.com/lightpath-net/lightpath/compile/program"
	"github.com/lightpath-net/lightpath/compile/timetable"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// ErrRefused marks a plan that a format or its runtime cannot carry; the error says why,
// with the limit and the number.
var ErrRefused = lower.ErrRefused

// Options say how to compile.
type Options struct {
	Format Format
	// InPlace makes programs for buffers that are the same, or one of which is part of the
	// other; a program is for one of the two cases.
	InPlace bool
	// Protocol is that of MSCCL and RCCL; "": Simple.
	Protocol program.Protocol
	// MinBytes and MaxBytes are the sizes of buffers for which a runtime should choose the
	// program; 0: half and twice the size that was planned for.
	MinBytes, MaxBytes units.Bytes
	Channel            mscclpp.ChannelType // of MSCCL++; "": port
	NoFuse             bool                // keep receives and sends apart where they could be joined
	Style              string              // of a timetable: json, csv or scpi; "": json
}

// File is one file of the result.
type File struct {
	Name  string // within the folder; "" if it is the only one
	Write func(w io.Writer) error
}

// Result is what a plan has been compiled to.
type Result struct {
	Format Format
	Files  []File // one, or several that belong into a folder
	Notes  []string
	// Lowered is the plan as the runtime carries it out: whole units on every route, which
	// intermediate ranks store and forward. Nil where the format keeps the plan's own.
	Lowered *plan.Plan
}

// Folder reports whether the files belong into a folder.
func (r *Result) Folder() bool { return len(r.Files) != 1 || r.Files[0].Name != "" }

const timetableFile = "timetable.json"

// Compile makes the files of a plan, which must have been verified.
func Compile(ctx context.Context, p *plan.Plan, o Options) (*Result, error) {
	if p.Staggered() && o.Format != Dot && o.Format != Edges && o.Format != Timetable {
		return nil, fmt.Errorf("%w: %s has all planes rewired together, those of this plan are rewired by themselves; plan without overlap planes", ErrRefused, o.Format)
	}
	switch o.Format {
	case MSCCL, RCCL:
		return compileMSCCL(ctx, p, &o)
	case MSCCLPP:
		return compileMSCCLPP(ctx, p, &o)
	case ASTRA:
		return compileASTRA(ctx, p)
	case HARVEST:
		return &Result{Format: HARVEST, Files: []File{{Write: harvest.Of(p).Write}}}, nil
	case Dot:
		return &Result{Format: Dot, Files: []File{{Write: func(w io.Writer) error { return draw.Dot(w, p) }}}}, nil
	case Edges:
		return compileEdges(p), nil
	case Timetable:
		return compileTimetable(p, &o)
	}
	_, err := ParseFormat(string(o.Format))
	return nil, err
}

// window returns the sizes that a program is meant for.
func (o *Options) window(p *plan.Plan) (low, high int64) {
	low, high = int64(o.MinBytes), int64(o.MaxBytes)
	if low == 0 {
		low = int64(p.Collective.Size) / 2
	}
	if high == 0 {
		high = int64(p.Collective.Size) * 2
	}
	return low, high
}

// label names a program after its plan.
func label(p *plan.Plan) string {
	return fmt.Sprintf("%s_%s_%s_%d", p.Collective.Op, p.Collective.Algorithm, p.Planner, p.Fabric.Nodes)
}

func compileMSCCL(ctx context.Context, p *plan.Plan, o *Options) (*Result, error) {
	dialect := msccl.Dialect(o.Format)
	if err := dialect.Supports(p.Collective.Op); err != nil {
		return nil, lower.Refuse("%v", err)
	}
	low, high := o.window(p)
	protocol := o.Protocol
	if protocol == "" {
		protocol = program.Simple
	}
	made, err := lower.Lower(ctx, p, lower.Options{
		Limits: dialect.Limits(), Protocol: protocol, InPlace: o.InPlace, NoFuse: o.NoFuse,
		Name: label(p), MinBytes: low, MaxBytes: high,
	})
	if err != nil {
		return nil, err
	}
	r := &Result{Format: o.Format}
	graphs := make([]*check.Graph, len(made.Programs))
	for i, one := range made.Programs {
		if graphs[i], err = check.NewGraph(one); err != nil {
			return nil, err
		}
	}
	if r.Lowered, err = lowered(ctx, p, graphs); err != nil {
		return nil, err
	}
	layout := made.Programs[0].Layout
	r.Notes = append(r.Notes, validity(&layout, fmt.Sprintf("a multiple of %d elements", layout.Chunks), low, high)...)
	r.Notes = append(r.Notes, changes(p, made)...)
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
	return r, r.stages(p, &layout, scratch, ".xml", writer)
}

func compileMSCCLPP(ctx context.Context, p *plan.Plan, o *Options) (*Result, error) {
	made, documents, err := mscclpp.Make(ctx, p, o.InPlace, mscclpp.Options{
		Channel: o.Channel, Name: label(p), MinBytes: int64(o.MinBytes), MaxBytes: int64(o.MaxBytes),
	})
	if err != nil {
		return nil, err
	}
	r := &Result{Format: o.Format}
	graphs, err := mscclpp.Graphs(documents...)
	if err != nil {
		return nil, err
	}
	if r.Lowered, err = lowered(ctx, p, graphs); err != nil {
		return nil, err
	}
	layout, _, err := documents[0].Layout()
	if err != nil {
		return nil, err
	}
	low, high := documents[0].Meant()
	r.Notes = append(r.Notes, validity(&layout, fmt.Sprintf("a multiple of %d bytes", layout.Chunks*documents[0].BufferAlignment), int64(low), int64(high))...)
	r.Notes = append(r.Notes, changes(p, made.Lowered)...)
	scratch := make([]int, layout.Nodes)
	for _, d := range documents {
		for rank := range scratch {
			scratch[rank] = max(scratch[rank], d.GPUs[rank].ScratchChunks)
		}
	}
	writer := func(stage int) func(w io.Writer) error { return documents[stage].Write }
	return r, r.stages(p, &layout, scratch, ".json", writer)
}

// lowered returns the plan as programs carry it out.
func lowered(ctx context.Context, p *plan.Plan, graphs []*check.Graph) (*plan.Plan, error) {
	o := lift.Options{
		Fabric: p.Fabric, Size: p.Collective.Size, Algorithm: p.Collective.Algorithm, Planner: p.Planner,
		Nodes: p.Collective.Space.Members,
	}
	for i := range p.Stages {
		o.Topologies = append(o.Topologies, p.Stages[i].Topology)
	}
	q, err := lift.Lift(ctx, graphs, o)
	if err != nil {
		return nil, fmt.Errorf("the lowered plan: %w", err)
	}
	return q, nil
}

// stages names the files: one, or one for each stage with a manifest and a timetable.
func (r *Result) stages(p *plan.Plan, l *program.Layout, scratch []int, extension string, writer func(stage int) func(w io.Writer) error) error {
	if len(p.Stages) == 1 {
		r.Files = []File{{Write: writer(0)}}
		return nil
	}
	table, err := timetable.Of(p)
	if err != nil {
		return err
	}
	m := manifest(p, r.Format)
	m.Ranks, m.Chunks, m.InPlace, m.Scratch, m.GPUs = l.Nodes, l.Chunks, l.InPlace, scratch, p.Collective.Space.Members
	for i := range m.Stages {
		m.Stages[i].File = fmt.Sprintf("stage-%d%s", i+1, extension)
	}
	r.Files = append(r.Files, File{ManifestFile, m.Write}, File{timetableFile, table.WriteJSON})
	for i := range m.Stages {
		r.Files = append(r.Files, File{m.Stages[i].File, writer(i)})
	}
	return nil
}

// validity says for which buffers a program is right, and for which it is meant.
func validity(l *program.Layout, multiple string, low, high int64) []string {
	buffers := "out of place"
	if l.InPlace {
		buffers = "in place"
	}
	return []string{
		fmt.Sprintf("valid %s, for buffers of %s in all", buffers, multiple),
		fmt.Sprintf("meant for %v to %v", units.Bytes(low), units.Bytes(high)),
	}
}

// changes says what the runtime does otherwise than the plan.
func changes(p *plan.Plan, made *lower.Lowered) []string {
	var notes []string
	if made.Parts > 1 {
		notes = append(notes, fmt.Sprintf("every chunk of the plan is cut into %d", made.Parts))
	}
	if made.Rounded > 0 {
		notes = append(notes, fmt.Sprintf("shares of routes are rounded to whole parts, by up to %.2g of a chunk", made.Rounded))
	}
	hops := 0
	for _, step := range p.Steps() {
		for _, t := range step.Base {
			for _, route := range t.Routes {
				hops = max(hops, len(route.Path)-1)
			}
		}
	}
	if hops > 1 {
		notes = append(notes, fmt.Sprintf("routes of up to %d hops are stored and forwarded by the ranks on their way", hops))
	}
	return notes
}

func compileTimetable(p *plan.Plan, o *Options) (*Result, error) {
	table, err := timetable.Of(p)
	if err != nil {
		return nil, err
	}
	r := &Result{Format: Timetable}
	changes := 0
	for _, s := range table.Stages {
		changes += len(s.Changes)
	}
	r.Notes = []string{fmt.Sprintf("switches: %d, stages: %d, commands: %d", table.Switches, len(table.Stages), changes)}
	switch strings.ToLower(o.Style) {
	case "", "json":
		r.Files = []File{{Write: table.WriteJSON}}
	case "csv":
		r.Files = []File{{Write: table.WriteCSV}}
	case "scpi":
		r.Files = []File{{Write: table.WriteSCPI}}
	default:
		return nil, fmt.Errorf("style %q of a timetable is not json, csv or scpi", o.Style)
	}
	return r, nil
}

func compileASTRA(ctx context.Context, p *plan.Plan) (*Result, error) {
	files, notes, err := astra.Files(ctx, p)
	if err != nil {
		return nil, err
	}
	r := &Result{Format: ASTRA, Notes: notes}
	for _, f := range files {
		r.Files = append(r.Files, File{f.Name, f.Write})
	}
	return r, nil
}

func compileEdges(p *plan.Plan) *Result {
	r := &Result{Format: Edges}
	for i := range p.Stages {
		name := ""
		if len(p.Stages) > 1 {
			name = fmt.Sprintf("stage-%d.csv", i+1)
		}
		r.Files = append(r.Files, File{name, func(w io.Writer) error { return draw.Edges(w, &p.Stages[i]) }})
	}
	return r
}
