package plan

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/internal/strict"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Decode reads a plan as a stream and keeps only the transfers that do not follow from a step's
// symmetry. The result is well formed: numbers are in range, every required field is there, and
// none is unknown or repeated. Whether the plan is correct is for package verify to check.
// Errors name the line.
func Decode(r io.Reader) (*Plan, error) { return decode(r, Known{}) }

func decode(r io.Reader, known Known) (*Plan, error) {
	d := &decoder{json: strict.NewReader(r)}
	p := (&Plan{}).With(known)
	err := d.plan(p)
	var path *fs.PathError
	switch {
	case err == nil:
		return p, nil
	case errors.As(err, &path), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.Is(err, errTooLarge):
		return nil, err // no line is at fault
	case d.json.Empty():
		err = errors.New("the file is empty; want a plan")
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = errors.New("the file ends in the middle of the plan")
	}
	return nil, fmt.Errorf("line %d: %w", d.json.Line(), err)
}

type decoder struct {
	json  *strict.Reader
	nodes int
	space collective.Space
	size  float64 // of the collective, in bytes

	misstated []string

	asymmetric []int // steps that lack the symmetry that the file claims for them
	stages     []rawStage
}

// rawStage is a stage before the number of nodes is known.
type rawStage struct {
	name  string
	links [][3]int
	lanes []laneJSON
	// circuits are links with their ports and switches.
	circuits [][5]int
	stage    Stage
}

// misstate notes that the file contradicts itself. It keeps only the first few contradictions.
func (d *decoder) misstate(format string, args ...any) {
	if len(d.misstated) < 10 {
		d.misstated = append(d.misstated, fmt.Sprintf(format, args...))
	}
}

// object reads {"key": value, ..} and leaves each value for read.
func (d *decoder) object(what string, read func(key string) error) error {
	inside := false
	err := d.json.Object(func(key string) error {
		inside = true
		err := read(key)
		inside = err != nil
		return err
	})
	return at(what, err, inside)
}

// array reads [value, ..] and leaves each value for read.
func (d *decoder) array(what string, read func() error) error {
	inside := false
	err := d.json.List(func(int) error {
		inside = true
		err := read()
		inside = err != nil
		return err
	})
	return at(what, err, inside)
}

// at adds to an error where it happened, unless an inner caller has done so.
func at(what string, err error, said bool) error {
	if err == nil || said || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, errTooLarge) {
		return err
	}
	return fmt.Errorf("%s: %w", what, err)
}

func (d *decoder) value(what string, into any) error { return at(what, d.json.Value(into), false) }

// unknown refuses a key, because skipping it could change the meaning of the plan.
func unknown(what, key string, known ...string) error {
	const most = 40
	if len(key) > most {
		key = key[:most] + ".."
	}
	return fmt.Errorf("%s: unknown key %q; want %s", what, key, strings.Join(known, ", "))
}

// requirements are the names that "requires" of a file may contain. They stand for keys that
// change the meaning of a plan and that older readers do not know; such a reader must refuse
// the file.
var requirements = []string{requiresLanes, requiresIndependent, requiresLinks, requiresReplace, requiresParts, requiresSides, requiresIslands, requiresFixed, requiresSwitches, requiresCharge}

// requiresLanes is named if planes reconfigure independently, and requiresLinks if circuits of
// the base differ. A reader that ignores the lanes of the stages or the links of the fabric
// would compute other times.
const (
	requiresLanes = "lanes"
	requiresLinks = "links"
	// requiresIndependent is named if planes do not wait for one another.
	requiresIndependent = "independent"
	// requiresReplace is named if a transfer has the action collective.Replace.
	requiresReplace = "replace"
	// requiresParts is named if a transfer carries only a part of what its source has.
	requiresParts = "parts"
	// requiresSides is named if a target adds a transfer to side sums.
	requiresSides = "sides"
	// requiresIslands is named if GPUs share islands: hops without a circuit go through them.
	requiresIslands = "islands"
	// requiresFixed is named if there are fixed links: hops without a circuit go over them.
	requiresFixed = "fixed"
	// requiresSwitches is named if the fabric has a layout: a reader that does not know it could
	// not tell which circuits can be set up.
	requiresSwitches = "switches"
	// requiresCharge is named if steps that change no circuit are charged, too.
	requiresCharge = "charge"
)

