package iteration

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/strict"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
)

// Schema names the JSON form of an iteration's plan and its version.
const Schema = "lightpath.iterate/v1"

// Document is the plan of an iteration as a file. It has everything needed to carry it out and
// to verify it; the summary leaves out Workload, Plans, Circuits, Up and Changes.
type Document struct {
	Schema string `json:"schema"`
	Name   string `json:"name,omitempty"` // of the workload
	Ranks  int    `json:"ranks"`
	Policy string `json:"policy"`
	// Iteration is the time from any point of an iteration to the same point of the next.
	Iteration units.Time `json:"iteration_ns"`
	Compute   units.Time `json:"compute_ns"` // the longest chain of only computations
	Exposed   units.Time `json:"exposed_ns"` // Iteration minus Compute
	// ExposedByKind divides Exposed by what the longest chain of the plan consists of: kinds of
	// groups that communicate, "reconfiguration", and "ports" for waiting for ports that others
	// use.
	ExposedByKind map[string]units.Time `json:"exposed_by_kind_ns"`
	// Reconfigurations counts changes of circuits of all classes, and Hidden those between
	// communications that delay no operation.
	Reconfigurations int        `json:"reconfigurations"`
	Hidden           int        `json:"hidden"`
	Bound            units.Time `json:"bound_ns"`
	// Gap is Iteration / Bound - 1, and 0 if nothing takes time.
	Gap       float64               `json:"gap"`
	Baselines map[string]units.Time `json:"baselines_ns"` // of policies that have a plan
	Fabric    fabric.Fabric         `json:"fabric"`
	Classes   []DocumentClass       `json:"classes"`
	Ops       []DocumentOp          `json:"ops"`

	// Online reports the steps, if their demand changed; the rest is then the plan of the last
	// step. It is not part of a plan's file.
	Online *Online `json:"online,omitempty"`

	Circuits []DocumentCircuits `json:"circuits,omitempty"`
	// Up are the circuits that are up before the iteration, as the previous one has left them.
	Up       []DocumentSeat     `json:"up,omitempty"`
	Changes  []DocumentChange   `json:"changes,omitempty"`
	Plans    []json.RawMessage  `json:"plans,omitempty"` // of the collectives of one group
	Workload *workload.Workload `json:"workload,omitempty"`
}

// DocumentClass is a class of ranks that do the same at the same time.
type DocumentClass struct {
	Name  string           `json:"name,omitempty"`
	Ranks workload.RankSet `json:"ranks"`
}

// DocumentOp says when an operation of a class takes place.
type DocumentOp struct {
	ID    string     `json:"id"`
	Class int        `json:"class"` // for a collective or send, the first of its classes
	Kind  string     `json:"kind,omitempty"`
	Start units.Time `json:"start_ns"`
	End   units.Time `json:"end_ns"`
	Ports int        `json:"ports,omitempty"` // ports of a GPU that it uses
	// Circuits are up at its beginning and Leaves at its end, from 1; 0: none.
	Circuits int `json:"circuits,omitempty"`
	Leaves   int `json:"leaves,omitempty"` // if different
	Plan     int `json:"plan,omitempty"`   // from 1
}

// DocumentCircuits are circuits that are set up together.
type DocumentCircuits struct {
	Name    string `json:"name"`
	Kind    string `json:"kind,omitempty"`
	Classes []int  `json:"classes"`
	// One of these says which ranks they join.
	Links [][3]int `json:"links,omitempty"` // from, to, count, by the places of a group
	Pair  int      `json:"pair,omitempty"`
	Ring  int      `json:"ring,omitempty"`
	Jumps []int    `json:"jumps,omitempty"`
	Width []int    `json:"width,omitempty"`
}

// DocumentLane is a port of a class: class, side, number. Side 0 sends, 1 receives, 2 does both.
type DocumentLane [3]int

// DocumentSeat says where circuits are.
type DocumentSeat struct {
	Circuits int            `json:"circuits"` // from 1
	Lanes    []DocumentLane `json:"lanes"`
}

// DocumentChange sets circuits up.
type DocumentChange struct {
	DocumentSeat
	Start  units.Time `json:"start_ns"`
	End    units.Time `json:"end_ns"`
	Before string     `json:"before,omitempty"` // the operation that needs them; "" at the end
	Class  int        `json:"class"`
	// Exposed is how much later that operation starts because of it; at the end, how much longer
	// the iteration takes than without all changes there.
	Exposed units.Time `json:"exposed_ns,omitempty"`
}

