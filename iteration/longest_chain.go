package iteration

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
)

// The longest chain may wait for these, too.
const rewires, waits = "reconfiguration", "ports"

// linkedDocument is a document with the relations between its operations.
type linkedDocument struct {
	*Document
	graph  *workload.Graph
	nodes  []workload.Node
	op     []int            // by node: its operation
	dark   [][]span         // by plan, from 1: when it changes circuits, relative to its start
	before map[[2]any][]int // changes by operation: class and ID
	byEnd  []int            // nodes in the order of their ends
}

// newLinkedDocument links the operations of a correct document: they are in the order of the nodes,
// or found by class and ID.
func newLinkedDocument(d *Document, g *workload.Graph) (*linkedDocument, error) {
	l := &linkedDocument{Document: d, graph: g, nodes: g.Nodes(), before: map[[2]any][]int{}, dark: make([][]span, len(d.Plans)+1)}
	found := map[[2]any]int{}
	for i := range d.Ops {
		found[[2]any{d.Ops[i].Class, d.Ops[i].ID}] = i
	}
	l.op, l.byEnd = make([]int, len(l.nodes)), make([]int, len(l.nodes))
	for i := range l.nodes {
		n := &l.nodes[i]
		id := l.task(i).ID
		at, ok := found[[2]any{n.Class, id}]
		if !ok {
			return nil, fmt.Errorf("%s of class %d does not take place", id, n.Class)
		}
		l.op[i], l.byEnd[i] = at, i
	}
	slices.SortStableFunc(l.byEnd, func(a, b int) int { return cmp.Compare(l.at(a).End, l.at(b).End) })
	for i := range d.Changes {
		if c := &d.Changes[i]; c.Before != "" {
			key := [2]any{c.Class, c.Before}
			l.before[key] = append(l.before[key], i)
		}
	}
	return l, nil
}

// readPlans finds out when plans change circuits.
func (l *linkedDocument) readPlans(ctx context.Context) error {
	for i, text := range l.Plans {
		if err := ctx.Err(); err != nil {
			return err
		}
		p, err := plan.Decode(bytes.NewReader(text))
		if err != nil {
			return fmt.Errorf("plan %d: %w", i+1, err)
		}
		for k := range p.Stages {
			if s := &p.Stages[k]; s.Reconfiguration > 0 {
				l.dark[i+1] = append(l.dark[i+1], span{s.Start, s.Start + s.Reconfiguration})
			}
		}
	}
	return nil
}

func (l *linkedDocument) at(node int) *DocumentOp { return &l.Ops[l.op[node]] }

func (l *linkedDocument) task(node int) *workload.Task {
	return &l.graph.Classes[l.nodes[node].Class].Tasks[l.nodes[node].Task]
}

// communicates reports whether a node uses ports or islands for some time.
func (l *linkedDocument) communicates(node int) bool {
	t := l.task(node).Type
	return t == workload.Send || t == workload.Collective && l.nodes[node].Ranks > 1
}

// kind returns the kind within which a node communicates.
func (l *linkedDocument) kind(node int) string { return cmp.Or(l.task(node).Op.Kind, "send") }

// segment is a piece of the longest chain. A computation has an empty kind.
type segment struct {
	span
	kind string
	node int // -1: a wait, or a change before an operation
}

// path returns the longest chain of a plan, from its end to its beginning: what the last
// operation waited for, and so on. Its segments cover the iteration without gaps.
func (l *linkedDocument) path() []segment {
	var list []segment
	at := l.Iteration
	enter := func(from units.Time, kind string, node int) {
		if from = max(0, from); from < at {
			list = append(list, segment{span{from, at}, kind, node})
			at = from
		}
	}
	j := -1
	if len(l.byEnd) > 0 {
		j = l.byEnd[len(l.byEnd)-1]
		enter(l.at(j).End, rewires, -1)
	}
	for j >= 0 {
		o, kind := l.at(j), ""
		if l.communicates(j) {
			kind = l.kind(j)
		}
		enter(o.Start, kind, j)
		next, ready := -1, units.Time(0)
		for _, b := range l.nodes[j].After {
			if end := l.at(b).End; next < 0 || end > ready {
				next, ready = b, end
			}
		}
		for _, i := range l.before[[2]any{o.Class, o.ID}] {
			if c := &l.Changes[i]; at > ready && !before(c.End, at) {
				enter(max(ready, c.Start), rewires, -1)
			}
		}
		if before(ready, at) {
			if b := l.blocker(j, at); b >= 0 {
				j = b
				continue
			}
			enter(ready, waits, -1)
		}
		j = next
	}
	enter(0, waits, -1)
	return list
}

// blocker returns a communication of the same classes that ends at a time, or -1.
func (l *linkedDocument) blocker(j int, at units.Time) int {
	if !l.communicates(j) {
		return -1
	}
	i, _ := slices.BinarySearchFunc(l.byEnd, at-slack*at, func(k int, t units.Time) int { return cmp.Compare(l.at(k).End, t) })
	for ; i < len(l.byEnd) && !before(at, l.at(l.byEnd[i]).End); i++ {
		if k := l.byEnd[i]; k != j && l.communicates(k) && l.at(k).Start < l.at(j).Start && l.meet(j, k) {
			return k
		}
	}
	return -1
}

// meet reports whether two nodes have a class in common.
func (l *linkedDocument) meet(j, k int) bool {
	return slices.ContainsFunc(l.nodes[j].Classes, func(c int) bool { return slices.Contains(l.nodes[k].Classes, c) })
}

// budget adds up the parts of the longest chain. A collective's own changes count as rewiring.
func (l *linkedDocument) budget(path []segment) Budget {
	b := Budget{Communication: map[string]units.Time{}}
	for _, s := range path {
		time := s.end - s.start
		switch {
		case s.node >= 0 && s.kind == "":
			b.Compute += time
		case s.node >= 0:
			dark := units.Time(0)
			o := l.at(s.node)
			for _, d := range l.dark[o.Plan] {
				dark += max(0, min(o.Start+d.end, s.end)-max(o.Start+d.start, s.start))
			}
			b.Rewiring += dark
			b.Communication[s.kind] += time - dark
		case s.kind == rewires:
			b.Rewiring += time
		default:
			b.Waits += time
		}
	}
	return b
}

// exposed divides the exposed time in proportion to the parts of the longest chain.
func (l *linkedDocument) exposed(exposed units.Time) map[string]units.Time {
	by := map[string]units.Time{}
	others := units.Time(0)
	for _, s := range l.path() {
		if s.kind != "" {
			by[s.kind] += s.end - s.start
			others += s.end - s.start
		}
	}
	// The chain may compute for less time than the longest chain of only computations.
	share := units.Time(1)
	if others > 0 {
		share = exposed / others
	}
	for kind := range by {
		if by[kind] *= share; by[kind] == 0 {
			delete(by, kind)
		}
	}
	return by
}
