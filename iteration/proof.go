package iteration

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
)

// Verify proves the plan of an iteration from its document only, or says what is wrong. The
// checks, in order:
//
//	workload   it can be carried out, on this fabric, and name and classes belong to it
//	order      every operation takes place once, after those that it waits for; computations of a
//	           rank one at a time; kinds are those of the workload
//	plans      every collective's plan is correct in itself (package verify), on the fabric of its
//	           group, and takes the time that the document says; sends take their times
//	circuits   when an operation starts its circuits are up, with as many lanes as they need, on
//	           ports that the switches can join
//	ports      no lane serves two at a time, nor any while it changes; an operation takes as many
//	           ports as it says
//	changes    every change takes the delay, comes before the operation that it names, and
//	           delays it by as much as it says
//	steady     all that holds if iterations follow one another
//	time       the iteration takes as long as its operations and ports need, not longer
//	claims     the bound, the gap, what is exposed by kind, how many changes there are and how many
//	           are hidden, and what the policy promises
//
// It follows every lane through three iterations and shares no code with Course.Time. The
// bound, what is exposed by kind and steps over shared circuits are recomputed by the code that
// computed them first. Not checked: Baselines, except that none is below the bound, that
// Policy's is the iteration and that none is faster than a plan of Best; names of circuits;
// what a workload and a plan of a collective say about themselves.
func Verify(ctx context.Context, d *Document) (*verify.Report, error) {
	_, report, err := prove(ctx, d)
	return report, err
}

// prove is Verify that also returns the prover.
func prove(ctx context.Context, d *Document) (*prover, *verify.Report, error) {
	v := &prover{Document: d, passes: map[*DocumentOp]map[[2]int]bool{}, settled: map[string]bool{}}
	r := &verify.Report{OK: true}
	for _, c := range []struct {
		name  string
		check func(ctx context.Context) (string, error)
	}{
		{"workload", v.workload}, {"order", v.order}, {"plans", v.plans}, {"circuits", v.circuits},
		{"ports", v.ports}, {"changes", v.changes}, {"steady", v.steady}, {"time", v.times}, {"claims", v.claims},
	} {
		detail, err := c.check(ctx)
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if err != nil {
			r.OK = false
			r.Checks = append(r.Checks, verify.Check{Name: c.name, Detail: err.Error()})
			return v, r, nil
		}
		r.Checks = append(r.Checks, verify.Check{Name: c.name, OK: true, Detail: detail})
	}
	return v, r, nil
}

// slack is the largest difference of times that counts as rounding.
const slack = 1e-6

func before(a, b units.Time) bool {
	return float64(a) < float64(b)-slack*math.Max(1, math.Abs(float64(b)))
}

// lasts reports whether an operation takes a time, up to rounding: late in a run, times have
// fewer digits after the point.
func lasts(o *DocumentOp, want units.Time) bool {
	took, rounding := o.End-o.Start, units.Time(4*0x1p-52)*o.End
	return !before(took+rounding, want) && !before(want, took-rounding)
}

// prover checks a document.
type prover struct {
	*Document
	graph *workload.Graph
	nodes []workload.Node
	op    []int // by node: its operation
	plan  []*plan.Plan
	like  map[string]string // by kind: see alike
	// passes are the classes and sides that an operation over shared circuits uses.
	passes map[*DocumentOp]map[[2]int]bool
	// settled are circuits that the switches can set up on their ports.
	settled  map[string]bool
	followed *follower // state after one iteration
}

