package plan

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Decode reads a plan. It streams: only the transfers that a step does not owe to
// its symmetry are kept. What it returns is well formed (numbers in range, every
// required field there) but not checked: that is Verify's job. Errors name the line.
func Decode(r io.Reader) (*Plan, error) { return decode(r, Known{}) }

func decode(r io.Reader, known Known) (*Plan, error) {
	lines := &lineCounter{r: r}
	d := &decoder{json: json.NewDecoder(lines)}
	p := (&Plan{}).With(known)
	if err := d.plan(p); err != nil {
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			err = fmt.Errorf("the file ends in the middle of the plan")
		}
		var path *fs.PathError
		if errors.As(err, &path) || errors.Is(err, context.Canceled) {
			return nil, err // not the fault of a line
		}
		return nil, fmt.Errorf("line %d: %w", lines.at(d.json.InputOffset()), err)
	}
	return p, nil
}

// lineCounter remembers where lines end, so that an offset can be told as a line.
type lineCounter struct {
	r      io.Reader
	offset int64
	ends   []int64
}

func (l *lineCounter) Read(buf []byte) (int, error) {
	n, err := l.r.Read(buf)
	for i, b := range buf[:n] {
		if b == '\n' {
			l.ends = append(l.ends, l.offset+int64(i))
		}
	}
	l.offset += int64(n)
	return n, err
}

func (l *lineCounter) at(offset int64) int {
	i, _ := slices.BinarySearch(l.ends, offset)
	return i + 1
}

type decoder struct {
	json   *json.Decoder
	schema string
	nodes  int
	space  collective.Space
	size   float64 // of the collective, in bytes

	misstated []string
	stages    []rawStage
}

// rawStage is a stage before the number of nodes is known for sure.
type rawStage struct {
	name  string
	links [][3]int
	stage Stage
}

// misstate notes that the file contradicts itself. The first few suffice.
func (d *decoder) misstate(format string, args ...any) {
	if len(d.misstated) < 10 {
		d.misstated = append(d.misstated, fmt.Sprintf(format, args...))
	}
}

// object reads {"key": value, ..}, leaving each value to read.
func (d *decoder) object(what string, read func(key string) error) error {
	if err := d.delim('{', what); err != nil {
		return err
	}
	seen := map[string]bool{}
	for d.json.More() {
		token, err := d.json.Token()
		if err != nil {
			return err
		}
		key, _ := token.(string)
		if seen[key] {
			return fmt.Errorf("%s: %q is there twice", what, key)
		}
		seen[key] = true
		if err := read(key); err != nil {
			return err
		}
	}
	_, err := d.json.Token()
	return err
}

// array reads [value, ..], leaving each value to read.
func (d *decoder) array(what string, read func() error) error {
	if err := d.delim('[', what); err != nil {
		return err
	}
	for d.json.More() {
		if err := read(); err != nil {
			return err
		}
	}
	_, err := d.json.Token()
	return err
}

func (d *decoder) delim(want json.Delim, what string) error {
	token, err := d.json.Token()
	if err != nil {
		return err
	}
	if text, ok := token.(string); ok {
		return fmt.Errorf("%s: want %v, found %.40q", what, want, text)
	}
	if token != want {
		if token == nil {
			token = "null"
		}
		return fmt.Errorf("%s: want %v, found %v", what, want, token)
	}
	return nil
}

