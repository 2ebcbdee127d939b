package iteration

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
)

// Agenda lists everything that an iteration does, in the order in which it begins, with what
// each item occupies. Keeping this order on every lane and every island carries out the plan,
// however long the items take.
type Agenda struct {
	*Document
	Graph *workload.Graph
	Nodes []workload.Node
	Items []Item
	Made  []*plan.Plan // by number, from 0
	proof *prover
	wired map[string][]layout.Circuit // circuits already assigned to ports, by key
}

// Item is an operation, or a change of circuits.
type Item struct {
	Node   int             // of the graph; for a change the one that needs it, -1: the next iteration
	Op     *DocumentOp     // nil for a change
	Change *DocumentChange // nil for an operation
	// Start and End are the times in the plan, in its first iteration.
	Start, End   units.Time
	Communicates bool           // an operation on ports, islands or fixed links
	Lanes        []DocumentLane // lanes that it occupies
	Islands      []int          // classes whose islands it occupies
	// Circuits are those that it uses or sets up, from 1. They are up in only one place at a time:
	// a change waits for their last use in the previous place.
	Circuits []int
	// Groups are the ranks that do it together, each group separately: the members of a
	// collective, the ranks on the path of a send, the ranks that circuits join. For a computation
	// each group is one rank.
	Groups [][]int
	// Late says of a change that its ports are free earlier, but it begins only when its operation
	// is ready. Other changes begin as soon as they can.
	Late bool
}

// NewAgenda verifies a document and returns its agenda; nil if the report says that something
// is wrong.
func NewAgenda(ctx context.Context, d *Document) (*Agenda, *verify.Report, error) {
	v, report, err := prove(ctx, d)
	if err != nil || report.First() != nil {
		return nil, report, err
	}
	a := &Agenda{Document: d, Graph: v.graph, Nodes: v.nodes, Made: v.plan, proof: v}
	named := map[[2]any]int{}
	for i := range v.nodes {
		o := &d.Ops[v.op[i]]
		named[[2]any{o.Class, o.ID}] = i
		a.Items = append(a.Items, Item{Node: i, Op: o, Start: o.Start, End: o.End, Communicates: v.communicates(&v.nodes[i])})
	}
	for i := range d.Changes {
		c := &d.Changes[i]
		x := Item{Node: -1, Change: c, Start: c.Start, End: c.End, Lanes: c.Lanes, Circuits: []int{c.Circuits}, Groups: a.joined(&d.Circuits[c.Circuits-1])}
		if c.Before != "" {
			x.Node = named[[2]any{c.Class, c.Before}]
		}
		a.Items = append(a.Items, x)
	}
	// Among items at the same time, those that take no time come first, because others wait for
	// them, then changes, before the operations that need them.
	rank := func(x *Item) int {
		switch {
		case x.Change != nil:
			return 1
		case x.End > x.Start:
			return 2
		}
		return 0
	}
	slices.SortStableFunc(a.Items, func(x, y Item) int {
		return cmp.Or(cmp.Compare(x.Start, y.Start), cmp.Compare(rank(&x), rank(&y)), cmp.Compare(x.Node, y.Node))
	})
	a.occupy()
	return a, report, nil
}

