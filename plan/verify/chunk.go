package verify

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/plan"
)

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

// dataRun holds what every node has of one chunk at a time. A node's value is valid only if its
// mark is that of the chunk, so nothing is cleared between chunks.
type dataRun struct {
	op     collective.Op
	moves  []move              // named by events
	number func(chunk int) int // maps a chunk of the moves to its number in the plan; nil: the same
	duties func(chunk int) collective.Duty
	duty   collective.Duty // of the current chunk
	words  int             // per set of contributing nodes
	sets   []uint64        // for chunks that are reduced
	aside  [][]uint64      // by side sum, from 1: the same for the side sums that some move sends
	want   []uint64        // the contributions that the operation asks for
	mark   []int
	mixed  []int // the chunk in which a node got a copy or a replacement
	wrote  []int // step stamp of the last write, to detect two writes in one step
	action []collective.Action
	stamp  int
	epoch  int
	read   []uint64 // values read in the current step, one set per event
	lossy  *event   // the first copy of the chunk to overwrite contributions that it does not contain

	columns columns
}

func newDataRun(p *plan.Plan) *dataRun {
	n := p.Fabric.Nodes
	return &dataRun{
		op: p.Collective.Op, duties: collective.Duties(p.Collective.Op, &p.Collective.Space), words: (n + 63) / 64,
		mark: make([]int, n), mixed: make([]int, n), wrote: make([]int, n), action: make([]collective.Action, n),
	}
}

func (r *dataRun) set(u int) []uint64 { return r.sets[u*r.words : (u+1)*r.words] }

func (r *dataRun) has(u int) bool { return r.mark[u] == r.epoch }

// begin gives every node its part of the chunk before the first step.
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
		r.sets, r.want = make([]uint64, len(r.mark)*r.words), make([]uint64, r.words)
	}
	clear(r.sets)
	for _, sets := range r.aside {
		clear(sets)
	}
	clear(r.want)
	for _, u := range r.duty.From {
		r.want[u/64] |= 1 << (u % 64)
		r.set(u)[u/64] |= 1 << (u % 64)
	}
}

// sideSet returns the contributions to a side sum of a node, nil if nobody adds to it.
func (r *dataRun) sideSet(side, u int) []uint64 {
	if side > len(r.aside) || r.aside[side-1] == nil {
		return nil
	}
	return r.aside[side-1][u*r.words : (u+1)*r.words]
}

// addAside adds a value to side sums of a node.
func (r *dataRun) addAside(sides collective.Sides, u int, value []uint64) {
	for side := range sides.All() {
		for side > len(r.aside) {
			r.aside = append(r.aside, nil)
		}
		if r.aside[side-1] == nil {
			r.aside[side-1] = make([]uint64, len(r.sets))
		}
		for w, has := range value {
			r.aside[side-1][u*r.words+w] |= has
		}
	}
}

// chunk runs the events of one chunk, ascending by step.
func (r *dataRun) chunk(chunk int, events []event) (violation, bool) {
	if r.number != nil {
		chunk = r.number(chunk)
	}
	if r.proves(chunk, events) {
		return violation{}, true
	}
	return r.bySets(chunk, events)
}

