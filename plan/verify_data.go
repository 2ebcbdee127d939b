package plan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/bits"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/topology"
)

// dataReport is what running the plan on data shows.
type dataReport struct {
	missing, counted, result error
}

// event is one chunk of one transfer. There are very many of them.
type event struct {
	chunk    int32 // from the first of those that are followed at once
	src, dst int32
	by       int32 // the number of the move
}

// maxEvents bounds the events of chunks that stand for others: they are listed once for as
// many as are followed at once, and a few bytes of a file can stand for very many.
const maxEvents = 1 << 26

// eventsAtOnce is how many are followed at once where chunks can be taken one by one: some
// megabytes of them. homesAtOnce is how many where to find them takes as long as to follow
// them.
const (
	eventsAtOnce = 1 << 19
	homesAtOnce  = 1 << 24
)

// maxChunksAtOnce is how many chunks an event can tell apart.
const maxChunksAtOnce = math.MaxInt32

// checkData runs the plan on data. What a node holds of a chunk is the set of nodes
// whose contributions are in it. Chunks do not influence one another, so they are
// run one by one: memory is one set per node and the events of some chunks, time is
// linear in the transfers (times n/64 for the sets of a reduction). Where all steps
// share a group of symmetries, one chunk of each orbit stands for the others.
func (p *Plan) checkData(ctx context.Context) (dataReport, error) {
	return p.runData(ctx, eventsAtOnce)
}

// runData is checkData with at most so many events at once, unless a chunk alone has more.
func (p *Plan) runData(ctx context.Context, most int) (dataReport, error) {
	f := &follower{run: newDataRun(p)}
	total := p.Collective.Space.Chunks()
	if group, shared := p.sharedGroup(); shared && total <= maxChunksAtOnce {
		f.run.moves = p.moves(false)
		err := f.followHomes(ctx, p, group, total, most*(homesAtOnce/eventsAtOnce))
		return f.report(), err
	}
	moves := p.moves(true)
	f.run.moves = moves
	perChunk, err := eventsPerChunk(ctx, moves, total)
	if err != nil {
		return dataReport{}, err
	}
	ascent := newAscent(moves)
	for low := 0; low < total; {
		high, count := min(total, low+maxChunksAtOnce), 0
		if perChunk != nil {
			high = low + 1
			for count = perChunk[low]; high < total && count+perChunk[high] <= most; high++ {
				count += perChunk[high]
			}
		} else {
			for count = countEvents(moves, low, high); high-low > 1 && count > most; count = countEvents(moves, low, high) {
				high = low + (high-low)/2
			}
		}
		list, err := ascent.events(ctx, low, high, count)
		if err != nil {
			return dataReport{}, err
		}
		if err := f.follow(ctx, list, low, numbers(low, high)); err != nil {
			return dataReport{}, err
		}
		low = high
	}
	return f.report(), nil
}

// follower runs chunks and remembers what is wrong.
type follower struct {
	run *dataRun
	// first is the earliest violation of each kind: it is the cause, the others follow
	// from it.
	first [violationKinds]*violation
	// unsent: a chunk that nobody sends was found, which says enough. There may be very
	// many, so from then on only chunks that somebody sends are looked at.
	unsent bool
}

// follow runs the given chunks, which ascend from low on, and all events.
func (f *follower) follow(ctx context.Context, events []event, low int, chunks iter.Seq[int]) error {
	events = byChunk(events)
	take := func(chunk int) {
		end := 0
		for end < len(events) && int(events[end].chunk) == chunk-low {
			end++
		}
		v, ok := f.run.chunk(chunk, events[:end])
		events = events[end:]
		if !ok && (f.first[v.kind] == nil || v.before(f.first[v.kind])) {
			f.first[v.kind] = &v
		}
		f.unsent = f.unsent || !ok && end == 0
	}
	for chunk := range chunks {
		if f.unsent {
			break
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		take(chunk)
	}
	for len(events) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		take(low + int(events[0].chunk))
	}
	return nil
}

// followHomes follows the chunks that stand for all under a group, as many at once as have
// so many events, unless one alone has more.
func (f *follower) followHomes(ctx context.Context, p *Plan, group topology.Translations, total, most int) error {
	all := countEvents(f.run.moves, 0, total)
	if all <= most {
		list := make([]event, 0, all)
		if err := p.homeEvents(ctx, f.run.moves, group, func(e event) { list = append(list, e) }); err != nil {
			return err
		}
		return f.follow(ctx, list, 0, representatives(group, p.Collective.Space))
	}
	perChunk := make([]int32, total)
	err := p.homeEvents(ctx, f.run.moves, group, func(e event) { perChunk[e.chunk]++ })
	if err != nil {
		return err
	}
	next, stop := iter.Pull(representatives(group, p.Collective.Space))
	defer stop()
	chunk, left := next()
	for low := 0; low < total; {
		high, count := low+1, int(perChunk[low])
		for ; high < total && count+int(perChunk[high]) <= most; high++ {
			count += int(perChunk[high])
		}
		list := make([]event, 0, count)
		err := p.homeEvents(ctx, f.run.moves, group, func(e event) {
			if c := int(e.chunk); c >= low && c < high {
				e.chunk -= int32(low)
				list = append(list, e)
			}
		})
		if err != nil {
			return err
		}
		err = f.follow(ctx, list, low, func(yield func(int) bool) {
			for ; left && chunk < high; chunk, left = next() {
				if !yield(chunk) {
					return
				}
			}
		})
		if err != nil {
			return err
		}
		low = high
	}
	return nil
}

