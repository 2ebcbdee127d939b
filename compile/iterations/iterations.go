// Package iterations compiles the plan of an iteration: a runtime's program for each distinct
// collective, one timetable of the switches, and a manifest that says which group runs which
// program when.
package iterations

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/compile"
	"github.com/lightpath-net/lightpath/compile/timetable"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
)

// ManifestSchema names the form of the manifest of an iteration.
const ManifestSchema = "lightpath.iteration-manifest/v1"

// The files beside those of collectives.
const (
	manifestFile  = "iteration.json"
	timetableFile = "timetable.json"
)

// Manifest describes how the files of an iteration fit together.
type Manifest struct {
	Schema    string         `json:"schema"`
	Format    compile.Format `json:"format"`
	Name      string         `json:"name,omitempty"` // of the workload
	Ranks     int            `json:"ranks"`
	Iteration units.Time     `json:"iteration_ns"`
	Timetable string         `json:"timetable"`
	// Collectives run programs; Sends are messages, which a runtime sends with its own calls.
	Collectives []Collective `json:"collectives"`
	Sends       []Send       `json:"sends"`
}

// Collective is a program and who runs it.
type Collective struct {
	// File is the program or, if it has several stages, its folder, which has a manifest of its
	// own.
	File   string      `json:"file"`
	Kind   string      `json:"kind"`
	Op     string      `json:"op"`
	Size   units.Bytes `json:"size_bytes"`
	Ports  int         `json:"ports"`
	Groups [][]int     `json:"groups"` // ranks, in the order of the program's ranks
	Notes  []string    `json:"notes"`  // about the program
	Runs   []Run       `json:"runs"`
}

// Send is a message that ranks send.
type Send struct {
	Kind  string      `json:"kind,omitempty"`
	Size  units.Bytes `json:"size_bytes"`
	Pairs [][]int     `json:"pairs"` // sender first; ranks between them forward
	Runs  []Run       `json:"runs"`
}

// Run is one operation of the iteration.
type Run struct {
	ID    string     `json:"id"`
	Start units.Time `json:"start_ns"`
	End   units.Time `json:"end_ns"`
}

// extensions of the files of runtimes.
var extensions = map[compile.Format]string{compile.MSCCL: ".xml", compile.RCCL: ".xml", compile.MSCCLPP: ".json", compile.Torch: ".py"}

// Compile makes the files of an iteration.
func Compile(ctx context.Context, a *iteration.Agenda, targets compile.Targets, to compile.Format, o compile.Options) (*compile.Result, error) {
	table, err := Timetable(a)
	if err != nil {
		return nil, err
	}
	changes := each.Sum(table.Stages, func(s timetable.Stage) int { return len(s.Changes) })
	r := &compile.Result{Format: to, Notes: []string{fmt.Sprintf("switches: %d, changes of circuits: %d, commands: %d", table.Switches, len(table.Stages), changes)}}
	if to == compile.Timetable {
		style, _ := o.(*compile.TimetableOptions)
		if style == nil {
			style = &compile.TimetableOptions{}
		}
		file, err := style.File(table)
		r.Files = []compile.File{file}
		return r, err
	}
	if to == compile.ASTRA {
		form := ""
		if own, ok := o.(*compile.ASTRAOptions); ok {
			form = own.Form
		}
		made, err := traces(ctx, a, form)
		if err != nil {
			return nil, err
		}
		made.Notes = append(r.Notes, made.Notes...)
		made.Files = append(made.Files, compile.File{Name: timetableFile, Write: table.WriteJSON})
		made.List()
		return made, nil
	}
	extension, known := extensions[to]
	if !known {
		return nil, field.Errorf("to", "%s: an iteration is compiled to %s, %s, %s, %s, %s or %s", to,
			compile.MSCCL, compile.RCCL, compile.MSCCLPP, compile.Torch, compile.ASTRA, compile.Timetable)
	}
	m := &Manifest{
		Schema: ManifestSchema, Format: to, Name: a.Name, Ranks: a.Ranks, Iteration: a.Iteration, Timetable: timetableFile,
		Collectives: []Collective{}, Sends: []Send{},
	}
	c := &compiler{Agenda: a, targets: targets, to: to, options: o, extension: extension, result: r, manifest: m, files: map[int]string{}, notes: map[string][]string{}, at: map[string]int{}}
	for i := range a.Items {
		if x := &a.Items[i]; x.Change == nil && x.Communicates {
			if err := c.add(ctx, x); err != nil {
				return nil, fmt.Errorf("%s: %w", x.Op.ID, err)
			}
		}
	}
	r.Notes = append(r.Notes, fmt.Sprintf("programs: %d, collectives: %d, kinds of messages: %d", len(c.files), len(m.Collectives), len(m.Sends)))
	r.Files = append(r.Files, compile.File{Name: timetableFile, Write: table.WriteJSON}, compile.File{Name: manifestFile, Write: m.write})
	return r, nil
}