func (v *prover) workload(ctx context.Context) (string, error) {
	var err error
	if v.graph, err = v.Workload.Graph(ctx); err != nil {
		return "", err
	}
	v.like = alike(v.Workload.Kinds)
	if err := v.Fabric.Validate(); err != nil {
		return "", err
	}
	if v.Fabric.Nodes != v.Workload.Ranks || v.Ranks != v.Workload.Ranks {
		return "", fmt.Errorf("%d GPUs for %d ranks", v.Fabric.Nodes, v.Workload.Ranks)
	}
	if err := Supported(&v.Fabric); err != nil {
		return "", err
	}
	if v.Name != v.Workload.Name {
		return "", fmt.Errorf("the workload is %.40q, not %.40q", v.Workload.Name, v.Name)
	}
	if len(v.Classes) != len(v.graph.Classes) {
		return "", fmt.Errorf("%d classes of ranks, the workload has %d", len(v.Classes), len(v.graph.Classes))
	}
	for c := range v.Classes {
		if v.Classes[c].Ranks.String() != v.graph.Classes[c].Ranks.String() {
			return "", fmt.Errorf("class %d is ranks %v, not %v", c, v.graph.Classes[c].Ranks, v.Classes[c].Ranks)
		}
		if name := v.Workload.Programs[v.graph.Classes[c].Program].Name; v.Classes[c].Name != name {
			return "", fmt.Errorf("class %d is %.40q, not %.40q", c, name, v.Classes[c].Name)
		}
	}
	v.nodes = v.graph.Nodes()
	return fmt.Sprintf("%d ranks of %d classes, %d operations", v.Ranks, len(v.Classes), len(v.nodes)), nil
}

// task returns the task of a node.
func (v *prover) task(n *workload.Node) *workload.Task {
	return &v.graph.Classes[n.Class].Tasks[n.Task]
}

func (v *prover) order(context.Context) (string, error) {
	type name struct {
		class int
		id    string
	}
	found := map[name]int{}
	for i := range v.Ops {
		o := &v.Ops[i]
		if math.IsNaN(float64(o.Start)) || math.IsNaN(float64(o.End)) || o.Start < 0 || o.End < o.Start {
			return "", fmt.Errorf("%s of class %d is from %v to %v", o.ID, o.Class, o.Start, o.End)
		}
		if _, twice := found[name{o.Class, o.ID}]; twice {
			return "", fmt.Errorf("%s of class %d takes place twice", o.ID, o.Class)
		}
		found[name{o.Class, o.ID}] = i
	}
	if len(v.Ops) != len(v.nodes) {
		return "", fmt.Errorf("%d operations, the workload has %d", len(v.Ops), len(v.nodes))
	}
	v.op = make([]int, len(v.nodes))
	for i := range v.nodes {
		n := &v.nodes[i]
		t := v.task(n)
		at, ok := found[name{n.Class, t.ID}]
		if !ok {
			return "", fmt.Errorf("%s of class %d does not take place", t.ID, n.Class)
		}
		v.op[i] = at
		o := &v.Ops[at]
		for _, b := range n.After {
			if before(o.Start, v.Ops[v.op[b]].End) {
				return "", fmt.Errorf("%s of class %d starts at %v, before %s ends at %v", o.ID, o.Class, o.Start, v.Ops[v.op[b]].ID, v.Ops[v.op[b]].End)
			}
		}
		want := units.Time(0)
		if t.Type == workload.Computation {
			want = t.Op.Compute.Time()
		}
		kind := ""
		if v.communicates(n) {
			kind = t.Op.Kind
		}
		if o.Kind != kind {
			return "", fmt.Errorf("%s of class %d is of kind %.40q, not %.40q", o.ID, o.Class, kind, o.Kind)
		}
		if v.communicates(n) {
			continue
		}
		if o.Ports != 0 || o.Circuits != 0 || o.Leaves != 0 || o.Plan != 0 {
			return "", fmt.Errorf("%s of class %d has ports, circuits or a plan, and does not communicate", o.ID, o.Class)
		}
		if took := o.End - o.Start; !lasts(o, want) {
			return "", fmt.Errorf("%s of class %d takes %v, not %v", o.ID, o.Class, took, want)
		}
	}
	return fmt.Sprintf("all %d", len(v.Ops)), nil
}

// communicates reports whether a node uses ports or islands for some time.
func (v *prover) communicates(n *workload.Node) bool {
	t := v.task(n).Type
	return t == workload.Send || t == workload.Collective && n.Ranks > 1
}

