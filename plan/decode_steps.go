package plan

import (
	"errors"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/units"
)

func (d *decoder) stage() error {
	var s rawStage
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
		case "circuits":
			return d.value(at+": circuits", &s.circuits)
		case "lanes":
			return d.value(at+": lanes", &s.lanes)
		case "steps":
			return d.array(at+": steps", func() error { return d.step(at, &s.stage) })
		}
		return unknown(at, key, "topology", "start_ns", "reconfiguration_ns", "hidden_ns", "links", "circuits", "lanes", "steps")
	})
	if err == nil && len(missing) > 0 {
		err = fmt.Errorf("%s: no %q", at, missing[0])
	}
	d.stages = append(d.stages, s)
	return err
}

func (d *decoder) step(at string, stage *Stage) error {
	at = fmt.Sprintf("%s, step %d", at, len(stage.Steps)+1)
	var doc stepJSON
	step := Step{}
	fold := folder{space: d.space, step: &step}
	hasTransfers := false
	fields := map[string]any{
		"index": &doc.Index, "start_ns": &doc.StartNs, "total_ns": &doc.TotalNs, "startup_ns": &doc.StartupNs,
		"propagation_ns": &doc.PropagationNs, "transmission_ns": &doc.TransmissionNs, "reduction_ns": &doc.ReductionNs,
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
		into, known := fields[key]
		switch {
		case !known:
			return unknown(at, key, "index", "start_ns", "total_ns", "startup_ns", "propagation_ns", "transmission_ns", "reduction_ns", "hops",
				"congestion", "symmetry", "transfers")
		case key == "symmetry" && hasTransfers:
			return fmt.Errorf("%s: symmetry must come before transfers", at)
		}
		return d.value(at+": "+key, into)
	})
	if err != nil {
		return err
	}
	if !hasTransfers {
		return fmt.Errorf("%s: no %q", at, "transfers")
	}
	fold.finish()
	step.Index, step.Start = doc.Index, doc.StartNs
	if s := doc.Symmetry; s != nil && !s.Translations.Trivial() && step.Group.Trivial() {
		d.asymmetric = append(d.asymmetric, step.Index)
	}
	step.Cost = StepCost{doc.StartupNs, doc.PropagationNs, doc.TransmissionNs, doc.ReductionNs, doc.Hops, doc.Congestion}
	if !Near(step.Cost.Total(), doc.TotalNs) {
		d.misstate("%s: total_ns %v is not the sum %v of its parts", at, doc.TotalNs, step.Cost.Total())
	}
	stage.Steps = append(stage.Steps, step)
	return nil
}

// maxTransferChunks limits the memory for the images of a transfer, which are made and compared
// with the file.
const maxTransferChunks = 1 << 22

// transfer reads one transfer. There are so many that it composes names of places only for
// errors.
func (d *decoder) transfer(step string, fold *folder) error {
	err := d.transferInto(step, fold)
	if err == nil {
		return nil
	}
	return at(fmt.Sprintf("%s, transfer %d", step, fold.read+1), err, false)
}

func (d *decoder) transferInto(step string, fold *folder) error {
	var t Transfer
	var bytes float64
	hasSrc, hasDst := false, false
	err := d.json.Object(func(key string) (err error) {
		switch key {
		case "src":
			hasSrc = true
			t.Src, err = d.integer()
		case "dst":
			hasDst = true
			t.Dst, err = d.integer()
		case "action":
			var word string
			word, err = d.json.Text()
			t.Action = collective.Action(word)
		case "part":
			var word string
			if word, err = d.json.Text(); err == nil && word == "" {
				err = errors.New("it is empty; leave it out for the whole value")
			}
			t.Part = collective.Part(word)
		case "sides":
			t.Sides, err = d.sides()
		case "chunks":
			t.Chunks, err = d.chunks()
		case "bytes":
			bytes, err = d.json.Float()
		case "routes":
			t.Routes, err = d.routes()
		default:
			return fmt.Errorf("unknown key %.40q; want src, dst, action, part, sides, chunks, bytes, routes", key)
		}
		return at(key, err, false)
	})
	switch {
	case err != nil:
		return err
	case !hasSrc || !hasDst:
		return fmt.Errorf("no %q or no %q", "src", "dst")
	case t.Src < 0 || t.Src >= d.nodes || t.Dst < 0 || t.Dst >= d.nodes:
		return fmt.Errorf("%d->%d is outside 0..%d", t.Src, t.Dst, d.nodes-1)
	}
	if err := t.Action.Check(); err != nil {
		return err
	}
	if err := t.Part.Check(); err != nil {
		return err
	}
	if err := t.Sides.Check(t.Action); err != nil {
		return err
	}
	if err := t.Chunks.Check(d.space.Chunks()); err != nil {
		return err
	}
	if count := t.Chunks.Len(); count > maxTransferChunks {
		return fmt.Errorf("%d chunks; a transfer has at most %d", count, maxTransferChunks)
	}
	if real := d.space.Bytes(d.size, t.Chunks); bytes != 0 && !Near(units.Time(bytes), units.Time(real)) {
		d.misstate("%s, transfer %d: its chunks have %s, not %s", step, fold.read+1, units.FormatBytes(real), units.FormatBytes(bytes))
	}
	fold.add(t)
	return nil
}

func (d *decoder) integer() (int, error) {
	n, err := d.json.Int(64)
	return int(n), err
}

// sides reads a list of side sums.
func (d *decoder) sides() (collective.Sides, error) {
	var list []int
	err := d.json.List(func(int) error {
		side, err := d.integer()
		if list = append(list, side); len(list) > collective.MostSides {
			return fmt.Errorf("more than %d", collective.MostSides)
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	return collective.ListedSides(list)
}

// chunks reads a set of chunks in the form of collective.Chunks: numbers, and [first, count,
// stride] for runs.
func (d *decoder) chunks() (collective.Chunks, error) {
	chunks := collective.Chunks{}
	err := d.json.List(func(int) error {
		run := collective.Run{Count: 1, Stride: 1}
		isList, err := d.json.IsList()
		if err != nil {
			return err
		}
		if !isList {
			if run.First, err = d.integer(); err != nil {
				return fmt.Errorf("not a chunk number or [first,count,stride]: %w", err)
			}
			chunks = append(chunks, run)
			return nil
		}
		parts := [3]*int{&run.First, &run.Count, &run.Stride}
		read := 0
		err = d.json.List(func(i int) (err error) {
			if read++; i >= len(parts) {
				return fmt.Errorf("a run of more than [first,count,stride]")
			}
			*parts[i], err = d.integer()
			return err
		})
		if err == nil && read < len(parts) {
			err = fmt.Errorf("a run of %d numbers; want [first,count,stride]", read)
		}
		chunks = append(chunks, run)
		return err
	})
	return chunks, err
}

func (d *decoder) routes() ([]flow.Route, error) {
	routes := []flow.Route{}
	err := d.json.List(func(r int) error {
		route := flow.Route{Path: []int32{}}
		err := d.json.Object(func(key string) (err error) {
			switch key {
			case "share":
				route.Share, err = d.json.Float()
			case "path":
				err = d.json.List(func(int) error {
					u, err := d.json.Int(32)
					if err == nil && (u < 0 || int(u) >= d.nodes) {
						err = fmt.Errorf("route %d passes node %d, outside 0..%d", r+1, u, d.nodes-1)
					}
					route.Path = append(route.Path, int32(u))
					return err
				})
			default:
				err = fmt.Errorf("unknown key %.40q; want share, path", key)
			}
			return err
		})
		routes = append(routes, route)
		return err
	})
	return routes, err
}