// Timetable returns the timetable of the switches.
func Timetable(a *iteration.Agenda) (*timetable.Table, error) {
	up, wirings, err := a.Wirings()
	if err != nil {
		return nil, err
	}
	steps := make([]timetable.Step, len(wirings))
	for i, w := range wirings {
		steps[i] = timetable.Step(w)
	}
	return timetable.OfSteps(&a.Fabric, up, steps)
}

func (m *Manifest) write(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(m)
}

// Written lists the files of the iteration, or of the plan, that was compiled into a folder: the
// manifest or list of files, and the files that it names. Without a manifest or list there are
// none.
func Written(folder fs.FS) []string {
	list := compile.Written(folder)
	text, err := fs.ReadFile(folder, manifestFile)
	if err != nil {
		return list
	}
	var m Manifest
	if json.Unmarshal(text, &m) != nil || m.Schema != ManifestSchema {
		return list
	}
	list = append(list, manifestFile, m.Timetable)
	for i := range m.Collectives {
		name := m.Collectives[i].File
		stages, err := fs.Sub(folder, name)
		if err != nil {
			continue
		}
		list = append(list, name)
		for _, file := range compile.Written(stages) {
			list = append(list, path.Join(name, file))
		}
	}
	return slices.DeleteFunc(list, func(name string) bool { return !fs.ValidPath(name) })
}

// compiler fills a manifest.
type compiler struct {
	*iteration.Agenda
	targets   compile.Targets
	to        compile.Format
	options   compile.Options
	extension string
	result    *compile.Result
	manifest  *Manifest
	files     map[int]string // by plan
	notes     map[string][]string
	at        map[string]int // entries of the manifest
}

// add enters an operation.
func (c *compiler) add(ctx context.Context, x *iteration.Item) error {
	t := c.Task(x)
	run := Run{x.Op.ID, x.Start, x.End}
	if t.Type == workload.Send {
		key := fmt.Sprint("send", t.Op.Kind, int64(t.Op.Size), x.Groups)
		k, known := c.at[key]
		if !known {
			k = len(c.manifest.Sends)
			c.at[key] = k
			c.manifest.Sends = append(c.manifest.Sends, Send{Kind: t.Op.Kind, Size: t.Op.Size, Pairs: x.Groups})
		}
		c.manifest.Sends[k].Runs = append(c.manifest.Sends[k].Runs, run)
		return nil
	}
	if x.Op.Plan == 0 {
		return fmt.Errorf("%w: this plan sends over circuits that all ranks share, which runtimes do not know; plan the iteration with policy %s or %s, whose groups have circuits of their own",
			compile.ErrRefused, iteration.Each, iteration.PhasesAhead)
	}
	key := fmt.Sprint(x.Op.Plan, x.Groups)
	k, known := c.at[key]
	if !known {
		file, err := c.program(ctx, x)
		if err != nil {
			return err
		}
		k = len(c.manifest.Collectives)
		c.at[key] = k
		c.manifest.Collectives = append(c.manifest.Collectives, Collective{File: file, Kind: t.Op.Kind, Op: string(t.Op.Op), Size: t.Op.Size, Ports: x.Op.Ports, Groups: x.Groups, Notes: c.notes[file]})
	}
	c.manifest.Collectives[k].Runs = append(c.manifest.Collectives[k].Runs, run)
	return nil
}

// program compiles the plan of an operation, once, and returns the name of its file or folder.
func (c *compiler) program(ctx context.Context, x *iteration.Item) (string, error) {
	number := x.Op.Plan
	if name, made := c.files[number]; made {
		return name, nil
	}
	p := c.Made[number-1]
	made, err := c.targets.Compile(ctx, p, c.to, c.options)
	if err != nil {
		return "", err
	}
	name := strings.ToLower(fmt.Sprintf("%s-%s-%s-%d", x.Op.Kind, p.Collective.Op, strings.ReplaceAll(p.Collective.Size.String(), ".", "_"), number))
	if !made.Folder() {
		if c.to == compile.Torch { // Python imports no names with hyphens
			name = strings.ReplaceAll(name, "-", "_")
		}
		name += c.extension
		c.result.Files = append(c.result.Files, compile.File{Name: name, Write: made.Files[0].Write})
	} else {
		for _, f := range made.Files {
			c.result.Files = append(c.result.Files, compile.File{Name: name + "/" + f.Name, Write: f.Write})
		}
	}
	c.files[number], c.notes[name] = name, append([]string{}, made.Notes...)
	return name, nil
}
