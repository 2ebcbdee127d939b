package astra

import (
	"context"
	"fmt"
	"maps"
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

// arrivals are the receives that delivered a node's value of a chunk.
type arrivals map[[2]int32][]uint64

// tracer makes the traces of all ranks.
type tracer struct {
	plan  *plan.Plan
	ranks []Rank
	had   arrivals // before this step
	now   arrivals // of this step, added to had at its end
	fresh map[[2]int32]bool
	tag   int64
	ready []uint64 // by rank: 1 + the end of the last reconfiguration; 0: none
	pace  *pace    // nil: messages have the plan's bytes
	// queued are the last sends of earlier steps over each link, and sent those of this step. If
	// ranks forward nothing and links are paced, a message follows those of earlier steps, so
	// that an early message does not overtake one that others wait for.
	queued, sent map[[2]int][]uint64
}

// Traces returns what every rank sends and receives.
func Traces(ctx context.Context, p *plan.Plan) ([]Rank, error) { return traces(ctx, p, nil) }

func traces(ctx context.Context, p *plan.Plan, on *pace) ([]Rank, error) {
	n := p.Fabric.Nodes
	t := &tracer{plan: p, ranks: make([]Rank, n), had: arrivals{}, ready: make([]uint64, n), pace: on, queued: map[[2]int][]uint64{}}
	for i := range p.Stages {
		if i > 0 {
			t.change(p.Stages[i].Reconfiguration)
		}
		for j := range p.Stages[i].Steps {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if on != nil {
				on.step(&p.Stages[i], &p.Stages[i].Steps[j])
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

// change makes every rank compute for the reconfiguration delay after everything that it has
// done.
func (t *tracer) change(delay units.Time) {
	for r := range t.ranks {
		var deps []uint64 // all receives since the last change, and that change
		for id := max(t.ready[r], 1) - 1; id < uint64(len(t.ranks[r].Nodes)); id++ {
			deps = append(deps, id)
		}
		id := t.add(r, Node{Name: "reconfigure", Type: chakra.Comp, Deps: deps, Micros: Micros(delay)})
		t.ready[r] = id + 1
	}
}

// Micros returns a delay in whole microseconds, rounded up.
func Micros(delay units.Time) uint64 { return uint64(math.Ceil(float64(delay) / 1000)) }

// Message returns the attributes of a send and of its receive.
func Message(from, to int, tag, size int64) []chakra.Attr {
	return []chakra.Attr{
		chakra.Int("comm_src", int64(from)), chakra.Int("comm_dst", int64(to)), chakra.Int("comm_tag", tag), chakra.Int("comm_size", size),
	}
}

// bundle is everything that one rank sends to the next in a step, as one message.
type bundle struct {
	path   []int32
	bytes  float64
	deps   []uint64
	brings []brought
}

// brought is a chunk at a node, and whether it replaces the previous value.
type brought struct {
	at    [2]int32
	fresh bool
}

// step adds the messages of a step: every route of every transfer, hop by hop. On paced links,
// routes of one hop between the same ranks are one message, because the step ends when all of
// them have arrived.
func (t *tracer) step(step *plan.Step) {
	t.now, t.fresh, t.sent = arrivals{}, map[[2]int32]bool{}, map[[2]int][]uint64{}
	direct := map[[2]int32]*bundle{}
	var bundles []*bundle
	for transfer := range step.All(t.plan.Collective.Space) {
		bytes := t.plan.Bytes(transfer.Chunks)
		var deps []uint64
		for c := range transfer.Chunks.All() {
			deps = append(deps, t.had[[2]int32{int32(transfer.Src), int32(c)}]...)
		}
		var brings []brought
		for c := range transfer.Chunks.All() {
			brings = append(brings, brought{[2]int32{int32(transfer.Dst), int32(c)}, transfer.Action != collective.Reduce})
		}
		for _, route := range transfer.Routes {
			if t.pace == nil || len(route.Path) != 2 {
				bundles = append(bundles, &bundle{route.Path, bytes * route.Share, deps, brings})
				continue
			}
			ends := [2]int32{route.Path[0], route.Path[1]}
			d := direct[ends]
			if d == nil {
				d = &bundle{path: route.Path}
				direct[ends] = d
				bundles = append(bundles, d)
			}
			d.bytes += bytes * route.Share
			d.deps, d.brings = append(d.deps, deps...), append(d.brings, brings...)
		}
	}
	for _, d := range bundles {
		deps := slices.Clone(d.deps)
		slices.Sort(deps)
		last := t.route(step.Index, d.path, d.bytes, slices.Compact(deps))
		for _, b := range d.brings {
			t.now[b.at] = append(t.now[b.at], last)
			t.fresh[b.at] = t.fresh[b.at] || b.fresh
		}
	}
	if t.pace != nil && !t.pace.forwards {
		maps.Copy(t.queued, t.sent)
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
func (t *tracer) route(step int, path []int32, bytes float64, deps []uint64) uint64 {
	for h := range len(path) - 1 {
		from, to := int(path[h]), int(path[h+1])
		scaled := bytes
		if t.pace != nil {
			scaled = t.pace.bytes(from, to, bytes)
		}
		// Whole bytes, and at least one: nothing matches an empty message.
		size := max(1, int64(math.Round(scaled)))
		if t.ready[from] > 0 && h == 0 {
			deps = append(slices.Clone(deps), t.ready[from]-1)
		}
		link := [2]int{from, to}
		if len(t.queued[link]) > 0 {
			deps = append(slices.Clone(deps), t.queued[link]...)
		}
		sent := t.add(from, Node{Name: fmt.Sprintf("step %d to %d", step, to), Type: chakra.CommSend, Deps: deps, Attrs: Message(from, to, t.tag, size)})
		t.sent[link] = append(t.sent[link], sent)
		var after []uint64
		if t.ready[to] > 0 {
			after = []uint64{t.ready[to] - 1}
		}
		id := t.add(to, Node{Name: fmt.Sprintf("step %d from %d", step, from), Type: chakra.CommRecv, Deps: after, Attrs: Message(from, to, t.tag, size)})
		t.tag++
		deps = []uint64{id}
	}
	return deps[0]
}