func (v *prover) plans(ctx context.Context) (string, error) {
	for i, text := range v.Plans {
		p, err := plan.Decode(bytes.NewReader(text))
		if err != nil {
			return "", fmt.Errorf("plan %d: %w", i+1, err)
		}
		report, err := verify.Plan(ctx, p)
		if err != nil {
			return "", err
		}
		if bad := report.First(); bad != nil {
			return "", fmt.Errorf("plan %d: %s: %s", i+1, bad.Name, bad.Detail)
		}
		v.plan = append(v.plan, p)
	}
	for i := range v.nodes {
		if !v.communicates(&v.nodes[i]) {
			continue
		}
		o := &v.Ops[v.op[i]]
		want, err := v.takes(&v.nodes[i], o)
		if err != nil {
			return "", fmt.Errorf("%s of class %d: %w", o.ID, o.Class, err)
		}
		if took := o.End - o.Start; !lasts(o, want) {
			return "", fmt.Errorf("%s of class %d takes %v, not %v", o.ID, o.Class, took, want)
		}
	}
	return fmt.Sprintf("%d, each correct by itself", len(v.plan)), nil
}

// groupsOf lists the groups of a collective.
func (v *prover) groupsOf(n *workload.Node) [][]int {
	return each.Where(v.Workload.Kinds[v.task(n).Op.Kind], func(group []int) bool {
		return slices.Contains(n.Classes, v.graph.Of[group[0]])
	})
}

// takes returns how long a communication takes over its circuits.
func (v *prover) takes(n *workload.Node, o *DocumentOp) (units.Time, error) {
	if o.Circuits < 0 || o.Circuits > len(v.Circuits) || o.Leaves < 0 || o.Leaves > len(v.Circuits) || o.Plan < 0 || o.Plan > len(v.plan) {
		return 0, fmt.Errorf("circuits %d or plan %d are not in the document", o.Circuits, o.Plan)
	}
	t := v.task(n)
	if t.Type == workload.Send {
		return v.sendTakes(n, o)
	}
	if o.Circuits > 0 && v.Circuits[o.Circuits-1].Jumps != nil {
		return v.walkTakes(n, o)
	}
	if o.Plan == 0 {
		return 0, errors.New("it has no plan")
	}
	p := v.plan[o.Plan-1]
	size, demand := t.Op.Size, collective.Demand(nil)
	if t.Op.Skew != "" {
		var err error
		if demand, err = workload.Demand(t.Op.Skew, n.Ranks, size); err != nil {
			return 0, err
		}
		size = demand.Size()
		if bytes, even := demand.Uniform(); even { // planned like one without a demand
			size, demand = units.Bytes(bytes*int64(n.Ranks)), nil
		}
	}
	if !slices.EqualFunc(p.Collective.Space.Sizes, demand, slices.Equal) {
		return 0, fmt.Errorf("plan %d has other bytes for pairs than the workload", o.Plan)
	}
	if p.Collective.Op != t.Op.Op || p.Collective.Size != size || p.Fabric.Nodes != n.Ranks {
		return 0, fmt.Errorf("plan %d is of %s of %v on %d GPUs", o.Plan, p.Collective.Op, p.Collective.Size, p.Fabric.Nodes)
	}
	if err := v.fits(p, v.groupsOf(n)); err != nil {
		return 0, err
	}
	leaves := cmp.Or(o.Leaves, o.Circuits)
	for _, end := range []struct{ circuits, stage int }{{o.Circuits, 0}, {leaves, len(p.Stages) - 1}} {
		g := unlooped(p.Stages[end.stage].Topology)
		if end.circuits == 0 {
			if g.Degree() != 0 {
				return 0, fmt.Errorf("plan %d needs circuits", o.Plan)
			}
			continue
		}
		c := &v.Circuits[end.circuits-1]
		if !v.sameGroups(c.Kind, t.Op.Kind) || !slices.Equal(c.Classes, n.Classes) {
			return 0, fmt.Errorf("circuits %s are not its own", c.Name)
		}
		up, err := c.graph(n.Ranks)
		if err != nil {
			return 0, err
		}
		if !up.Equal(g) {
			return 0, fmt.Errorf("plan %d has other circuits than %s", o.Plan, c.Name)
		}
	}
	for i := range p.Stages {
		if portsOn(p.Stages[i].Topology) > o.Ports {
			return 0, fmt.Errorf("stage %d of plan %d takes more than %d ports", i+1, o.Plan, o.Ports)
		}
	}
	return p.Cost.Total(), nil
}