// requires returns the names for "requires" in the file of the plan.
func (p *Plan) requires() []string {
	var names []string
	if p.Staggered() {
		names = append(names, requiresLanes)
	}
	if p.Independent {
		names = append(names, requiresIndependent)
	}
	if !p.Fabric.Links.IsZero() {
		names = append(names, requiresLinks)
	}
	if p.has(replaces) {
		names = append(names, requiresReplace)
	}
	if p.has(carriesPart) {
		names = append(names, requiresParts)
	}
	if p.has(addsToSides) {
		names = append(names, requiresSides)
	}
	if !p.Fabric.Island.IsZero() {
		names = append(names, requiresIslands)
	}
	if !p.Fabric.Fixed.IsZero() {
		names = append(names, requiresFixed)
	}
	if !p.Fabric.Layout.IsZero() {
		names = append(names, requiresSwitches)
	}
	if p.Fabric.Charge != fabric.ChargeChanges {
		names = append(names, requiresCharge)
	}
	return names
}

// replaces reports whether a sum takes the place of what a node holds.
func replaces(t *Transfer) bool { return t.Action == collective.Replace }

// carriesPart reports whether a transfer carries less than all its source has.
func carriesPart(t *Transfer) bool { return t.Part != collective.WholePart }

// addsToSides reports whether the target of a transfer adds it to side sums.
func addsToSides(t *Transfer) bool { return t.Sides != 0 }

// has reports whether the condition holds for some transfer.
func (p *Plan) has(is func(*Transfer) bool) bool {
	for _, step := range p.Steps() {
		for i := range step.Base {
			if is(&step.Base[i]) {
				return true
			}
		}
	}
	return false
}

func checkRequirements(required []string) error {
	for i, name := range required {
		switch {
		case !slices.Contains(requirements, name):
			return fmt.Errorf("requires: the plan needs %.40q, which this version does not know", name)
		case slices.Contains(required[:i], name):
			return fmt.Errorf("requires: %q is listed twice", name)
		}
	}
	return nil
}

// fabricJSON is the fabric in a plan file, with all its fields.
type fabricJSON struct {
	into  *fabric.Fabric
	known fabric.Known
}

// UnmarshalJSON reads the exact form.
func (f *fabricJSON) UnmarshalJSON(data []byte) (err error) {
	*f.into, err = fabric.Decode(data, f.known)
	return err
}

