package iterations

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/compile"
	"github.com/lightpath-net/lightpath/compile/astra"
	"github.com/lightpath-net/lightpath/emulate/iterations"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
	"github.com/lightpath-net/lightpath/workload/chakra"
)

// Traces of ASTRA-sim come in two forms. In the first, the trace of a rank has its computations,
// collectives and messages, and each collective is a custom collective with its messages in
// files of its own. But there a rank does one communication or change of circuits at a time, and
// the members of a group are in the order of their ranks. In the second form, an iteration is
// one custom collective of all ranks, whose files have all computations and messages: there,
// everything that is concurrent in the plan is concurrent in the simulator.

// calls are the custom collectives that traces call.
type calls struct {
	lists  [][]int        // groups, one for each collective that a group runs
	groups map[string]int // their numbers, from 1
	file   map[int]string // by item
	tags   int64
	// changes are the files of circuit changes, with their durations in microseconds.
	changes map[string]uint64
}

// maxGroups is how many groups the simulator can number.
const maxGroups = 2000

// traceFile is the prefix of the traces, and wholeFile that of traces that are one collective.
const (
	traceFile = "iteration"
	wholeFile = "messages"
)

// call writes the call of a custom collective.
func (t *tracer) call(number, place int, s *schedule, ready []uint64) uint64 {
	job := &t.List[number]
	if s.file == "" {
		s.file = fmt.Sprintf("collective-%d", job.Program.Plan)
	}
	t.calls.file[job.Item] = s.file
	key := fmt.Sprint(s.file, job.Group)
	group, known := t.calls.groups[key]
	if !known {
		t.calls.lists = append(t.calls.lists, job.Group)
		group = len(t.calls.lists)
		t.calls.groups[key] = group
	}
	op := t.Agenda.Task(&t.Agenda.Items[job.Item]).Op
	code, _ := astra.Call(op.Op)
	n := astra.Node{Name: t.name(job), Deps: ready}
	n.Collect(op, code.Code, len(job.Group))
	n.Attrs = append(n.Attrs, chakra.InGroup(group))
	id := t.add(job.Group[place], n)
	// All ranks have the same number: see number.
	t.ranks[job.Group[place]].Nodes[id].ID = called | uint64(job.Item)
	return id
}

// change writes a change of circuits as a custom collective without messages, so that the rank
// can compute meanwhile.
func (t *tracer) change(job *iterations.Job, rank int, n astra.Node) uint64 {
	file := fmt.Sprintf("reconfigure-%dus", n.Micros)
	t.calls.file[job.Item], t.calls.changes[file] = file, n.Micros
	code, _ := astra.Call("")
	n.Type, n.Micros = chakra.Collective, 0
	n.Attrs = []chakra.Attr{chakra.Int("comm_type", code.Code), chakra.Int("comm_size", 1), chakra.Change()}
	id := t.add(rank, n)
	t.ranks[rank].Nodes[id].ID = called | uint64(job.Item)
	return id
}

// called marks the number of a call until all have theirs.
const called = 1 << 62

// number gives calls the number of their item, and all other nodes numbers after those.
func (t *tracer) number() {
	items := uint64(len(t.Agenda.Items))
	for r := range t.ranks {
		nodes := t.ranks[r].Nodes
		numbers := make([]uint64, len(nodes))
		for i := range nodes {
			numbers[i] = items + uint64(i)
			if nodes[i].ID&called != 0 {
				numbers[i] = nodes[i].ID &^ called
			}
		}
		for i := range nodes {
			n := &nodes[i]
			n.ID = numbers[i]
			deps := make([]uint64, len(n.Deps))
			for d := range n.Deps {
				deps[d] = numbers[n.Deps[d]]
			}
			n.Deps = deps
		}
	}
}

// uncallable says why traces cannot call collectives, or "" if they can.
func uncallable(a *iteration.Agenda) string {
	for i := range a.Items {
		x := &a.Items[i]
		if !x.Communicates {
			continue
		}
		if a.Shared(x) {
			return "groups share circuits"
		}
		if a.Task(x).Type != workload.Send && slices.ContainsFunc(x.Groups, func(group []int) bool { return !slices.IsSorted(group) }) {
			return "ranks of groups are not in order"
		}
	}
	return ""
}

