package plan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/topology"
)

// dataReport is what running the plan on data shows.
type dataReport struct {
	missing, counted, result error
}

// event is one chunk of one transfer.
type event struct {
	chunk     int
	step      int32 // through the whole plan, from 0
	src, dst  int32
	action    collective.Action
	at        int32 // number of the transfer within its step
	stage, in int32 // the step's place, for messages
}

// checkData runs the plan on data. What a node holds of a chunk is the set of nodes
// whose contributions are in it. Chunks do not influence one another, so they are
// run one by one: memory is one set per node, time is linear in the transfers (times
// n/64 for the sets of a reduction). Where all steps share a group of symmetries, one
// chunk of each orbit stands for the others.
func (p *Plan) checkData(ctx context.Context) (dataReport, error) {
	events, chunks := p.events()
	slices.SortStableFunc(events, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.chunk, b.chunk), cmp.Compare(a.step, b.step))
	})
	run := newDataRun(p)
	var found []violation
	for _, chunk := range chunks {
		if err := ctx.Err(); err != nil {
			return dataReport{}, err
		}
		end := 0
		for end < len(events) && events[end].chunk == chunk {
			end++
		}
		if v, ok := run.chunk(chunk, events[:end]); !ok {
			found = append(found, v)
		}
		events = events[end:]
	}
	var report dataReport
	for _, kind := range []struct {
		kind violationKind
		into *error
	}{{missingData, &report.missing}, {wrongCount, &report.counted}, {wrongResult, &report.result}} {
		// The earliest in time is the cause; the others follow from it.
		var first *violation
		for i := range found {
			if v := &found[i]; v.kind == kind.kind && (first == nil || v.before(first)) {
				first = v
			}
		}
		if first != nil {
			*kind.into = errors.New(first.text)
		}
	}
	return report, nil
}

// events lists what happens to the chunks that stand for all, and those chunks in
// ascending order.
func (p *Plan) events() ([]event, []int) {
	space := p.Collective.Space
	group, shared := p.sharedGroup()
	var events []event
	count, stage := int32(0), int32(-1)
	var last *Stage
	in := int32(0)
	for st, step := range p.Steps() {
		if st != last {
			last, in = st, 0
			stage++
		}
		record := func(t collective.Transfer, chunk, at int) {
			events = append(events, event{
				chunk: chunk, step: count, src: int32(t.Src), dst: int32(t.Dst),
				action: t.Action, at: int32(at), stage: stage, in: in,
			})
		}
		if shared {
			for i, t := range step.Base {
				for c := range t.Chunks.All() {
					// Move the transfer so that it concerns the orbit's representative.
					k := group.Inverse(space.Home(group, c))
					moved := collective.Transfer{Src: group.Apply(k, t.Src), Dst: group.Apply(k, t.Dst), Action: t.Action}
					record(moved, space.Move(group, k, c), i)
				}
			}
		} else {
			at := 0
			for t := range step.All(space) {
				for c := range t.Chunks.All() {
					record(t.Transfer, c, at)
				}
				at++
			}
		}
		count++
		in++
	}
	return events, representatives(group, space)
}

// representatives lists the chunks that stand for their orbits, ascending: those
// whose first node is its orbit's representative.
func representatives(group topology.Translations, space collective.Space) []int {
	perNode, nodes := space.Chunks(), 1
	if space.Kind != collective.Whole {
		perNode, nodes = space.Chunks()/space.Nodes, space.Nodes
	}
	var chunks []int
	for u := range nodes {
		if k, _ := group.Locate(u); k != 0 {
			continue
		}
		for c := range perNode {
			chunks = append(chunks, u*perNode+c)
		}
	}
	return chunks
}

// sharedGroup returns the group of all steps, if they have the same and the meaning
// of the chunks moves with it.
func (p *Plan) sharedGroup() (topology.Translations, bool) {
	group := p.Stages[0].Steps[0].Group
	if group.Trivial() || p.Collective.Space.Kind == collective.Whole {
		return topology.Translations{}, false
	}
	for _, step := range p.Steps() {
		if !slices.Equal(step.Group.Dims, group.Dims) || !slices.Equal(step.Group.Stride, group.Stride) {
			return topology.Translations{}, false
		}
	}
	return group, true
}

type violationKind int

const (
	missingData violationKind = iota
	wrongCount
	wrongResult
)

type violation struct {
	kind     violationKind
	step, at int32
	text     string
}

func (v *violation) before(w *violation) bool {
	return v.step < w.step || v.step == w.step && v.at < w.at
}

// dataRun holds, for one chunk at a time, what every node has of it. A node's value
// is valid only if its mark is that of the chunk: nothing is cleared between chunks.
type dataRun struct {
	op     collective.Op
	space  collective.Space
	n      int
	words  int // per set; 0 where values are not sets, as nothing is reduced
	sets   []uint64
	mark   []int
	wrote  []int // step stamp of the last write, to see two in one step
	action []collective.Action
	stamp  int
	epoch  int
	read   []uint64 // values read in the step under way, one set per event
}

