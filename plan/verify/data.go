package verify

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
)

// dataReport is the result of running the plan on data.
type dataReport struct {
	missing, counted, result error
}

// event is one chunk of one transfer. There are very many of them.
type event struct {
	chunk    int32 // relative to the first of the chunks that are run together
	src, dst int32
	by       int32 // the number of the move
}

// maxEvents bounds the events of chunks that stand for others. They are listed once for each
// batch of chunks, and a few bytes of a file can stand for very many.
const maxEvents = 1 << 26

// eventsAtOnce is the size of a batch if chunks can be run one by one: some megabytes.
// homesAtOnce is the size at which finding a batch's events takes as long as running them.
const (
	eventsAtOnce = 1 << 19
	homesAtOnce  = 1 << 24
)

// maxChunksAtOnce is how many chunks an event can distinguish.
const maxChunksAtOnce = math.MaxInt32

// checkData runs the plan on data. The value of a chunk at a node is the set of nodes whose
// contributions are in it. Chunks do not influence one another, so they are run one by one:
// memory is one set per node and the events of some chunks; time is linear in the transfers
// (times n/64 for the sets of a reduction). If all steps share a group of symmetries, one chunk
// of each orbit stands for the others (homed). Among identical neighbours the first stands for
// all. Chunks for which counting is enough are not run at all.
func checkData(ctx context.Context, p *plan.Plan) (dataReport, error) {
	return runData(ctx, p, eventsAtOnce)
}

// runData is checkData with at most the given number of events at once, unless a single chunk
// has more.
func runData(ctx context.Context, p *plan.Plan, most int) (dataReport, error) {
	f := &follower{run: newDataRun(p)}
	total := p.Collective.Space.Chunks()
	group, shared := sharedGroup(p)
	if shared && homesBelow(group, &p.Collective.Space) > maxChunksAtOnce {
		group, shared = topology.Translations{}, false
	}
	var alike spans
	var err error
	if f.run.moves, err = moves(ctx, p, group); err != nil {
		return dataReport{}, err
	}
	if shared {
		var home *homes
		if home, err = homed(ctx, p, group, f.run.moves); err != nil {
			return dataReport{}, err
		}
		if home == nil {
			err := f.followHomes(ctx, p, group, most*(homesAtOnce/eventsAtOnce))
			return f.report(), err
		}
		f.run.moves, f.run.number = home.moves, home.chunk
		alike, err = home.spans(ctx, p.Collective.Op)
	} else {
		alike, err = newSpans(ctx, p.Collective.Op, &p.Collective.Space, f.run.moves, total)
	}
	if err != nil {
		return dataReport{}, err
	}
	if t := newTally(ctx, p, f.run.moves, alike); t != nil && t.pays(total) {
		if alike, err = t.unknown(ctx, total); err != nil {
			return dataReport{}, err
		}
		if alike.from(0, 1, total) >= total {
			return dataReport{}, nil
		}
	}
	err = f.followSpans(ctx, alike, total, most)
	return f.report(), err
}

// follower runs chunks and records violations.
type follower struct {
	run *dataRun
	// first is the earliest violation of each kind; it is the cause, and others follow from it.
	first [violationKinds]*violation
	// unsent says that some chunk is never sent. There may be very many of those, so from then on
	// only chunks that are sent are checked.
	unsent bool
}

// follow runs the given chunks, which ascend from low, with all their events.
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
			f.first[v.kind] = new(violation)
			*f.first[v.kind] = v
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

// followSpans runs the chunks that stand for identical neighbours, in batches of at most the
// given number of events, unless a single chunk has more.
func (f *follower) followSpans(ctx context.Context, alike spans, total, most int) error {
	moves := f.run.moves
	perChunk, err := eventsPerChunk(ctx, moves, alike, total)
	if err != nil {
		return err
	}
	ascent := newAscent(moves, alike)
	for low := 0; low < total; {
		high, count := min(total, low+maxChunksAtOnce), 0
		if perChunk != nil {
			high = low + 1
			for count = int(perChunk[low]); high < total && count+int(perChunk[high]) <= most; high++ {
				count += int(perChunk[high])
			}
		} else {
			for count = countEvents(moves, alike, low, high); high-low > 1 && count > most; count = countEvents(moves, alike, low, high) {
				high = low + (high-low)/2
			}
		}
		list, err := ascent.events(ctx, low, high, count)
		if err != nil {
			return err
		}
		if err := f.follow(ctx, list, low, alike.in(low, high)); err != nil {
			return err
		}
		low = high
	}
	return nil
}