// occupy determines what operations occupy, and which changes begin later than they could.
func (a *Agenda) occupy() {
	seat := make([][]DocumentLane, len(a.Circuits)+1)
	for _, up := range a.Up {
		seat[up.Circuits] = up.Lanes
	}
	for i := range a.Items {
		x := &a.Items[i]
		if x.Change != nil {
			seat[x.Change.Circuits] = x.Change.Lanes
			continue
		}
		n := &a.Nodes[x.Node]
		if !x.Communicates {
			for r := range a.Graph.Classes[n.Class].Ranks.All() {
				x.Groups = append(x.Groups, []int{r})
			}
			continue
		}
		x.Islands, x.Groups = a.proof.electrical(n, x.Op), a.together(n, x.Op)
		if x.Op.Circuits == 0 {
			continue
		}
		x.Circuits = append(x.Circuits, x.Op.Circuits)
		used := a.proof.used(n, x.Op)
		for _, l := range seat[x.Op.Circuits] {
			if used == nil || used[[2]int{l[0], l[1]}] {
				x.Lanes = append(x.Lanes, l)
			}
		}
		if x.Op.Leaves > 0 {
			x.Circuits = append(x.Circuits, x.Op.Leaves)
			seat[x.Op.Leaves], seat[x.Op.Circuits] = seat[x.Op.Circuits], nil
		}
	}
	free, left := map[DocumentLane]units.Time{}, map[int]units.Time{}
	for round := range 2 {
		for i := range a.Items {
			x := &a.Items[i]
			shift := units.Time(round) * a.Iteration
			if x.Change != nil && round == 1 {
				begin := units.Time(math.Inf(-1))
				for _, l := range x.Lanes {
					if at, used := free[l]; used {
						begin = max(begin, at)
					}
				}
				if at, used := left[x.Change.Circuits]; used {
					begin = max(begin, at)
				}
				x.Late = before(begin, x.Start+shift) && x.Node >= 0 && !before(x.Start, a.ready(x.Node))
			}
			for _, l := range x.Lanes {
				free[l] = x.End + shift
			}
			for _, c := range x.Circuits {
				left[c] = x.End + shift
			}
		}
	}
}

// ready returns when, in the plan, everything that a node waits for has ended.
func (a *Agenda) ready(node int) units.Time {
	return each.Max(units.Time(0), a.Nodes[node].After, func(b int) units.Time {
		return a.Ops[a.proof.op[b]].End
	})
}

// together lists the ranks that carry out an operation, group by group.
func (a *Agenda) together(n *workload.Node, o *DocumentOp) [][]int {
	if o.Circuits > 0 && a.Circuits[o.Circuits-1].Jumps != nil {
		var all []int
		for r, class := range a.Graph.Of {
			if passes := a.proof.passes[o]; passes[[2]int{class, 0}] || passes[[2]int{class, 1}] {
				all = append(all, r)
			}
		}
		return [][]int{all}
	}
	if a.proof.task(n).Type != workload.Send {
		return a.proof.groupsOf(n)
	}
	var list [][]int
	for r := range a.Graph.Classes[n.Class].Ranks.All() {
		to := a.proof.task(n).Op.SendTo.Of(r)
		if o.Circuits == 0 || a.Circuits[o.Circuits-1].Ring == 0 {
			list = append(list, []int{r, to})
			continue
		}
		list = append(list, a.ringWay(&a.Circuits[o.Circuits-1], r, to))
	}
	return list
}

// Together lists the ranks of an operation over shared circuits, group by group; for a send
// these are its sender and its receiver.
func (a *Agenda) Together(x *Item) [][]int { return a.proof.workOf(&a.Nodes[x.Node]).Groups }

// ringWay lists the ranks from one rank to another around a ring of a kind.
func (a *Agenda) ringWay(c *DocumentCircuits, from, to int) []int {
	for _, group := range a.Workload.Kinds[c.Kind] {
		at := slices.Index(group, from)
		if at < 0 {
			continue
		}
		way := []int{from}
		for way[len(way)-1] != to && len(way) <= len(group) {
			at = (at + len(group) + c.Ring) % len(group)
			way = append(way, group[at])
		}
		return way
	}
	return []int{from, to}
}

// joined lists the ranks that circuits join, group by group.
func (a *Agenda) joined(c *DocumentCircuits) [][]int {
	var all []int
	for r, class := range a.Graph.Of {
		if slices.Contains(c.Classes, class) {
			all = append(all, r)
		}
	}
	groups := a.Workload.Kinds[c.Kind]
	if c.Jumps != nil || groups == nil {
		return [][]int{all}
	}
	var list [][]int
	for _, group := range groups {
		of := each.Where(group, func(r int) bool {
			return slices.Contains(c.Classes, a.Graph.Of[r])
		})
		if len(of) > 1 {
			list = append(list, of)
		}
	}
	return list
}

