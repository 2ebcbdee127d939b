package plan

import (
	"bufio"
	"cmp"
	"encoding/json"
	"io"

	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Schema names the JSON form and its version.
const Schema = "lightpath.plan/v1"

// These are the JSON documents. A plan file is header fields, then stages with their links and
// steps, and the steps with their transfers, one per line.
type (
	stageJSON struct {
		Topology        string     `json:"topology"`
		StartNs         units.Time `json:"start_ns"`
		Reconfiguration units.Time `json:"reconfiguration_ns"`
		Hidden          units.Time `json:"hidden_ns,omitempty"`
	}
	// laneJSON is a lane: {} if its plane skips the step.
	laneJSON struct {
		Topology string   `json:"topology,omitempty"`
		Share    float64  `json:"share,omitempty"`
		Links    [][2]int `json:"links,omitempty"`
	}
	stepJSON struct {
		StepSummary
		Symmetry *symmetry `json:"symmetry,omitempty"`
	}
	// symmetry says that the transfers of a step are the images of the first Distinct ones under a
	// group of translations, in order. A reader need keep only those.
	symmetry struct {
		topology.Translations
		Distinct int `json:"distinct"`
	}
)

// Encode writes the whole plan, with every circuit and every transfer, as a stream.
func (p *Plan) Encode(w io.Writer) error { return p.encode(w, true, nil) }

// EncodeSummary writes the plan without circuits and transfers.
func (p *Plan) EncodeSummary(w io.Writer) error { return p.encode(w, false, nil) }

// encoder writes JSON piece by piece and keeps the first error.
type encoder struct {
	w        *bufio.Writer
	err      error
	scratch  []byte
	progress func(done, total int) // of steps, or nil
	steps    int
}

func (e *encoder) text(s string) {
	if e.err == nil {
		_, e.err = e.w.WriteString(s)
	}
}

func (e *encoder) value(v any) {
	data, err := json.Marshal(v)
	e.err = cmp.Or(e.err, err)
	e.text(string(data))
}

func (e *encoder) field(name string, v any) {
	e.text("  \"" + name + "\": ")
	e.value(v)
	e.text(",\n")
}

// open writes the fields of a small struct without its closing brace.
func (e *encoder) open(indent string, v any) {
	data, err := json.Marshal(v)
	e.err = cmp.Or(e.err, err)
	e.text(indent + string(data[:max(0, len(data)-1)]))
}

// encodeSimulated writes what simulation found out about the plan.
func (p *Plan) encodeSimulated(e *encoder) {
	if p.Simulated > 0 {
		e.field("simulated_ns", p.Simulated)
	}
	if p.Unsimulated != "" {
		e.field("unsimulated", p.Unsimulated)
	}
	if len(p.Late) > 0 {
		e.field("late", p.Late)
	}
	if p.Among != "" {
		e.field("among", p.Among)
	}
	if p.StaticAmong != "" {
		e.field("static_among", p.StaticAmong)
	}
	if p.BarriersCost != nil {
		e.field("barriers_cost_ns", *p.BarriersCost)
	}
	if p.SimulatedBaselines != (Baselines{}) {
		e.field("simulated_baselines_ns", p.SimulatedBaselines)
	}
	if s := p.Baselines.Over(p.Cost.Total()); s != (Speedups{}) {
		e.field("speedups", s)
	}
	if s := p.SimulatedBaselines.Over(p.Simulated); s != (Speedups{}) {
		e.field("simulated_speedups", s)
	}
	if p.Rival != nil {
		e.field("rival", p.Rival)
	}
}

func (p *Plan) encode(w io.Writer, whole bool, progress func(done, total int)) error {
	e := &encoder{w: bufio.NewWriterSize(w, 1<<16), progress: progress, steps: p.CountSteps()}
	c := p.Collective
	e.text("{\n")
	e.field("schema", Schema)
	if required := p.requires(); required != nil {
		e.field("requires", required)
	}
	if p.Independent {
		e.field("independent", true)
	}
	e.field("fabric", p.Fabric)
	e.field("collective", CollectiveSummary{c.Op, c.Algorithm, int64(c.Size), c.Space})
	e.field("planner", p.Planner)
	e.field("cost_ns", CostSummary{p.Cost.Total(), p.Cost.Startup, p.Cost.Propagation, p.Cost.Transmission, p.Cost.Reduction, p.Cost.Reconfiguration})
	e.field("reconfigurations", p.Reconfigurations)
	if p.Bound != 0 || p.File.Bound != nil {
		e.field("bound_ns", p.Bound)
		e.field("gap", p.Gap())
	}
	bound := p.OperationBound()
	e.field("operation_bound_ns", bound.Total())
	if !whole { // a whole plan has the claim, and its reader can compute these times
		e.field("operation_bound", bound)
	}
	e.field("baselines_ns", p.Baselines)
	e.field("same_algorithm_ns", p.SameAlgorithm)
	if !whole {
		p.encodeSimulated(e)
	}
	if p.Synthesis != nil {
		e.field("synthesis", p.Synthesis)
	}
	if p.Slots > 0 {
		e.field("slots", p.Slots)
	}
	if p.Strategy != "" {
		e.field("strategy", p.Strategy)
	}
	if p.Approximate {
		e.field("approximate", true)
	}
	e.text("  \"stages\": [")
	for i := range p.Stages {
		e.separate(i, "\n    ")
		p.encodeStage(e, i, whole)
	}
	e.text("\n  ]\n}\n")
	if e.err != nil {
		return e.err
	}
	return e.w.Flush()
}

func (e *encoder) separate(i int, between string) {
	if i > 0 {
		e.text(",")
	}
	e.text(between)
}

func (p *Plan) encodeStage(e *encoder, i int, whole bool) {
	stage := &p.Stages[i]
	e.open("", stageJSON{stage.Topology.Name(), stage.Start, stage.Reconfiguration, stage.Hidden})
	if whole {
		e.text(",\n     \"links\":[")
		first := true
		for edge := range stage.Topology.Edges() {
			if !first {
				e.text(",")
			}
			first = false
			e.value([3]int{edge.From, edge.To, edge.Count})
		}
		e.text("]")
	}
	if whole && !p.Fabric.Layout.IsZero() {
		e.circuits(p.SetUp(i))
	}
	if stage.Lanes != nil {
		e.text(",\n     \"lanes\":")
		e.value(lanesJSON(stage.Lanes, whole))
	}
	e.text(",\n     \"steps\":[")
	for j := range stage.Steps {
		e.separate(j, "\n      ")
		p.encodeStep(e, &stage.Steps[j], whole)
	}
	e.text("\n     ]}")
}

// circuits writes circuits with their ports and switches, [u,port,v,port,switch] each.
func (e *encoder) circuits(set []layout.Circuit, err error) {
	e.err = cmp.Or(e.err, err)
	e.text(",\n     \"circuits\":[")
	for i, c := range set {
		if i > 0 {
			e.text(",")
		}
		e.value([5]int{c.From, c.FromPort, c.To, c.ToPort, c.Switch})
	}
	e.text("]")
}

func (p *Plan) encodeStep(e *encoder, step *Step, whole bool) {
	c := &step.Cost
	doc := stepJSON{StepSummary: StepSummary{step.Index, step.Start, c.Total(), c.Startup, c.Propagation, c.Transmission, c.Reduction, c.Hops, c.Congestion}}
	if !whole {
		e.value(doc)
		return
	}
	if !step.Group.Trivial() {
		doc.Symmetry = &symmetry{step.Group, len(step.Base)}
	}
	e.open("", doc)
	e.text(",\n       \"transfers\":[")
	i := 0
	for t := range step.All(p.Collective.Space) {
		e.separate(i, "\n        ")
		i++
		e.transfer(&t, p.Bytes(t.Chunks))
		if e.err != nil {
			return
		}
	}
	e.text("\n       ]}")
	if e.progress != nil {
		e.progress(step.Index, e.steps)
	}
}

// lanesJSON returns lanes in the form of the file, with or without their circuits.
func lanesJSON(lanes []Lane, whole bool) []laneJSON {
	docs := make([]laneJSON, len(lanes))
	for i, lane := range lanes {
		if lane.Circuits == nil {
			continue
		}
		docs[i] = laneJSON{Topology: lane.Circuits.Name(), Share: lane.Share}
		if whole {
			for edge := range lane.Circuits.Edges() {
				docs[i].Links = append(docs[i].Links, [2]int{edge.From, edge.To})
			}
		}
	}
	return docs
}