func newDataRun(p *Plan) *dataRun {
	n := p.Fabric.Nodes
	r := &dataRun{
		op: p.Collective.Op, space: p.Collective.Space, n: n,
		mark: make([]int, n), wrote: make([]int, n), action: make([]collective.Action, n),
	}
	if r.op.Reduces() {
		r.words = (n + 63) / 64
		r.sets = make([]uint64, n*r.words)
	}
	return r
}

func (r *dataRun) set(u int) []uint64 { return r.sets[u*r.words : (u+1)*r.words] }

func (r *dataRun) has(u int) bool { return r.mark[u] == r.epoch }

// begin gives every node what it holds of the chunk before the first step.
func (r *dataRun) begin(chunk int) {
	r.epoch++
	switch r.op {
	case collective.AllReduce, collective.ReduceScatter:
		clear(r.sets)
		for u := range r.n {
			r.mark[u] = r.epoch
			r.set(u)[u/64] |= 1 << (u % 64)
		}
	case collective.AllGather:
		r.mark[chunk/r.space.Parts] = r.epoch
	case collective.AllToAll:
		r.mark[chunk/r.space.Parts/r.n] = r.epoch
	case collective.Broadcast:
		r.mark[0] = r.epoch
	}
}

// chunk runs the events of one chunk, which ascend by step.
func (r *dataRun) chunk(chunk int, events []event) (violation, bool) {
	r.begin(chunk)
	for len(events) > 0 {
		end := 1
		for end < len(events) && events[end].step == events[0].step {
			end++
		}
		if v, ok := r.step(chunk, events[:end]); !ok {
			return v, false
		}
		events = events[end:]
	}
	return r.end(chunk)
}

// step applies the events of one step: first all reads, then all writes.
func (r *dataRun) step(chunk int, events []event) (violation, bool) {
	r.read = r.read[:0]
	for _, e := range events {
		if !r.has(int(e.src)) {
			return e.violation(missingData, "node %d sends chunk %d, which it does not have", e.src, chunk), false
		}
		if r.words > 0 {
			r.read = append(r.read, r.set(int(e.src))...)
		}
	}
	r.stamp++
	for i, e := range events {
		dst := int(e.dst)
		if r.wrote[dst] == r.stamp && (e.action == collective.Copy || r.action[dst] == collective.Copy) {
			return e.violation(missingData, "chunk %d at node %d is written twice in one step", chunk, dst), false
		}
		r.wrote[dst], r.action[dst] = r.stamp, e.action
		if e.action == collective.Reduce {
			if r.words == 0 {
				return e.violation(wrongCount, "%s reduces nothing, but chunk %d is reduced at node %d", r.op, chunk, dst), false
			}
			if !r.has(dst) {
				return e.violation(missingData, "chunk %d is reduced into node %d, which has nothing of it", chunk, dst), false
			}
		}
		r.mark[dst] = r.epoch
		if r.words == 0 {
			continue
		}
		into := r.set(dst)
		for w, value := range r.read[i*r.words : (i+1)*r.words] {
			if e.action == collective.Copy {
				into[w] = value
				continue
			}
			if twice := into[w] & value; twice != 0 {
				return e.violation(wrongCount, "chunk %d at node %d counts node %d twice",
					chunk, dst, w*64+bits.TrailingZeros64(twice)), false
			}
			into[w] |= value
		}
	}
	return violation{}, true
}

func (e *event) violation(kind violationKind, format string, args ...any) violation {
	text := where(int(e.stage), int(e.in), int(e.at)) + ": " + fmt.Sprintf(format, args...)
	return violation{kind: kind, step: e.step, at: e.at, text: text}
}

// end checks what the operation promises of the chunk.
func (r *dataRun) end(chunk int) (violation, bool) {
	block := chunk / r.space.Parts
	switch r.op {
	case collective.ReduceScatter:
		return r.complete(chunk, block)
	case collective.AllToAll:
		return r.complete(chunk, block%r.n)
	}
	for u := range r.n {
		if v, ok := r.complete(chunk, u); !ok {
			return v, false
		}
	}
	return violation{}, true
}

// complete checks that node u holds the finished chunk.
func (r *dataRun) complete(chunk, u int) (violation, bool) {
	if !r.has(u) {
		return violation{kind: wrongResult, text: fmt.Sprintf("at the end node %d does not have chunk %d", u, chunk)}, false
	}
	if r.words == 0 {
		return violation{}, true
	}
	for v := range r.n {
		if r.set(u)[v/64]>>(v%64)&1 == 0 {
			return violation{kind: wrongResult,
				text: fmt.Sprintf("at the end chunk %d at node %d lacks the contribution of node %d", chunk, u, v)}, false
		}
	}
	return violation{}, true
}