// crowded reports whether a rank has several communications or changes of circuits at once.
// links reports whether they are communications of one kind, which may be between the same
// ranks.
func crowded(a *iteration.Agenda) (several, links bool) {
	busy := map[[2]any]units.Time{}
	overlaps := func(class int, of string, x *iteration.Item) bool {
		key := [2]any{class, of}
		until := busy[key]
		busy[key] = max(until, x.End)
		return x.Start < until*(1-hair)
	}
	for i := range a.Items {
		x := &a.Items[i]
		if x.Change == nil && !x.Communicates {
			continue
		}
		for c := range a.Graph.Classes {
			if takesPart(a, x, c) {
				several = overlaps(c, "", x) || several
				links = x.Communicates && overlaps(c, "of kind "+x.Op.Kind, x) || links
			}
		}
	}
	return several, links
}

// takesPart reports whether ranks of a class take part in an item.
func takesPart(a *iteration.Agenda, x *iteration.Item, class int) bool {
	return slices.ContainsFunc(x.Groups, func(group []int) bool {
		return slices.ContainsFunc(group, func(rank int) bool { return a.Graph.Of[rank] == class })
	})
}

// hair is the difference below which times are equal but for rounding.
const hair = 1e-9

// traces makes the files of ASTRA-sim.
func traces(ctx context.Context, a *iteration.Agenda, form string) (*compile.Result, error) {
	jobs, err := iterations.New(ctx, a, 1)
	if err != nil {
		return nil, err
	}
	r := &compile.Result{Format: compile.ASTRA}
	why := uncallable(a)
	if form == compile.CollectivesForm && why != "" {
		return nil, fmt.Errorf("%w: %s; traces have the form %s only", compile.ErrRefused, why, compile.MessagesForm)
	}
	several, links := crowded(a)
	if several && why == "" {
		why = "ranks have several communications or changes of circuits at once"
	}
	switch {
	case form == compile.CollectivesForm && why != "":
		r.Notes = append(r.Notes, why+", which ASTRA-sim lets wait for one another")
	case form == "" && why == "":
		form = compile.CollectivesForm
	case form == "":
		form = compile.MessagesForm
	}
	whole := newTracer(jobs, true, form == compile.CollectivesForm)
	if err := whole.trace(ctx); err != nil {
		return nil, err
	}
	network := whole.link.Network()
	if r.Carried, err = astra.Predict(ctx, whole.ranks, network); err != nil {
		return nil, err
	}
	r.How = "predicted for ASTRA-sim's network: every hop is a message with its own start-up, and there are no barriers"
	t := whole
	if form == compile.CollectivesForm {
		t = newTracer(jobs, false, true)
		if err := t.trace(ctx); err != nil {
			return nil, err
		}
		if len(t.calls.lists) > maxGroups {
			return nil, fmt.Errorf("%w: %d groups; the simulator has numbers for %d; traces can have the form %s", compile.ErrRefused, len(t.calls.lists), maxGroups, compile.MessagesForm)
		}
		t.number()
		t.collectives(r)
	} else {
		if why != "" {
			r.Notes = append(r.Notes, "the iteration is one custom collective of all ranks: "+why)
		}
		t.messagesOf(r)
	}
	text(r, "network.yml", network.YAML(a.Ranks))
	text(r, "memory.json", astra.Memory)
	text(r, "README.md", readme(a, r, form))
	r.Notes = append(r.Notes, fmt.Sprintf("traces: %d, nodes: %d, messages: %d", a.Ranks, whole.size, whole.tag))
	r.Causes = causes(r.Carried.Over(a.Iteration)-1, whole.hops, links)
	return r, nil
}

func text(r *compile.Result, name, content string) {
	r.Files = append(r.Files, compile.File{Name: name, Write: func(w io.Writer) error {
		_, err := io.WriteString(w, content)
		return err
	}})
}