// fits checks that the fabric of a plan is that of every group.
func (v *prover) fits(p *plan.Plan, groups [][]int) error {
	f, g := &v.Fabric, &p.Fabric
	size := f.Island.Size
	switch {
	case g.Bandwidth != f.Bandwidth || g.Alpha != f.Alpha || g.Delta != f.Delta || g.Gamma != f.Gamma || g.Forwarding != f.Forwarding || g.Duplex != f.Duplex:
		return errors.New("its plan is for another fabric")
	case g.Ports > f.Ports || !g.Avoid.IsZero() || !g.Links.IsZero():
		return errors.New("its plan is for another fabric")
	case p.Reconfigurations > 0 && g.Sync < f.Sync, p.Reconfigurations > 0 && !(g.Reconfig.Delay(p.Stages[0].Topology, p.Stages[len(p.Stages)-1].Topology) >= f.Reconfig.Delay(p.Stages[0].Topology, p.Stages[len(p.Stages)-1].Topology)):
		return errors.New("its plan is for a shorter delay")
	case !g.Island.IsZero() && (f.Island.IsZero() || g.Island.Bandwidth != f.Island.Bandwidth || g.IslandAlpha() != f.IslandAlpha() || g.IslandDelta() != f.IslandDelta()):
		return errors.New("its plan is for other islands")
	case !g.Fixed.IsZero() && (f.Fixed.IsZero() || g.FixedBandwidth() != f.FixedBandwidth() || g.FixedAlpha() != f.FixedAlpha() || g.FixedDelta() != f.FixedDelta()):
		return errors.New("its plan is for other fixed links")
	}
	links := g.FixedGraph()
	for _, group := range groups {
		for i := range group {
			if !g.Island.IsZero() && i%g.Island.Size > 0 && group[i]/size != group[i-1]/size {
				return fmt.Errorf("ranks %d and %d do not share an island", group[i-1], group[i])
			}
		}
		if links == nil {
			continue
		}
		for e := range links.Edges() {
			if f.FixedCount(group[e.From], group[e.To]) < e.Count {
				return fmt.Errorf("ranks %d and %d do not have %d fixed links", group[e.From], group[e.To], e.Count)
			}
		}
	}
	return nil
}

// sendTakes returns how long a send takes.
func (v *prover) sendTakes(n *workload.Node, o *DocumentOp) (units.Time, error) {
	f, bytes := &v.Fabric, float64(v.task(n).Op.Size)
	if o.Circuits == 0 {
		return v.groundTakes(n)
	}
	c := &v.Circuits[o.Circuits-1]
	hops, width := 1, 1
	switch {
	case c.Jumps != nil:
		return v.walkTakes(n, o)
	case c.Ring != 0:
		way := v.around(c, n)
		if way == nil {
			return 0, fmt.Errorf("circuits %s do not lead there", c.Name)
		}
		hops = len(way) - 1
	case c.Pair > 0:
		forth, back := slices.Equal(c.Classes, n.Classes), f.Duplex && len(c.Classes) == 2 && c.Classes[0] == n.Classes[1] && c.Classes[1] == n.Classes[0]
		if !forth && !back || !v.sameGroups(c.Kind, v.task(n).Op.Kind) {
			return 0, fmt.Errorf("circuits %s do not lead there", c.Name)
		}
		width = c.Pair
	default:
		return 0, fmt.Errorf("circuits %s are those of a collective", c.Name)
	}
	sends := f.Bandwidth.Transmit(bytes) / units.Time(width)
	if f.Forwarding == fabric.StoreAndForward {
		sends *= units.Time(hops)
	}
	return f.Alpha.Time() + units.Time(hops)*f.Delta.Time() + sends, nil
}

// groundTakes returns how long a send takes without circuits: within islands or over fixed
// links.
func (v *prover) groundTakes(n *workload.Node) (units.Time, error) {
	f, bytes := &v.Fabric, float64(v.task(n).Op.Size)
	island, links := !f.Island.IsZero(), math.MaxInt
	var from, to int
	for from = range v.graph.Classes[n.Class].Ranks.All() {
		to = v.task(n).Op.SendTo.Of(from)
		island = island && from/f.Island.Size == to/f.Island.Size
		links = min(links, f.FixedCount(from, to))
		if !island && links == 0 {
			return 0, fmt.Errorf("ranks %d and %d share no island and no fixed link, and it has no circuits", from, to)
		}
	}
	least := units.Time(math.Inf(1))
	if island {
		least = f.IslandAlpha().Time() + f.IslandDelta().Time() + f.Island.Bandwidth.Transmit(bytes)
	}
	if links > 0 {
		least = min(least, f.FixedAlpha().Time()+f.FixedDelta().Time()+f.FixedBandwidth().Transmit(bytes)/units.Time(links))
	}
	return least, nil
}