func (d *decoder) value(what string, into any) error {
	if err := d.json.Decode(into); err != nil {
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return err
		}
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

func (d *decoder) plan(p *Plan) error {
	var c collectiveJSON
	var cost costJSON
	var gap *float64
	var operation *units.Time
	var skipped json.RawMessage
	fields := map[string]any{
		"schema": &d.schema, "planner": &p.Planner, "collective": &c, "fabric": &p.Fabric,
		"cost_ns": &cost, "gap": &gap, "operation_bound_ns": &operation, "reconfigurations": &p.Reconfigurations, "bound_ns": &p.Bound, "baselines_ns": &p.Baselines, "synthesis": &p.Synthesis, "slots": &p.Slots, "strategy": &p.Strategy,
	}
	missing := []string{"schema", "fabric", "collective", "cost_ns", "stages"}
	err := d.object("plan", func(key string) error {
		missing = slices.DeleteFunc(missing, func(m string) bool { return m == key })
		switch into, known := fields[key]; {
		case key == "stages":
			// Transfers are folded as they come, for which their space must be known.
			if slices.Contains(missing, "fabric") || slices.Contains(missing, "collective") {
				return fmt.Errorf("plan: stages must come after fabric and collective")
			}
			if err := d.header(p, c); err != nil {
				return err
			}
			return d.array("stages", d.stage)
		case known:
			if err := d.value(key, into); err != nil {
				return err
			}
			if key == "schema" && d.schema != Schema {
				return fmt.Errorf("schema is %q, this version reads %q", d.schema, Schema)
			}
			return nil
		default: // what a later version adds
			return d.value(key, &skipped)
		}
	})
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		return fmt.Errorf("plan: no %q", missing[0])
	}
	switch _, err := d.json.Token(); err.(type) {
	case nil, *json.SyntaxError:
		return fmt.Errorf("there is more after the end of the plan")
	default:
		if err != io.EOF {
			return err
		}
	}
	p.Cost = Cost{cost.Startup, cost.Propagation, cost.Transmission, cost.Reconfiguration}
	if !near(p.Cost.Total(), cost.Total) {
		d.misstate("cost_ns: total %v is not the sum %v of its parts", cost.Total, p.Cost.Total())
	}
	p.misstated, p.claimedGap, p.claimedOperation = d.misstated, gap, operation
	return d.finish(p)
}

// header checks what the stages stand on.
func (d *decoder) header(p *Plan, c collectiveJSON) error {
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

// finish builds the topologies.
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
			// Links with the same ends add up: their sum must not overflow.
			if circuits += l[2]; circuits > topology.MaxCircuits {
				return fmt.Errorf("stage %d: more than %d circuits", i+1, topology.MaxCircuits)
			}
			edges[j] = topology.Edge{From: l[0], To: l[1], Count: l[2]}
		}
		raw.stage.Topology = topology.New(d.nodes, raw.name, edges)
		p.Stages = append(p.Stages, raw.stage)
	}
	return nil
}

// maxLinkCount is above any number of ports, so that a plan that uses too many is
// read and then refuted by Verify.
const maxLinkCount = 1 << 20

func (d *decoder) stage() error {
	var s rawStage
	var skipped json.RawMessage
	at := fmt.Sprintf("stage %d", len(d.stages)+1)
	missing := []string{"topology", "links", "steps"}
	err := d.object(at, func(key string) error {
		missing = slices.DeleteFunc(missing, func(m string) bool { return m == key })
		switch key {
		case "topology":
			return d.value(at+": topology", &s.name)
		case "links":
			return d.value(at+": links", &s.links)
		case "start_ns":
			return d.value(at+": start_ns", &s.stage.Start)
		case "reconfiguration_ns":
			return d.value(at+": reconfiguration_ns", &s.stage.Reconfiguration)
		case "hidden_ns":
			return d.value(at+": hidden_ns", &s.stage.Hidden)
		case "steps":
			return d.array(at+": steps", func() error { return d.step(at, &s.stage) })
		default:
			return d.value(at, &skipped)
		}
	})
	if err == nil && len(missing) > 0 {
		err = fmt.Errorf("%s: no %q (a summary has no circuits; write the whole plan with -o)", at, missing[0])
	}
	d.stages = append(d.stages, s)
	return err
}