func trace(r *compile.Result, prefix string, rank int, nodes []astra.Node) {
	r.Files = append(r.Files, compile.File{Name: fmt.Sprintf("%s.%d.et", prefix, rank), Write: func(w io.Writer) error { return astra.WriteTrace(w, nodes) }})
}

// collectives lists the files of traces that call custom collectives.
func (t *tracer) collectives(r *compile.Result) {
	for k := range t.ranks {
		trace(r, traceFile, k, t.ranks[k].Nodes)
	}
	for number := range t.Agenda.Made {
		s := t.made[number+1]
		if s == nil || s.file == "" {
			continue
		}
		for place := range s.ranks {
			nodes := slices.Clone(s.ranks[place].Nodes)
			for i := range nodes {
				nodes[i].Attrs = slices.Clone(nodes[i].Attrs)
				// Messages in other files and in traces have other tags.
				if tag := nodes[i].Attr("comm_tag"); tag != nil {
					tag.Int += s.first + t.tag
				}
			}
			trace(r, s.file, place, nodes)
		}
	}
	for _, file := range slices.Sorted(maps.Keys(t.calls.changes)) {
		for k := range t.ranks {
			trace(r, file, k, []astra.Node{{Name: "reconfigure", Type: chakra.Comp, Micros: t.calls.changes[file], Attrs: []chakra.Attr{chakra.Bool("is_cpu_op", false)}}})
		}
	}
	var names strings.Builder
	for i := range t.Agenda.Items {
		if file := t.calls.file[i]; file != "" {
			fmt.Fprintf(&names, "%d: %s\n", i, file)
		}
	}
	text(r, "collectives.yml", names.String())
	r.Files = append(r.Files, compile.File{Name: "comm_group.json", Write: func(w io.Writer) error { return chakra.WriteGroups(w, t.calls.lists) }})
	text(r, "system.json", astra.System(`"per-node-custom-implementation": "collectives.yml"`))
}

// messagesOf lists the files of an iteration that is one custom collective.
func (t *tracer) messagesOf(r *compile.Result) {
	code, _ := astra.Call("")
	for k := range t.ranks {
		trace(r, wholeFile, k, t.ranks[k].Nodes)
		trace(r, traceFile, k, []astra.Node{{Name: t.Agenda.Name, Type: chakra.Collective, Attrs: []chakra.Attr{
			chakra.Bool("is_cpu_op", false), chakra.Int("comm_type", code.Code), chakra.Int("comm_size", 1),
		}}})
	}
	text(r, "system.json", astra.System(fmt.Sprintf(`"%s-implementation-custom": [%q]`, code.Name, wholeFile)))
}

// readme says how to run ASTRA-sim on the files.
func readme(a *iteration.Agenda, r *compile.Result, form string) string {
	files := [][2]string{{"workload", traceFile}, {"system", "system.json"}, {"network", "network.yml"}, {"remote-memory", "memory.json"}}
	if form == compile.CollectivesForm {
		files = append(files, [2]string{"comm-group", "comm_group.json"})
	}
	command := "AstraSim_Analytical_Congestion_Aware"
	for _, f := range files {
		command += fmt.Sprintf(" \\\n      --%s-configuration=%s", f[0], f[1])
	}
	return fmt.Sprintf(`# An iteration for ASTRA-sim

Traces of %d ranks. Run this in the folder:

    %s

The plan takes %.0f ns; by the rules of this network it takes %.0f. Every rank must report
"finished", and the last one says how long it took.
`, a.Ranks, command, float64(a.Iteration), float64(r.Carried))
}

// causes says why the simulator takes another time than the plan.
func causes(longer float64, hops int, links bool) []string {
	if math.Abs(longer) < tells {
		return nil
	}
	if longer < 0 {
		return []string{"no barrier holds back ranks that are ready"}
	}
	var list []string
	if hops > 1 {
		list = append(list, fmt.Sprintf("ranks store what they forward over up to %d hops, and every hop has a start-up of its own", hops))
	}
	if links {
		list = append(list, "communications at the same time between the same ranks share the one link that the network has there")
	}
	return append(list, "messages of a step wait for one another in queues; computations and changes have whole microseconds")
}

// tells is the least relative difference worth explaining: less is rounding.
const tells = 0.001
