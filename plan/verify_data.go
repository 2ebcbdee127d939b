package plan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
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
	events, group := p.events()
	slices.SortStableFunc(events, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.chunk, b.chunk), cmp.Compare(a.step, b.step))
	})
	run := newDataRun(p)
	// The earliest in time is the cause; the others follow from it.
	var first [violationKinds]*violation
	take := func(chunk int) (unsent bool) {
		end := 0
		for end < len(events) && events[end].chunk == chunk {
			end++
		}
		v, ok := run.chunk(chunk, events[:end])
		events = events[end:]
		if !ok && (first[v.kind] == nil || v.before(first[v.kind])) {
			first[v.kind] = &v
		}
		return !ok && end == 0
	}
	for chunk := range representatives(group, p.Collective.Space) {
		if err := ctx.Err(); err != nil {
			return dataReport{}, err
		}
		if take(chunk) {
			break // one chunk that nobody sends says enough: there may be very many
		}
	}
	for len(events) > 0 { // those after it that somebody sends
		if err := ctx.Err(); err != nil {
			return dataReport{}, err
		}
		take(events[0].chunk)
	}
	var errs [violationKinds]error
	for kind, v := range first {
		if v != nil {
			errs[kind] = errors.New(v.text)
		}
	}
	return dataReport{missing: errs[missingData], counted: errs[wrongCount], result: errs[wrongResult]}, nil
}

// events lists what happens to the chunks that stand for all, and the group under
// which they do.
func (p *Plan) events() ([]event, topology.Translations) {
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
	return events, group
}

// representatives yields the chunks that stand for their orbits, ascending: those
// whose first node is its orbit's representative.
func representatives(group topology.Translations, space collective.Space) iter.Seq[int] {
	if group.Trivial() {
		return func(yield func(int) bool) {
			for c := range space.Chunks() {
				if !yield(c) {
					return
				}
			}
		}
	}
	sections := space.Sections
	if sections == nil {
		sections = []collective.Section{{Space: space}}
	}
	return func(yield func(int) bool) {
		first := 0
		for i := range sections {
			chunks := sections[i].Space.Chunks()
			perNode := chunks / space.Nodes
			for u := range space.Nodes {
				if k, _ := group.Locate(u); k != 0 {
					continue
				}
				for c := range perNode {
					if !yield(first + u*perNode + c) {
						return
					}
				}
			}
			first += chunks
		}
	}
}

// sharedGroup returns the group of all steps, if they have the same and the meaning
// of the chunks moves with it.
func (p *Plan) sharedGroup() (topology.Translations, bool) {
	group := p.Stages[0].Steps[0].Group
	if group.Trivial() || !p.Collective.Space.Follows(p.Collective.Op) {
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
	violationKinds int = iota
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
	duties func(chunk int) collective.Duty
	duty   collective.Duty // of the chunk under way
	words  int             // per set, the nodes whose contributions a node has
	sets   []uint64        // used by chunks that are reduced
	mark   []int
	wrote  []int // step stamp of the last write, to see two in one step
	action []collective.Action
	stamp  int
	epoch  int
	read   []uint64 // values read in the step under way, one set per event
	lossy  *event   // the chunk's first copy over contributions that it does not bring
}

func newDataRun(p *Plan) *dataRun {
	n := p.Fabric.Nodes
	return &dataRun{
		op: p.Collective.Op, duties: collective.Duties(p.Collective.Op, &p.Collective.Space), words: (n + 63) / 64,
		mark: make([]int, n), wrote: make([]int, n), action: make([]collective.Action, n),
	}
}

func (r *dataRun) set(u int) []uint64 { return r.sets[u*r.words : (u+1)*r.words] }

func (r *dataRun) has(u int) bool { return r.mark[u] == r.epoch }

// begin gives every node what it holds of the chunk before the first step.
func (r *dataRun) begin(chunk int) {
	r.epoch++
	r.duty = r.duties(chunk)
	for _, u := range r.duty.From {
		r.mark[u] = r.epoch
	}
	if !r.duty.Reduces {
		return
	}
	if r.sets == nil {
		r.sets = make([]uint64, len(r.mark)*r.words)
	}
	clear(r.sets)
	for _, u := range r.duty.From {
		r.set(u)[u/64] |= 1 << (u % 64)
	}
}

// chunk runs the events of one chunk, which ascend by step.
func (r *dataRun) chunk(chunk int, events []event) (violation, bool) {
	r.begin(chunk)
	r.lossy = nil
	for rest := events; len(rest) > 0; {
		end := 1
		for end < len(rest) && rest[end].step == rest[0].step {
			end++
		}
		if v, ok := r.step(chunk, rest[:end]); !ok {
			return v, false
		}
		rest = rest[end:]
	}
	return r.end(chunk, events)
}

// step applies the events of one step: first all reads, then all writes.
func (r *dataRun) step(chunk int, events []event) (violation, bool) {
	r.read = r.read[:0]
	for _, e := range events {
		if !r.has(int(e.src)) {
			return e.violation(missingData, "node %d sends chunk %d, which it does not have", e.src, chunk), false
		}
		if r.duty.Reduces {
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
			if !r.duty.Reduces {
				return e.violation(wrongCount, "%s reduces nothing, but chunk %d is reduced at node %d", r.op, chunk, dst), false
			}
			if !r.has(dst) {
				return e.violation(missingData, "chunk %d is reduced into node %d, which has nothing of it", chunk, dst), false
			}
		}
		r.mark[dst] = r.epoch
		if !r.duty.Reduces {
			continue
		}
		into := r.set(dst)
		for w, value := range r.read[i*r.words : (i+1)*r.words] {
			if e.action == collective.Copy {
				if into[w]&^value != 0 && r.lossy == nil {
					r.lossy = &events[i]
				}
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

// end checks what the operation promises of the chunk, after its events.
func (r *dataRun) end(chunk int, events []event) (violation, bool) {
	for _, u := range r.duty.To {
		if v, ok := r.complete(chunk, u, events); !ok {
			return v, false
		}
	}
	return violation{}, true
}

// complete checks that node u holds the finished chunk. If not, it blames the first
// copy that destroyed contributions, else the last transfer to the node or, if there
// is none, of the chunk.
func (r *dataRun) complete(chunk, u int, events []event) (violation, bool) {
	wrong := ""
	switch v := r.lacking(u); {
	case !r.has(u):
		wrong = fmt.Sprintf("at the end node %d does not have chunk %d", u, chunk)
	case v >= 0:
		wrong = fmt.Sprintf("at the end chunk %d at node %d lacks the contribution of node %d", chunk, u, v)
	default:
		return violation{}, true
	}
	if r.lossy != nil {
		return r.lossy.violation(wrongResult, "the copy to node %d destroys contributions to chunk %d; %s", r.lossy.dst, chunk, wrong), false
	}
	for i := len(events) - 1; i >= 0; i-- {
		if int(events[i].dst) == u {
			return events[i].violation(wrongResult, "after this, the last to node %d, %s", u, wrong), false
		}
	}
	if len(events) > 0 {
		last := &events[len(events)-1]
		return last.violation(wrongResult, "after this, the last of chunk %d, %s", chunk, wrong), false
	}
	return violation{kind: wrongResult, text: wrong + ": nobody sends it"}, false
}

// lacking returns a node whose contribution is not in what u holds, or -1.
func (r *dataRun) lacking(u int) int {
	if !r.duty.Reduces || !r.has(u) {
		return -1
	}
	for _, v := range r.duty.From {
		if r.set(u)[v/64]>>(v%64)&1 == 0 {
			return v
		}
	}
	return -1
}