// Walk is a step over circuits that all ranks share.
type Walk struct {
	Times   int       // number of repetitions
	Reduces int       // repetitions in which what arrives is reduced
	Bytes   float64   // of a message
	Paths   [][]int32 // ranks on the path of each message
}

// Walks lists the steps of an operation over shared circuits.
func (a *Agenda) Walks(x *Item) []Walk {
	c, n := &a.Circuits[x.Op.Circuits-1], &a.Nodes[x.Node]
	work := a.proof.workOf(n)
	var list []Walk
	for _, s := range work.sharedSteps() {
		w := Walk{Times: s.times, Reduces: s.reduces, Bytes: s.bytes}
		for _, group := range work.Groups {
			for i, from := range group {
				to := group[(i+s.shift)%len(group)]
				if work.IsSend() && i > 0 {
					continue
				}
				path := []int32{int32(from)}
				for at := from; at != to; {
					left := arithmetic.Offset(at, to, a.Ranks)
					k := slices.IndexFunc(c.Jumps, func(j int) bool { return j <= left })
					at = (at + c.Jumps[k]) % a.Ranks
					path = append(path, int32(at))
				}
				w.Paths = append(w.Paths, path)
			}
		}
		list = append(list, w)
	}
	return list
}

// Way describes the path of a send: consecutive and parallel circuits, its island, or parallel
// fixed links.
type Way struct {
	Hops, Width int  // Hops is 0 without circuits
	Island      bool // it goes through the island
}

// Way returns the path of a send.
func (a *Agenda) Way(x *Item) Way {
	f := &a.Fabric
	if x.Op.Circuits > 0 {
		if c := &a.Circuits[x.Op.Circuits-1]; c.Pair > 0 {
			return Way{Hops: 1, Width: c.Pair}
		}
		return Way{Hops: len(x.Groups[0]) - 1, Width: 1}
	}
	links, inside := math.MaxInt, !f.Island.IsZero()
	for _, pair := range x.Groups {
		links, inside = min(links, f.FixedCount(pair[0], pair[1])), inside && f.SameIsland(pair[0], pair[1])
	}
	if inside && links > 0 { // use the faster one
		bytes := float64(a.Task(x).Op.Size)
		within := f.IslandAlpha().Time() + f.IslandDelta().Time() + f.Island.Bandwidth.Transmit(bytes)
		linked := f.FixedAlpha().Time() + f.FixedDelta().Time() + f.FixedBandwidth().Transmit(bytes)/units.Time(links)
		inside = within <= linked
	}
	return Way{Width: links, Island: inside}
}

// Shared reports whether an operation uses circuits that all ranks share.
func (a *Agenda) Shared(x *Item) bool {
	return x.Op != nil && x.Op.Circuits > 0 && a.Circuits[x.Op.Circuits-1].Jumps != nil
}

// Task returns the task of an operation.
func (a *Agenda) Task(x *Item) *workload.Task { return a.proof.task(&a.Nodes[x.Node]) }

// Sends reports whether a node is a send.
func (a *Agenda) Sends(node int) bool { return a.proof.task(&a.Nodes[node]).Type == workload.Send }

// Joins reports whether an item has a group send from one rank to another over a circuit or a
// fixed link.
func (a *Agenda) Joins(x *Item, group []int, from, to int) bool {
	i, j := slices.Index(group, from), slices.Index(group, to)
	if x.Change != nil || !x.Communicates || i < 0 || j < 0 {
		return false
	}
	switch {
	case x.Op.Plan > 0:
		p := a.Made[x.Op.Plan-1]
		for k := range p.Stages {
			if p.Stages[k].Topology.Count(i, j) > 0 || p.Fabric.FixedCount(i, j) > 0 {
				return true
			}
		}
		return false
	case x.Op.Circuits > 0 && a.Circuits[x.Op.Circuits-1].Jumps != nil:
		return slices.Contains(a.Circuits[x.Op.Circuits-1].Jumps, arithmetic.Offset(from, to, a.Ranks))
	}
	return j == i+1 && !(x.Op.Circuits == 0 && a.Fabric.SameIsland(from, to))
}