// followHomes runs the chunks that stand for their orbits under a group, in batches of at most
// the given number of events, unless a single chunk has more.
func (f *follower) followHomes(ctx context.Context, p *plan.Plan, group topology.Translations, most int) error {
	total := homesBelow(group, &p.Collective.Space)
	all := countEvents(f.run.moves, spans{}, 0, p.Collective.Space.Chunks())
	if all <= most {
		list := make([]event, 0, all)
		if err := homeEvents(ctx, p, f.run.moves, group, func(e event) { list = append(list, e) }); err != nil {
			return err
		}
		return f.follow(ctx, list, 0, representatives(group, p.Collective.Space))
	}
	perChunk := make([]int32, total)
	err := homeEvents(ctx, p, f.run.moves, group, func(e event) { perChunk[e.chunk]++ })
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
		err := homeEvents(ctx, p, f.run.moves, group, func(e event) {
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

// byChunk sorts events by chunk and keeps the order of steps within a chunk. The chunks of a
// batch are mostly close together; a counting sort then takes linear time.
func byChunk(events []event) []event {
	if len(events) == 0 {
		return events
	}
	low, high := events[0].chunk, events[0].chunk
	for i := range events {
		low, high = min(low, events[i].chunk), max(high, events[i].chunk)
	}
	const sparse = 4 // numbers per event up to which counting pays
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

// move is a transfer with its place in the plan. There can be millions, so moves share the
// plan's transfers, which must not be changed.
type move struct {
	*collective.Transfer
	step      int32 // through the whole plan, from 0
	at        int32 // number of the transfer within its step
	stage, in int32 // where the step is, for messages
}

// movesAtOnce is how many moves are made between two checks of the context.
const movesAtOnce = 4096

// moves lists the transfers of the plan that stand for all others under a group that is
// contained in the groups of all steps; with the trivial group it lists all transfers.
func moves(ctx context.Context, p *plan.Plan, group topology.Translations) ([]move, error) {
	total := 0
	for _, step := range p.Steps() {
		total += step.Len() / group.Order()
	}
	list := make([]move, 0, total)
	count := int32(0)
	for i := range p.Stages {
		for j := range p.Stages[i].Steps {
			step := &p.Stages[i].Steps[j]
			add := func(t *collective.Transfer, at int) {
				list = append(list, move{t, count, int32(at), int32(i), int32(j)})
			}
			if step.Group.Order() > group.Order() {
				images, err := imagesOf(ctx, p, step, group)
				if err != nil {
					return nil, err
				}
				for at := range images {
					add(&images[at], at)
				}
			} else {
				for at := range step.Base {
					add(&step.Base[at].Transfer, at)
				}
			}
			count++
		}
	}
	return list, ctx.Err()
}

// imagesOf lists the transfers of a step that stand for the others under a subgroup of its
// group.
func imagesOf(ctx context.Context, p *plan.Plan, step *plan.Step, part topology.Translations) ([]collective.Transfer, error) {
	unrouted := step.Unrouted()
	images := make([]collective.Transfer, 0, step.Len()/part.Order())
	if part.Trivial() {
		for t := range unrouted.All(p.Collective.Space) {
			if len(images)%movesAtOnce == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			images = append(images, t)
		}
		return images, nil
	}
	for _, k := range step.Group.Cosets(part) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, t := range unrouted.Base {
			t.Src, t.Dst = step.Group.Apply(k, t.Src), step.Group.Apply(k, t.Dst)
			t.Chunks = p.Collective.Space.Translate(step.Group, k, t.Chunks)
			images = append(images, t)
		}
	}
	return images, nil
}

// clipped returns the first chunk of a run that is at least low, and an exclusive upper limit
// on its chunks that is at most high.
func clipped(r collective.Run, low, high int) (first, end int) {
	first = r.First
	if first < low {
		first += arithmetic.CeilDiv(low-first, r.Stride) * r.Stride
	}
	return first, min(r.Last()+1, high)
}

// maxCounted is the largest number of chunks for which events are counted chunk by chunk.
const maxCounted = 1 << 20

// eventsPerChunk counts the events of every chunk that stands for a span; nil if there are too
// many chunks.
func eventsPerChunk(ctx context.Context, moves []move, alike spans, total int) ([]int32, error) {
	if total > maxCounted {
		return nil, nil
	}
	count := make([]int32, total)
	more := make([]int32, total+1) // by chunk: runs of neighbours that begin there, less those ended
	for i := range moves {
		if i%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		for _, r := range moves[i].Chunks {
			first, end := clipped(r, 0, total) // another check reports chunks beyond total
			if r.Stride == 1 && first < end {
				more[first]++
				more[end]--
				continue
			}
			for c := alike.from(first, r.Stride, end); c < end; c = alike.from(c+r.Stride, r.Stride, end) {
				count[c]++
			}
		}
	}
	open := int32(0)
	for c := range count {
		if open += more[c]; alike.from(c, 1, c+1) == c {
			count[c] += open
		}
	}
	return count, nil
}

// countEvents returns the number of events of the chunks low..high-1 that stand for a span; an
// upper bound if some runs have gaps.
func countEvents(moves []move, alike spans, low, high int) int {
	count := 0
	for i := range moves {
		for _, r := range moves[i].Chunks {
			first, end := clipped(r, low, high)
			switch {
			case first >= end:
			case r.Stride == 1:
				count += alike.count(first, end)
			default:
				count += (end-1-first)/r.Stride + 1
			}
		}
	}
	return count
}

// homeEvents yields the events of the chunks that stand for their orbits under a group: every
// transfer is moved so that it concerns the representative of its chunk's orbit.
func homeEvents(ctx context.Context, p *plan.Plan, moves []move, group topology.Translations, yield func(event)) error {
	space := &p.Collective.Space
	for i := range moves {
		if err := ctx.Err(); err != nil {
			return err
		}
		m := &moves[i]
		for _, r := range m.Chunks {
			// Another check reports chunks beyond the space.
			for c, end := clipped(r, 0, space.Chunks()); c < end; c += r.Stride {
				k := group.Inverse(space.Home(group, c))
				yield(event{
					chunk: int32(space.Move(group, k, c)), src: int32(group.Apply(k, m.Src)), dst: int32(group.Apply(k, m.Dst)), by: int32(i),
				})
			}
		}
	}
	return nil
}

// representatives yields the chunks that stand for their orbits, in ascending order: those
// whose first node represents its orbit.
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

// homesBelow returns an upper limit, exclusive, on the chunks that stand for their orbits. For
// chunks of pairs these are few and low if all nodes look the same, even if there are more
// chunks than an event can distinguish.
func homesBelow(group topology.Translations, space *collective.Space) int {
	chunks := space.Chunks()
	if space.Kind == collective.Sections {
		return chunks
	}
	last := 0 // last node that stands for others
	for i, s := range group.Stride {
		last = last*group.Dims[i] + s - 1
	}
	return chunks / space.Nodes * (last + 1)
}

// sharedGroup returns the intersection of the groups of all steps, if the meaning of the chunks
// is invariant under it. It is known only for groups with the same sides.
func sharedGroup(p *plan.Plan) (topology.Translations, bool) {
	group := p.Stages[0].Steps[0].Group
	if group.Trivial() || !p.Collective.Space.Follows(p.Collective.Op) {
		return topology.Translations{}, false
	}
	group.Stride = slices.Clone(group.Stride)
	for _, step := range p.Steps() {
		if !slices.Equal(step.Group.Dims, group.Dims) {
			return topology.Translations{}, false
		}
		for i, s := range step.Group.Stride {
			group.Stride[i] = arithmetic.LCM(group.Stride[i], s)
		}
	}
	if group.Trivial() {
		return topology.Translations{}, false
	}
	return group, true
}
