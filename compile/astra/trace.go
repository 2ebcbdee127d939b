package astra

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload/chakra"
)

// Rank is the trace of one rank.
type Rank struct {
	Nodes []Node
}

// arrivals are the receives that a node's value of a chunk comes from.
type arrivals map[[2]int32][]uint64

// tracer makes the traces of all ranks.
type tracer struct {
	plan  *plan.Plan
	ranks []Rank
	had   arrivals // before the step
	now   arrivals // of the step, to be added
	fresh map[[2]int32]bool
	tag   int64
	ready []uint64 // of each rank: the end of the last change of circuits, plus 1; 0: none
}

// Traces returns what every rank sends and receives.
func Traces(ctx context.Context, p *plan.Plan) ([]Rank, error) {
	n := p.Fabric.Nodes
	t := &tracer{plan: p, ranks: make([]Rank, n), had: arrivals{}, ready: make([]uint64, n)}
	for i := range p.Stages {
		if i > 0 {
			t.change(p.Stages[i].Reconfiguration)
		}
		for j := range p.Stages[i].Steps {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			t.step(&p.Stages[i].Steps[j])
		}
	}
	for r := range t.ranks {
		if len(t.ranks[r].Nodes) == 0 { // a trace has at least one node
			t.add(r, Node{Name: "idle", Type: chakra.Comp})
		}
	}
	return t.ranks, nil
}

func (t *tracer) add(rank int, n Node) uint64 {
	n.ID = uint64(len(t.ranks[rank].Nodes))
	n.Attrs = append(n.Attrs, chakra.Bool("is_cpu_op", false))
	t.ranks[rank].Nodes = append(t.ranks[rank].Nodes, n)
	return n.ID
}

// change has every rank compute, after all that it has done, for as long as circuits take
// to change.
func (t *tracer) change(delay units.Time) {
	for r := range t.ranks {
		var deps []uint64 // what has come since the last change, and that change
		for id := max(t.ready[r], 1) - 1; id < uint64(len(t.ranks[r].Nodes)); id++ {
			deps = append(deps, id)
		}
		id := t.add(r, Node{Name: "reconfigure", Type: chakra.Comp, Deps: deps, Micros: uint64(math.Ceil(float64(delay) / 1000))})
		t.ready[r] = id + 1
	}
}

// step adds the messages of a step: every route of every transfer, hop by hop.
func (t *tracer) step(step *plan.Step) {
	t.now, t.fresh = arrivals{}, map[[2]int32]bool{}
	for transfer := range step.All(t.plan.Collective.Space) {
		bytes := t.plan.Bytes(transfer.Chunks)
		var deps []uint64
		for c := range transfer.Chunks.All() {
			deps = append(deps, t.had[[2]int32{int32(transfer.Src), int32(c)}]...)
		}
		slices.Sort(deps)
		deps = slices.Compact(deps)
		for _, route := range transfer.Routes {
			// Whole bytes, and at least one: nothing matches an empty message.
			size := max(1, int64(math.Round(bytes*route.Share)))
			last := t.route(step.Index, route.Path, size, deps)
			for c := range transfer.Chunks.All() {
				at := [2]int32{int32(transfer.Dst), int32(c)}
				t.now[at] = append(t.now[at], last)
				t.fresh[at] = t.fresh[at] || transfer.Action != collective.Reduce
			}
		}
	}
	for at, list := range t.now {
		if t.fresh[at] {
			t.had[at] = list
		} else {
			t.had[at] = append(t.had[at], list...)
		}
	}
}

// route adds the messages of a route and returns the last receive.
func (t *tracer) route(step int, path []int32, size int64, deps []uint64) uint64 {
	for h := range len(path) - 1 {
		from, to := int(path[h]), int(path[h+1])
		if t.ready[from] > 0 && h == 0 {
			deps = append(slices.Clone(deps), t.ready[from]-1)
		}
		attrs := func() []chakra.Attr {
			return []chakra.Attr{
				chakra.Int("comm_src", int64(from)), chakra.Int("comm_dst", int64(to)),
				chakra.Int("comm_tag", t.tag), chakra.Int("comm_size", size),
			}
		}
		t.add(from, Node{Name: fmt.Sprintf("step %d to %d", step, to), Type: chakra.CommSend, Deps: deps, Attrs: attrs()})
		var after []uint64
		if t.ready[to] > 0 {
			after = []uint64{t.ready[to] - 1}
		}
		id := t.add(to, Node{Name: fmt.Sprintf("step %d from %d", step, from), Type: chakra.CommRecv, Deps: after, Attrs: attrs()})
		t.tag++
		deps = []uint64{id}
	}
	return deps[0]
}