// bySets runs the events with the full set of contributions at every node.
func (r *dataRun) bySets(chunk int, events []event) (violation, bool) {
	r.begin(chunk)
	r.lossy = nil
	for rest := events; len(rest) > 0; {
		end := 1
		for step := r.moves[rest[0].by].step; end < len(rest) && r.moves[rest[end].by].step == step; {
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
			return r.violation(&e, missingData, "node %d sends chunk %d, which it does not have", e.src, chunk), false
		}
		part := r.moves[e.by].Part
		if part != collective.WholePart {
			if why := r.apart(int(e.src), part); why != "" {
				return r.violation(&e, missingData, "node %d sends a part of chunk %d, %q, but %s", e.src, chunk, part, why), false
			}
		}
		if r.duty.Reduces {
			r.readPart(int(e.src), part)
		}
	}
	r.stamp++
	for i, e := range events {
		dst, action := int(e.dst), r.moves[e.by].Action
		again := r.wrote[dst] == r.stamp
		if again && (action == collective.Copy || r.action[dst] != action) {
			return r.violation(&e, missingData, "chunk %d at node %d is written twice in one step", chunk, dst), false
		}
		r.wrote[dst], r.action[dst] = r.stamp, action
		if action.Adds() {
			if !r.duty.Reduces {
				return r.violation(&e, wrongCount, "%s reduces nothing, but chunk %d is reduced at node %d", r.op, chunk, dst), false
			}
			if action == collective.Reduce && !r.has(dst) {
				return r.violation(&e, missingData, "chunk %d is reduced into node %d, which has nothing of it", chunk, dst), false
			}
		}
		r.mark[dst] = r.epoch
		if action != collective.Reduce {
			r.mixed[dst] = r.epoch
		}
		if !r.duty.Reduces {
			continue
		}
		r.addAside(r.moves[e.by].Sides, dst, r.read[i*r.words:(i+1)*r.words])
		into := r.set(dst)
		// A replacement is meant to discard the old value.
		fresh := action == collective.Copy || action == collective.Replace && !again
		for w, value := range r.read[i*r.words : (i+1)*r.words] {
			if fresh {
				if action == collective.Copy && into[w]&^value != 0 && r.lossy == nil {
					r.lossy = &events[i]
				}
				into[w] = value
				continue
			}
			if twice := into[w] & value; twice != 0 {
				return r.violation(&e, wrongCount, "chunk %d at node %d counts node %d twice",
					chunk, dst, w*64+bits.TrailingZeros64(twice)), false
			}
			into[w] |= value
		}
	}
	return violation{}, true
}

// apart says why a node does not have a part of the chunk as a separate value; "" if it does.
func (r *dataRun) apart(u int, part collective.Part) string {
	switch {
	case !r.duty.Reduces:
		return "the chunk is no sum"
	case r.want[u/64]>>(u%64)&1 == 0:
		return "it contributes nothing to the sum"
	case part == collective.OwnPart:
		return ""
	case r.mixed[u] == r.epoch:
		return "what was copied to it or has replaced its value is not apart from its own"
	}
	if side, _ := part.Side(); side > 0 {
		if slices.ContainsFunc(r.sideSet(side, u), func(has uint64) bool { return has != 0 }) {
			return ""
		}
		return fmt.Sprintf("it has added nothing to side sum %d", side)
	}
	for w, has := range r.set(u) {
		if w == u/64 {
			has &^= 1 << (u % 64)
		}
		if has != 0 {
			return ""
		}
	}
	return "it has received nothing of it"
}

// readPart appends a node's value of the chunk, or a part of it.
func (r *dataRun) readPart(u int, part collective.Part) {
	first := len(r.read)
	r.read = append(r.read, r.set(u)...)
	value, own := r.read[first:], uint64(1)<<(u%64)
	switch side, with := part.Side(); {
	case side > 0:
		copy(value, r.sideSet(side, u))
		if with {
			value[u/64] |= own
		}
	case part == collective.OwnPart:
		clear(value)
		value[u/64] = own
	case part == collective.ReceivedPart:
		value[u/64] &^= own
	}
}

func (r *dataRun) violation(e *event, kind violationKind, format string, args ...any) violation {
	m := &r.moves[e.by]
	text := where(int(m.stage), int(m.in), int(m.at)) + ": " + fmt.Sprintf(format, args...)
	return violation{kind: kind, step: m.step, at: m.at, text: text}
}

// end checks, after the chunk's events, what the operation promises for it.
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
		return r.violation(r.lossy, wrongResult, "the copy to node %d destroys contributions to chunk %d; %s", r.lossy.dst, chunk, wrong), false
	}
	for i := len(events) - 1; i >= 0; i-- {
		if int(events[i].dst) == u {
			return r.violation(&events[i], wrongResult, "after this, the last to node %d, %s", u, wrong), false
		}
	}
	if len(events) > 0 {
		last := &events[len(events)-1]
		return r.violation(last, wrongResult, "after this, the last of chunk %d, %s", chunk, wrong), false
	}
	return violation{kind: wrongResult, text: wrong + ": nobody sends it"}, false
}

// lacking returns a node whose contribution is missing from the value of u, or -1.
func (r *dataRun) lacking(u int) int {
	if !r.duty.Reduces || !r.has(u) {
		return -1
	}
	for w, has := range r.set(u) {
		if lacks := r.want[w] &^ has; lacks != 0 {
			return w*64 + bits.TrailingZeros64(lacks)
		}
	}
	return -1
}