// byChunk sorts events, which come in the order of steps, by chunk, keeping that order. The
// chunks that are followed at once are mostly close together: then they are counted, in
// linear time.
func byChunk(events []event) []event {
	if len(events) == 0 {
		return events
	}
	low, high := events[0].chunk, events[0].chunk
	for i := range events {
		low, high = min(low, events[i].chunk), max(high, events[i].chunk)
	}
	const sparse = 4 // numbers per event up to which counting is worth it
	if int(high)-int(low) > sparse*len(events) {
		slices.SortStableFunc(events, func(a, b event) int { return cmp.Compare(a.chunk, b.chunk) })
		return events
	}
	first := make([]int, int(high)-int(low)+2)
	for i := range events {
		first[events[i].chunk-low+1]++
	}
	for c := range first[1:] {
		first[c+1] += first[c]
	}
	sorted := make([]event, len(events))
	for i := range events {
		c := events[i].chunk - low
		sorted[first[c]] = events[i]
		first[c]++
	}
	return sorted
}

func (f *follower) report() dataReport {
	var errs [violationKinds]error
	for kind, v := range f.first {
		if v != nil {
			errs[kind] = errors.New(v.text)
		}
	}
	return dataReport{missing: errs[missingData], counted: errs[wrongCount], result: errs[wrongResult]}
}

// move is a transfer with its place in the plan.
type move struct {
	collective.Transfer
	step      int32 // through the whole plan, from 0
	at        int32 // number of the transfer within its step
	stage, in int32 // the step's place, for messages
}

// moves lists the transfers of the plan: all of them, or those that stand for all.
func (p *Plan) moves(all bool) []move {
	var list []move
	count := int32(0)
	for i := range p.Stages {
		for j := range p.Stages[i].Steps {
			step := &p.Stages[i].Steps[j]
			transfers := slices.Values(step.Base)
			if all {
				transfers = step.All(p.Collective.Space)
			}
			at := int32(0)
			for t := range transfers {
				list = append(list, move{t.Transfer, count, at, int32(i), int32(j)})
				at++
			}
			count++
		}
	}
	return list
}

// clipped returns the first chunk of a run from low on, and the number below which, or below
// high, its chunks are.
func clipped(r collective.Run, low, high int) (first, end int) {
	first = r.First
	if first < low {
		first += (low - first + r.Stride - 1) / r.Stride * r.Stride
	}
	return first, min(r.Last()+1, high)
}

// maxCounted is the number of chunks up to which their events are counted one by one.
const maxCounted = 1 << 20

// eventsPerChunk counts the events of every chunk; nil where there are too many chunks.
func eventsPerChunk(ctx context.Context, moves []move, total int) ([]int, error) {
	if total > maxCounted {
		return nil, nil
	}
	count := make([]int, total)
	for i := range moves {
		if i%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		for _, r := range moves[i].Chunks {
			for c, end := clipped(r, 0, total); c < end; c += r.Stride { // beyond it another check says so
				count[c]++
			}
		}
	}
	return count, nil
}

// countEvents returns how many events there are of the chunks low..high-1.
func countEvents(moves []move, low, high int) int {
	count := 0
	for i := range moves {
		for _, r := range moves[i].Chunks {
			if first, end := clipped(r, low, high); first < end {
				count += (end-1-first)/r.Stride + 1
			}
		}
	}
	return count
}

// homeEvents yields what happens to the chunks that stand for all under a group: every
// transfer is moved so that it concerns the representative of its chunk's orbit.
func (p *Plan) homeEvents(ctx context.Context, moves []move, group topology.Translations, yield func(event)) error {
	space := &p.Collective.Space
	for i := range moves {
		if err := ctx.Err(); err != nil {
			return err
		}
		m := &moves[i]
		for _, r := range m.Chunks {
			for c, end := clipped(r, 0, space.Chunks()); c < end; c += r.Stride { // beyond it another check says so
				k := group.Inverse(space.Home(group, c))
				yield(event{
					chunk: int32(space.Move(group, k, c)), src: int32(group.Apply(k, m.Src)), dst: int32(group.Apply(k, m.Dst)), by: int32(i),
				})
			}
		}
	}
	return nil
}

// numbers yields low..high-1.
func numbers(low, high int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for c := low; c < high; c++ {
			if !yield(c) {
				return
			}
		}
	}
}

// representatives yields the chunks that stand for their orbits, ascending: those
// whose first node is its orbit's representative.
func representatives(group topology.Translations, space collective.Space) iter.Seq[int] {
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
	moves  []move // that events name
	duties func(chunk int) collective.Duty
	duty   collective.Duty // of the chunk under way
	words  int             // per set, the nodes whose contributions a node has
	sets   []uint64        // used by chunks that are reduced
	want   []uint64        // all whose contributions are asked for
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
		r.sets, r.want = make([]uint64, len(r.mark)*r.words), make([]uint64, r.words)
	}
	clear(r.sets)
	clear(r.want)
	for _, u := range r.duty.From {
		r.want[u/64] |= 1 << (u % 64)
		r.set(u)[u/64] |= 1 << (u % 64)
	}
}

// chunk runs the events of one chunk, which ascend by step.
func (r *dataRun) chunk(chunk int, events []event) (violation, bool) {
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
		if r.duty.Reduces {
			r.read = append(r.read, r.set(int(e.src))...)
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
		if !r.duty.Reduces {
			continue
		}
		into := r.set(dst)
		// What is replaced is meant to be lost.
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

func (r *dataRun) violation(e *event, kind violationKind, format string, args ...any) violation {
	m := &r.moves[e.by]
	text := where(int(m.stage), int(m.in), int(m.at)) + ": " + fmt.Sprintf(format, args...)
	return violation{kind: kind, step: m.step, at: m.at, text: text}
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

// lacking returns a node whose contribution is not in what u holds, or -1.
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
