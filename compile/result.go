package compile

import (
	"context"
	"fmt"
	"io"

	"github.com/lightpath-net/lightpath/compile/check"
	"github.com/lightpath-net/lightpath/compile/lift"
	"github.com/lightpath-net/lightpath/compile/program"
	"github.com/lightpath-net/lightpath/compile/timetable"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// File is one file of the result.
type File struct {
	Name  string // within the folder; "" if it is the only one
	Write func(w io.Writer) error
}

// Result is a compiled plan.
type Result struct {
	Format Format
	Files  []File // one, or several that make a folder
	Notes  []string
	// Lowered is the plan as the runtime executes it: whole units on every route, and
	// intermediate ranks that store and forward. It is nil if the format keeps the plan as it
	// is, and if no plan can express what the programs do (lift.ErrInexpressible).
	Lowered *plan.Plan
	// Carried is how long the target takes, and How says by which rules; 0: it has no time of
	// its own.
	Carried units.Time
	How     string
	// Parts splits Carried into its parts, and Causes says why it differs from the plan's time.
	Parts  *Carried
	Causes []string
}

// Folder reports whether the files make a folder.
func (r *Result) Folder() bool { return len(r.Files) != 1 || r.Files[0].Name != "" }

const timetableFile = "timetable.json"

// label names a program after its plan.
func label(p *plan.Plan) string {
	return fmt.Sprintf("%s_%s_%s_%d", p.Collective.Op, p.Collective.Algorithm, p.Planner, p.Fabric.Nodes)
}

// lowered returns the plan as programs execute it.
func lowered(ctx context.Context, p *plan.Plan, graphs []*check.Graph, stages []int) (*plan.Plan, error) {
	o := lift.Options{
		Fabric: p.Fabric, Size: p.Collective.Size, Algorithm: p.Collective.Algorithm, Planner: p.Planner,
		Nodes: p.Collective.Space.Members, Stages: stages,
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

// pieces are the programs of a plan's stages: one or several per stage.
type pieces struct {
	layout    *program.BufferMap
	scratch   []int // chunks of each rank
	lives     bool  // scratch lives on from one program to the next
	stages    []int // of each program, ascending
	extension string
	writer    func(program int) func(w io.Writer) error
}

// stages names the files: a single file, or those of every stage with a manifest and a
// timetable.
func (r *Result) stages(p *plan.Plan, all *pieces) error {
	if len(all.stages) == 1 {
		r.Files = []File{{Write: all.writer(0)}}
		return nil
	}
	table, err := timetable.Of(p)
	if err != nil {
		return err
	}
	m, l := manifest(p, r.Format), all.layout
	m.ScratchLives = all.lives
	m.Ranks, m.Chunks, m.InPlace, m.Scratch, m.GPUs = l.Nodes, l.Chunks, l.InPlace, all.scratch, p.Collective.Space.Members
	r.Files = append(r.Files, File{ManifestFile, m.Write}, File{timetableFile, table.WriteJSON})
	for i, at := range all.stages {
		stage := &m.Stages[at]
		name := fmt.Sprintf("stage-%d%s", at+1, all.extension)
		if stage.File == "" {
			stage.File = name
		} else {
			name = fmt.Sprintf("stage-%d-%d%s", at+1, len(stage.More)+2, all.extension)
			stage.More = append(stage.More, name)
		}
		r.Files = append(r.Files, File{name, all.writer(i)})
	}
	return nil
}

// hopsOf returns the hops of the longest route of a step.
func hopsOf(step *plan.Step) int {
	hops := 0
	for i := range step.Base {
		for _, route := range step.Base[i].Routes {
			hops = max(hops, len(route.Path)-1)
		}
	}
	return hops
}

// longest returns the hops of the longest route of a plan.
func longest(p *plan.Plan) int {
	hops := 0
	for _, step := range p.Steps() {
		hops = max(hops, hopsOf(step))
	}
	return hops
}

// cutsThrough says what ranks must do for a target to take the plan's times.
func cutsThrough(p *plan.Plan) []string {
	if hops := longest(p); hops > 1 && p.Fabric.Forwarding == fabric.CutThrough {
		return []string{fmt.Sprintf("times are the plan's: its routes of up to %d hops cut through the GPUs on their way; GPUs that store and forward take longer", hops)}
	}
	return nil
}

// changes says how the runtime deviates from the plan.
func changes(p *plan.Plan, parts int, rounded float64) []string {
	var notes []string
	if parts > 1 {
		notes = append(notes, fmt.Sprintf("every chunk of the plan is cut into %d", parts))
	}
	if rounded > 0 {
		notes = append(notes, fmt.Sprintf("shares of routes are rounded to whole parts, by up to %.2g of a chunk", rounded))
	}
	if hops := longest(p); hops > 1 {
		notes = append(notes, fmt.Sprintf("routes of up to %d hops are stored and forwarded by the ranks on their way", hops))
	}
	return notes
}