// Online says what was kept and rewired while the demand of experts changed from step to step.
type Online struct {
	Steps   []OnlineStep `json:"steps"`
	Total   units.Time   `json:"total_ns"`
	Rewired int          `json:"rewired"` // steps that began with another plan than the previous step
	Plans   int          `json:"plans"`   // plans made, including the one for even demand
	// Static is the time with the plan for even demand in all steps, with routes for each step.
	Static units.Time `json:"static_ns"`
	// Newest is the time with a new plan for every step.
	Newest units.Time `json:"newest_ns"`
	// Hindsight is the time of the fastest sequence of all these plans, and Fixed that of the best
	// single plan for all steps; 0 if there are too many to try each in every step.
	Hindsight units.Time `json:"hindsight_ns,omitempty"`
	Fixed     units.Time `json:"fixed_ns,omitempty"`
	Bound     units.Time `json:"bound_ns"` // of any plans: the sum of the bounds of the steps
	// Ratio is Total over Hindsight, or over Bound if there is none.
	Ratio float64 `json:"ratio"`
}

// OnlineStep is what was decided at the beginning of a step.
type OnlineStep struct {
	Step int `json:"step"`
	// Plan is the number of the plan; 0 is the plan for even demand.
	Plan    int        `json:"plan"`
	Own     bool       `json:"own,omitempty"`     // the plan was made for the demand of this step
	Rewired bool       `json:"rewired,omitempty"` // the previous step had another plan
	Time    units.Time `json:"time_ns"`
	Static  units.Time `json:"static_ns"`
	Newest  units.Time `json:"newest_ns"`
	Bound   units.Time `json:"bound_ns"`
}

// NewDocument writes a plan of an iteration as a document.
func NewDocument(g *workload.Graph, f *fabric.Fabric, p *Program, r *Repertoire, made *Plan) (*Document, error) {
	d := &Document{
		Schema: Schema, Name: g.Workload.Name, Ranks: g.Workload.Ranks, Policy: made.Policy, Iteration: made.Iteration, Compute: made.Compute,
		Exposed: made.Iteration - made.Compute, Bound: min(made.Bound, made.Iteration), Gap: made.Iteration.Over(min(made.Bound, made.Iteration)) - 1, Fabric: *f, Workload: g.Workload,
		Baselines: map[string]units.Time{}, Ops: []DocumentOp{}, Reconfigurations: len(made.Changes) + made.Within,
	}
	for policy, t := range made.Baselines {
		d.Baselines[policy] = t.Iteration
	}
	for c := range p.Classes {
		d.Classes = append(d.Classes, DocumentClass{p.Classes[c].Name, workload.NewRankSet(p.Classes[c].Ranks)})
	}
	w := &writer{Document: d, lines: r.Lines, circuits: make([]int, len(r.Circuits)), plans: map[*plan.Plan]int{}}
	for j := range p.Jobs {
		if err := w.op(p, r, made, j); err != nil {
			return nil, err
		}
	}
	for i, lanes := range made.Initial {
		if lanes != nil {
			d.Up = append(d.Up, DocumentSeat{w.circuitsOf(r, i), w.lanes(lanes)})
		}
	}
	for i := range made.Changes {
		c := &made.Changes[i]
		out := DocumentChange{DocumentSeat: DocumentSeat{w.circuitsOf(r, c.Circuits), w.lanes(c.Lanes)}, Start: c.Start, End: c.End, Exposed: c.Exposed}
		if c.Job >= 0 {
			out.Before, out.Class = p.Jobs[c.Job].ID, p.Jobs[c.Job].Class
		}
		d.Changes = append(d.Changes, out)
		if c.Exposed <= 0 {
			d.Hidden++
		}
	}
	l, err := newLinkedDocument(d, g)
	if err != nil {
		return nil, err
	}
	d.ExposedByKind = l.exposed(d.Exposed)
	return d, nil
}

// writer makes a document.
type writer struct {
	*Document
	lines    Lines
	circuits []int // their numbers in the document, from 1
	plans    map[*plan.Plan]int
}