// around lists the classes on the path of a send around a ring of its kind; nil if there is
// none.
func (v *prover) around(c *DocumentCircuits, n *workload.Node) []int {
	kind := v.task(n).Op.Kind
	if !v.sameGroups(c.Kind, kind) {
		return nil
	}
	var way []int
	for _, group := range v.Workload.Kinds[kind] {
		for i, r := range group {
			if v.graph.Of[r] != n.Class || len(group) < 2 {
				continue
			}
			this := []int{n.Class}
			to := v.task(n).Op.SendTo.Of(r)
			for at := i; group[at] != to; {
				if at = (at + len(group) + c.Ring) % len(group); at == i {
					return nil
				}
				this = append(this, v.graph.Of[group[at]])
			}
			if way != nil && !slices.Equal(way, this) {
				return nil
			}
			way = this
		}
	}
	return way
}

// sameGroups reports whether circuits of one kind may serve another.
func (v *prover) sameGroups(a, b string) bool {
	return a == b || v.like[a] != "" && v.like[a] == v.like[b]
}

// workOf returns the communication of a node.
func (v *prover) workOf(n *workload.Node) *Work {
	t := v.task(n)
	work := &Work{Kind: t.Op.Kind, Like: v.like[t.Op.Kind], Op: t.Op.Op, Size: t.Op.Size, Skew: t.Op.Skew, Classes: n.Classes}
	if t.Type == workload.Send {
		for r := range v.graph.Classes[n.Class].Ranks.All() {
			work.Groups = append(work.Groups, []int{r, t.Op.SendTo.Of(r)})
		}
	} else {
		work.Groups = v.groupsOf(n)
	}
	return work
}

// walkTakes returns how long a communication takes over circuits that all ranks share: every
// path is walked, hop by hop.
func (v *prover) walkTakes(n *workload.Node, o *DocumentOp) (units.Time, error) {
	c, f := &v.Circuits[o.Circuits-1], &v.Fabric
	if len(c.Width) != len(c.Jumps) {
		return 0, fmt.Errorf("circuits %s have %d jumps and %d widths", c.Name, len(c.Jumps), len(c.Width))
	}
	work := v.workOf(n)
	total, passes := units.Time(0), map[[2]int]bool{}
	v.passes[o] = passes
	for _, s := range work.sharedSteps() {
		loads, longest, most := map[[2]int]float64{}, 0, 0.0
		for _, group := range work.Groups {
			for i, from := range group {
				to := group[(i+s.shift)%len(group)]
				if work.IsSend() {
					if i > 0 {
						continue
					}
					to = group[1]
				}
				hops := 0
				for at := from; at != to; hops++ {
					left := arithmetic.Offset(at, to, v.Ranks)
					k := slices.IndexFunc(c.Jumps, func(j int) bool { return j > 0 && j <= left })
					if k < 0 || c.Width[k] < 1 || hops > v.Ranks {
						return 0, fmt.Errorf("circuits %s do not lead from rank %d to rank %d", c.Name, from, to)
					}
					link := [2]int{at, k}
					loads[link] += s.bytes / float64(c.Width[k])
					most = max(most, loads[link])
					passes[[2]int{v.graph.Of[at], 0}], passes[[2]int{v.graph.Of[at], 2}] = true, true
					at = (at + c.Jumps[k]) % v.Ranks
					passes[[2]int{v.graph.Of[at], 1}], passes[[2]int{v.graph.Of[at], 2}] = true, true
				}
				longest = max(longest, hops)
			}
		}
		sends := f.Bandwidth.Transmit(most)
		if f.Forwarding == fabric.StoreAndForward {
			sends *= units.Time(longest)
		}
		total += units.Time(s.times)*(f.Alpha.Time()+units.Time(longest)*f.Delta.Time()+sends) + units.Time(s.reduces)*f.Gamma.Of(s.bytes)
	}
	return total, nil
}