func (d *decoder) step(at string, stage *Stage) error {
	at = fmt.Sprintf("%s, step %d", at, len(stage.Steps)+1)
	var doc stepJSON
	var total units.Time
	var skipped json.RawMessage
	step := Step{}
	fold := folder{space: d.space, step: &step}
	hasTransfers := false
	fields := map[string]any{
		"index": &doc.Index, "start_ns": &doc.StartNs, "total_ns": &total, "startup_ns": &doc.Startup,
		"propagation_ns": &doc.Propagate, "transmission_ns": &doc.Transmit,
		"hops": &doc.Hops, "congestion": &doc.Congestion, "symmetry": &doc.Symmetry,
	}
	err := d.object(at, func(key string) error {
		if key == "transfers" {
			hasTransfers = true
			if s := doc.Symmetry; s != nil {
				if s.Check(d.nodes) != nil || s.Trivial() || s.Distinct < 1 {
					return fmt.Errorf("%s: symmetry makes no sense for %d nodes", at, d.nodes)
				}
				fold.group, fold.distinct = s.Translations, s.Distinct
			}
			return d.array(at+": transfers", func() error { return d.transfer(at, &fold) })
		}
		if into, known := fields[key]; known {
			return d.value(at+": "+key, into)
		}
		return d.value(at, &skipped)
	})
	if err != nil {
		return err
	}
	if !hasTransfers {
		return fmt.Errorf("%s: no %q (a summary has none; write the whole plan with -o)", at, "transfers")
	}
	fold.finish()
	step.Index, step.Start = doc.Index, doc.StartNs
	step.Cost = StepCost{doc.Startup, doc.Propagate, doc.Transmit, doc.Hops, doc.Congestion}
	if !near(step.Cost.Total(), total) {
		d.misstate("%s: total_ns %v is not the sum %v of its parts", at, total, step.Cost.Total())
	}
	stage.Steps = append(stage.Steps, step)
	return nil
}

// maxTransferChunks keeps the images of a transfer, which are made to compare them
// with what the file says, within memory.
const maxTransferChunks = 1 << 22

func (d *decoder) transfer(at string, fold *folder) error {
	at = fmt.Sprintf("%s, transfer %d", at, fold.read+1)
	const absent = math.MinInt
	doc := transferJSON{Src: absent, Dst: absent}
	if err := d.value(at, &doc); err != nil {
		return err
	}
	if doc.Src == absent || doc.Dst == absent {
		return fmt.Errorf("%s: no %q or no %q", at, "src", "dst")
	}
	if doc.Src < 0 || doc.Src >= d.nodes || doc.Dst < 0 || doc.Dst >= d.nodes {
		return fmt.Errorf("%s: %d->%d is outside 0..%d", at, doc.Src, doc.Dst, d.nodes-1)
	}
	if doc.Action != collective.Copy && doc.Action != collective.Reduce {
		return fmt.Errorf("%s: action %q is not %q or %q", at, doc.Action, collective.Copy, collective.Reduce)
	}
	if err := doc.Chunks.Check(d.space.Chunks()); err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	if count := doc.Chunks.Len(); count > maxTransferChunks {
		return fmt.Errorf("%s: %d chunks; a transfer has at most %d", at, count, maxTransferChunks)
	}
	if bytes := d.space.Bytes(d.size, doc.Chunks); doc.Bytes != 0 && !near(units.Time(doc.Bytes), units.Time(bytes)) {
		d.misstate("%s: its chunks have %s, not %s", at, units.FormatBytes(bytes), units.FormatBytes(doc.Bytes))
	}
	t := Transfer{Transfer: collective.Transfer{Src: doc.Src, Dst: doc.Dst, Action: doc.Action, Chunks: doc.Chunks}}
	t.Routes = make([]flow.Route, len(doc.Routes))
	for r, route := range doc.Routes {
		for _, u := range route.Path {
			if u < 0 || int(u) >= d.nodes {
				return fmt.Errorf("%s: route %d passes node %d, outside 0..%d", at, r+1, u, d.nodes-1)
			}
		}
		t.Routes[r] = flow.Route{Path: route.Path, Share: route.Share}
	}
	fold.add(t)
	return nil
}