func (d *decoder) plan(p *Plan) error {
	var schema string
	var required []string
	var c CollectiveSummary
	var cost CostSummary
	fields := map[string]any{
		"schema": &schema, "requires": &required, "independent": &p.Independent, "planner": &p.Planner, "collective": &c, "fabric": &fabricJSON{&p.Fabric, p.known.Fabric()},
		"cost_ns": &cost, "gap": &p.File.Gap, "operation_bound_ns": &p.File.OperationBound, "reconfigurations": &p.Reconfigurations,
		"bound_ns": &p.File.Bound, "baselines_ns": &p.Baselines, "same_algorithm_ns": &p.File.SameAlgorithm, "synthesis": &p.Synthesis, "slots": &p.Slots, "strategy": &p.Strategy, "approximate": &p.Approximate,
	}
	missing := []string{"schema", "fabric", "collective", "cost_ns", "stages"}
	err := d.object("plan", func(key string) error {
		missing = slices.DeleteFunc(missing, func(m string) bool { return m == key })
		if key == "stages" {
			// Transfers are folded as they are read, so their space must be known.
			if slices.Contains(missing, "fabric") || slices.Contains(missing, "collective") {
				return fmt.Errorf("plan: stages must come after fabric and collective")
			}
			if err := d.header(p, c); err != nil {
				return err
			}
			return d.array("stages", d.stage)
		}
		into, known := fields[key]
		if !known && inSummary(key) {
			return ErrSummary
		}
		if !known {
			return unknown("plan", key, "schema, requires, independent, fabric, collective, planner, cost_ns, reconfigurations, bound_ns, gap, "+
				"operation_bound_ns, baselines_ns, same_algorithm_ns, synthesis, slots, strategy, approximate, stages")
		}
		if err := d.value(key, into); err != nil {
			return err
		}
		switch {
		case key == "schema" && schema != Schema:
			return fmt.Errorf("schema is %.40q, this version reads %q", schema, Schema)
		case key == "requires":
			return checkRequirements(required)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		return fmt.Errorf("plan: no %q", missing[0])
	}
	if err := d.json.End(); err != nil {
		return fmt.Errorf("plan: %w", err)
	}
	p.Cost = Cost{cost.Startup, cost.Propagation, cost.Transmission, cost.Reduction, cost.Reconfiguration}
	if !Near(p.Cost.Total(), cost.Total) {
		d.misstate("cost_ns: total %v is not the sum %v of its parts", cost.Total, p.Cost.Total())
	}
	if p.File.Bound != nil {
		p.Bound = *p.File.Bound
	}
	if p.File.SameAlgorithm != nil {
		p.SameAlgorithm = *p.File.SameAlgorithm
	} else { // a file from when baselines had the same algorithm
		p.SameAlgorithm, p.Baselines = p.Baselines, Baselines{}
	}
	p.File.Misstated, p.File.Asymmetric = d.misstated, d.asymmetric
	for i := range d.stages {
		if d.stages[i].lanes != nil && !slices.Contains(required, requiresLanes) {
			return fmt.Errorf("stage %d: lanes, but the plan does not say that it requires %q", i+1, requiresLanes)
		}
	}
	switch required := slices.Contains(required, requiresIndependent); {
	case p.Independent && !required:
		return fmt.Errorf("independent: true, but the plan does not say that it requires %q", requiresIndependent)
	case required && !p.Independent:
		return fmt.Errorf("requires: %q, but the plan does not say that planes are independent", requiresIndependent)
	}
	if !p.Fabric.Links.IsZero() && !slices.Contains(required, requiresLinks) {
		return fmt.Errorf("fabric: links, but the plan does not say that it requires %q", requiresLinks)
	}
	for _, part := range []struct {
		name, what string
		there      bool
	}{
		{requiresIslands, "islands", !p.Fabric.Island.IsZero()},
		{requiresFixed, "fixed links", !p.Fabric.Fixed.IsZero()},
		{requiresSwitches, "layout of switches", !p.Fabric.Layout.IsZero()},
	} {
		switch required := slices.Contains(required, part.name); {
		case part.there && !required:
			return fmt.Errorf("fabric: %s, but the plan does not say that it requires %q", part.name, part.name)
		case required && !part.there:
			return fmt.Errorf("requires: %q, but the fabric has no %s", part.name, part.what)
		}
	}
	if err := d.finish(p); err != nil {
		return err
	}
	if p.has(carriesPart) && !slices.Contains(required, requiresParts) {
		return fmt.Errorf("steps: transfers of a part, but the plan does not say that it requires %q", requiresParts)
	}
	if p.has(addsToSides) && !slices.Contains(required, requiresSides) {
		return fmt.Errorf("steps: transfers with sides, but the plan does not say that it requires %q", requiresSides)
	}
	if p.has(replaces) && !slices.Contains(required, requiresReplace) {
		return fmt.Errorf("steps: transfers with the action %q, but the plan does not say that it requires %q", collective.Replace, requiresReplace)
	}
	return nil
}

// header checks the fields on which the stages depend.
func (d *decoder) header(p *Plan, c CollectiveSummary) error {
	if err := c.Op.Known(); err != nil {
		return fmt.Errorf("collective: %w", err)
	}
	space := c.Chunks
	space.Nodes = p.Fabric.Nodes
	for i := range space.Sections {
		space.Sections[i].Space.Nodes = p.Fabric.Nodes
	}
	if c.SizeBytes <= 0 {
		return fmt.Errorf("collective: size_bytes must be above 0")
	}
	if err := space.Check(c.Op, units.Bytes(c.SizeBytes)); err != nil {
		return fmt.Errorf("collective: chunks: %w", err)
	}
	p.Collective = Collective{Op: c.Op, Algorithm: c.Algorithm, Size: units.Bytes(c.SizeBytes), Space: space}
	d.nodes, d.space, d.size = p.Fabric.Nodes, space, float64(c.SizeBytes)
	return nil
}

// finish builds the topologies of the stages.
func (d *decoder) finish(p *Plan) error {
	for i := range d.stages {
		raw := &d.stages[i]
		edges := make([]topology.Edge, len(raw.links))
		circuits := 0
		for j, l := range raw.links {
			if l[0] < 0 || l[0] >= d.nodes || l[1] < 0 || l[1] >= d.nodes || l[2] < 1 || l[2] > maxLinkCount {
				return fmt.Errorf("stage %d: link %v is not [u,v,count] with nodes in 0..%d and count in 1..%d",
					i+1, l, d.nodes-1, maxLinkCount)
			}
			// Links with the same ends add up, and their sum must not overflow.
			if circuits += l[2]; circuits > topology.MaxCircuits {
				return fmt.Errorf("stage %d: more than %d circuits", i+1, topology.MaxCircuits)
			}
			edges[j] = topology.Edge{From: l[0], To: l[1], Count: l[2]}
		}
		raw.stage.Topology = topology.New(d.nodes, raw.name, edges)
		var err error
		if raw.stage.Circuits, err = circuitsOf(raw.circuits, !p.Fabric.Layout.IsZero()); err != nil {
			return fmt.Errorf("stage %d: %w", i+1, err)
		}
		if raw.stage.Lanes, err = d.lanes(raw.lanes); err != nil {
			return fmt.Errorf("stage %d: %w", i+1, err)
		}
		p.Stages = append(p.Stages, raw.stage)
	}
	return nil
}

// circuitsOf makes circuits of [u,port,v,port,switch]. Package verify checks whether they are
// right.
func circuitsOf(raw [][5]int, laid bool) ([]layout.Circuit, error) {
	switch {
	case raw != nil && !laid:
		return nil, fmt.Errorf("circuits, but the fabric has no layout of switches")
	case raw == nil && laid:
		return nil, fmt.Errorf("no %q, which say how the switches are set", "circuits")
	case raw == nil:
		return nil, nil
	}
	made := make([]layout.Circuit, len(raw))
	for i, c := range raw {
		made[i] = layout.Circuit{From: c[0], FromPort: c[1], To: c[2], ToPort: c[3], Switch: c[4]}
	}
	return made, nil
}

// maxLinkCount is above any number of ports. Decode therefore accepts a plan that uses too
// many, and package verify refutes it.
const maxLinkCount = 1 << 20

// lanes builds the lanes with their circuits.
func (d *decoder) lanes(docs []laneJSON) ([]Lane, error) {
	var lanes []Lane
	for k, doc := range docs {
		lane := Lane{Share: doc.Share}
		if len(doc.Links) > d.nodes {
			return nil, fmt.Errorf("lane %d: %d links; a plane has at most one from each of %d nodes", k+1, len(doc.Links), d.nodes)
		}
		if doc.Links != nil {
			edges := make([]topology.Edge, len(doc.Links))
			for j, l := range doc.Links {
				if l[0] < 0 || l[0] >= d.nodes || l[1] < 0 || l[1] >= d.nodes {
					return nil, fmt.Errorf("lane %d: link %v is not [u,v] with nodes in 0..%d", k+1, l, d.nodes-1)
				}
				edges[j] = topology.Edge{From: l[0], To: l[1], Count: 1}
			}
			lane.Circuits = topology.New(d.nodes, doc.Topology, edges)
		}
		lanes = append(lanes, lane)
	}
	return lanes, nil
}