func (w *writer) op(p *Program, r *Repertoire, made *Plan, j int) error {
	job, e := &p.Jobs[j], made.Entries[j]
	out := DocumentOp{ID: job.ID, Class: job.Class, Start: e.Start, End: e.End}
	if e.Offer >= 0 {
		o := &r.Offers[job.Work][e.Offer]
		out.Kind, out.Ports = p.Works[job.Work].Kind, r.portsOf(o.First)
		if out.Circuits = w.circuitsOf(r, o.First); o.Last != o.First {
			out.Leaves = w.circuitsOf(r, o.Last)
		}
		if o.Plan != nil {
			number, ok := w.plans[o.Plan]
			if !ok {
				text := &bytes.Buffer{}
				if err := o.Plan.Encode(text); err != nil {
					return err
				}
				w.Plans = append(w.Plans, bytes.TrimSpace(text.Bytes()))
				number = len(w.Plans)
				w.plans[o.Plan] = number
			}
			out.Plan = number
		}
	}
	w.Ops = append(w.Ops, out)
	return nil
}

func (w *writer) circuitsOf(r *Repertoire, i int) int {
	if i == NoCircuits {
		return 0
	}
	if w.circuits[i] == 0 {
		c := &r.Circuits[i]
		out := DocumentCircuits{Name: c.Name, Kind: c.Kind, Classes: c.Classes, Pair: c.Pair, Ring: c.Ring, Jumps: c.Jumps, Width: c.Width}
		if c.Graph != nil {
			for e := range unlooped(c.Graph).Edges() {
				out.Links = append(out.Links, [3]int{e.From, e.To, e.Count})
			}
		}
		w.Circuits = append(w.Circuits, out)
		w.circuits[i] = len(w.Circuits)
	}
	return w.circuits[i]
}

// portsOf returns how many ports of a GPU circuits take, on the side with more.
func (r *Repertoire) portsOf(circuits int) int {
	if circuits == NoCircuits {
		return 0
	}
	taken, most := map[[2]int]int{}, 0 // by class and side
	for _, c := range r.Circuits[circuits].Claims {
		for lane := range c.Lanes {
			class, side, ports := r.Lines.ports(Lane{c.Line, lane})
			taken[[2]int{class, side}] += len(ports)
			most = max(most, taken[[2]int{class, side}])
		}
	}
	return most
}

func (w *writer) lanes(lanes []Lane) []DocumentLane {
	var list []DocumentLane
	for _, l := range lanes {
		class, side, ports := w.lines.ports(l)
		for _, port := range ports {
			list = append(list, DocumentLane{class, side, port})
		}
	}
	return list
}

// Summary returns the document without what is needed only for carrying out and verifying.
func (d *Document) Summary() *Document {
	s := *d
	s.Workload, s.Plans, s.Circuits, s.Up, s.Changes = nil, nil, nil, nil, nil
	return &s
}

// Encode writes the document.
func (d *Document) Encode(to io.Writer) error {
	e := json.NewEncoder(to)
	e.SetEscapeHTML(false)
	return e.Encode(d)
}

// Decode reads a document strictly, without verifying it.
func Decode(r io.Reader) (*Document, error) {
	s := strict.NewReader(r)
	d := &Document{}
	err := s.Value(d)
	if err == nil {
		err = s.End()
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("line %d: %w", s.Line(), err)
	case d.Schema != Schema:
		return nil, fmt.Errorf("schema %.40q; want %q", d.Schema, Schema)
	case d.Workload == nil, d.Online != nil:
		return nil, fmt.Errorf("it has no workload, or more than a plan; a summary cannot be read back")
	}
	return d, d.Workload.Validate()
}

// UnmarshalJSON reads the JSON form.
func (d *Document) UnmarshalJSON(data []byte) error {
	type plain Document
	return strict.Unmarshal(data, (*plain)(d))
}

// IsDocument reports whether the beginning of a file looks like that of a document.
func IsDocument(head []byte) bool { return bytes.Contains(head, []byte(Schema)) }

// graph returns the circuits of a group.
func (c *DocumentCircuits) graph(nodes int) (*topology.Graph, error) {
	var edges []topology.Edge
	for _, l := range c.Links {
		if l[0] < 0 || l[0] >= nodes || l[1] < 0 || l[1] >= nodes || l[0] == l[1] || l[2] < 1 || l[2] > 1<<16 {
			return nil, fmt.Errorf("circuits %s: link %v is none of a group of %d", c.Name, l, nodes)
		}
		edges = append(edges, topology.Edge{From: l[0], To: l[1], Count: l[2]})
	}
	return topology.New(nodes, c.Name, edges), nil
}
