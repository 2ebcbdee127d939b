package iteration

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/units"
)

// rule says how a dispatcher decides.
type rule struct {
	policy string
	// offers lists the offers of each work that it may choose.
	offers [][]int
	ahead  bool // ports are rewired as soon as they are free
	// patience is how much later, in delays, an offer may end if it takes down no circuits that
	// are needed again.
	patience float64
	// soonest takes the lanes that are free first, instead of those that are needed last.
	soonest bool
}

// dispatcher decides job by job, in the order in which jobs become ready.
type dispatcher struct {
	program *Program
	of      *Repertoire
	rule    *rule
	tails   []units.Time // least time left from each job on
	// uses are the times at which circuits were used in the previous iteration, ascending; nil:
	// there was none.
	uses [][]units.Time
	*occupancy
	lastUse        []units.Time // by circuits
	length         units.Time   // of the previous iteration
	bySpeed        [][]int      // the rule's offers by work, fastest first
	communications int
	// looked is how many offers of each work were considered, fastest first. reach is the time
	// from which on the next one would not be considered.
	looked []int
	reach  []units.Time
	scratch
}

// scratch is working memory that decisions, or rounds, reuse.
type scratch struct {
	took, best []Lane
	candidates []candidate
	ranked     [][]candidate // by line
	rankedAs   []int         // by line: the decision for which ranked holds
	together   []Claim
	asked      int          // number of decisions so far
	asOf       []int        // by circuits: the decision for which next holds
	next       []units.Time // by circuits: when they are needed next

	slab          []Lane // memory for the lanes in courses
	moves         []Move
	after         [][]units.Time // uses in this round, by circuits
	before, fresh []bool         // by circuits: used before any setup, set up since the beginning
	queue         queue
	waiting       []int // by job: number of jobs that it waits for
}

// maxRounds is the most iterations that are tried until one begins as it ends.
const maxRounds = 4

// dispatched is a dispatcher's course, and the time of an iteration. There is no course if a
// job has no offer.
type dispatched struct {
	course  *Course
	time    units.Time
	changes int // changes of circuits between works
}

// dispatch decides on a course by a rule.
func dispatch(ctx context.Context, p *Program, r *Repertoire, rule *rule, tails []units.Time) (dispatched, error) {
	for w := range p.Works {
		if len(rule.offers[w]) == 0 {
			return dispatched{}, nil
		}
	}
	return newDispatcher(p, r, rule, tails).decide(ctx)
}

// decide runs consecutive iterations until one begins as it ends.
func (d *dispatcher) decide(ctx context.Context) (dispatched, error) {
	var best dispatched
	initial := make([][]Lane, len(d.of.Circuits))
	for range maxRounds {
		if err := ctx.Err(); err != nil {
			return dispatched{}, err
		}
		made := d.round(initial)
		final := d.state()
		d.length = made.time
		if best.course == nil || made.time < best.time || made.time == best.time && made.changes < best.changes {
			best, d.moves = made, nil
		}
		if slices.EqualFunc(initial, final, slices.Equal) {
			break
		}
		if !d.of.Cold {
			initial = final
		}
	}
	return best, nil
}

func newDispatcher(p *Program, r *Repertoire, rule *rule, tails []units.Time) *dispatcher {
	d := &dispatcher{program: p, of: r, rule: rule, tails: tails, bySpeed: make([][]int, len(p.Works))}
	circuits := len(r.Circuits)
	d.asOf, d.next, d.lastUse = make([]int, circuits), make([]units.Time, circuits), make([]units.Time, circuits)
	d.before, d.fresh = make([]bool, circuits), make([]bool, circuits)
	d.waiting = make([]int, len(p.Jobs))
	for j := range p.Jobs {
		if p.Jobs[j].Work != Computes {
			d.communications++
		}
	}
	d.looked, d.reach = make([]int, len(p.Works)), make([]units.Time, len(p.Works))
	d.queue = queue{tails: tails, ready: make([]units.Time, len(p.Jobs))}
	for w, list := range rule.offers {
		d.bySpeed[w] = slices.Clone(list)
		slices.SortStableFunc(d.bySpeed[w], func(a, b int) int { return cmp.Compare(r.Offers[w][a].Time, r.Offers[w][b].Time) })
	}
	return d
}

// open sets circuits up before a round, in which nothing is done yet.
func (d *dispatcher) open(initial [][]Lane) {
	d.occupancy = newOccupancy(d.of)
	for i, lanes := range initial {
		if lanes != nil {
			d.sit(i, lanes)
		}
	}
	if d.after == nil {
		d.after = make([][]units.Time, len(d.of.Circuits))
	}
	for i := range d.after {
		d.after[i], d.lastUse[i] = d.after[i][:0], never
	}
	clear(d.before)
	clear(d.fresh)
	clear(d.queue.ready)
	d.queue.jobs = d.queue.jobs[:0]
	if d.moves == nil {
		d.moves = make([]Move, 0, d.communications)
	}
	for j := range d.program.Jobs {
		d.waiting[j] = len(d.program.Jobs[j].After)
		if d.waiting[j] == 0 {
			d.queue.jobs = append(d.queue.jobs, j)
		}
	}
	d.queue.order()
}

// round decides for an iteration that begins with the given circuits.
func (d *dispatcher) round(initial [][]Lane) dispatched {
	p, r := d.program, d.of
	d.open(initial)
	c := &Course{Policy: d.rule.policy, Ahead: d.rule.ahead, Initial: slices.Clone(initial), Moves: d.moves[:0]}
	t := &Timetable{}
	q, after, ready := &d.queue, p.followers(), d.queue.ready
	changes := 0
	for len(q.jobs) > 0 {
		j := q.pop()
		job := &p.Jobs[j]
		end := ready[j] + job.Compute
		if job.Work != Computes {
			m := d.choose(j, ready[j])
			o := &r.Offers[job.Work][m.Offer]
			start, set := d.begin(o, ready[j], m.Take, d.rule.ahead)
			end = start + o.Time
			d.do(o, m.Take, set, span{start, end})
			c.Moves = append(c.Moves, m)
			if m.Take != nil {
				changes++
			}
			d.use(o, m.Take != nil, start)
		}
		t.Iteration = max(t.Iteration, end)
		for _, next := range after[j] {
			ready[next] = max(ready[next], end)
			if d.waiting[next]--; d.waiting[next] == 0 {
				q.push(next)
			}
		}
	}
	for i := range c.Initial {
		if !d.before[i] {
			c.Initial[i] = nil
		}
	}
	for _, u := range d.after {
		slices.Sort(u)
	}
	d.uses, d.after = d.after, d.uses
	d.moves = c.Moves
	c.close(d.occupancy, t)
	return dispatched{c, t.Iteration, changes + len(t.Changes)}
}

// use records that an offer begins to use its circuits, which may have been set up for it.
func (d *dispatcher) use(o *Offer, set bool, start units.Time) {
	if o.First == NoCircuits {
		return
	}
	d.after[o.First] = append(d.after[o.First], start)
	d.lastUse[o.First], d.lastUse[o.Last] = start, start
	d.fresh[o.First] = d.fresh[o.First] || set
	d.before[o.First] = d.before[o.First] || !d.fresh[o.First]
	d.fresh[o.Last] = true
}

// choose decides how a job communicates: by what ends first, then by fewer ports. It skips
// offers whose time, from when the job is ready, exceeds the best so far.
func (d *dispatcher) choose(j int, ready units.Time) Move {
	w := d.program.Jobs[j].Work
	best, has := Move{Job: j, Offer: -1}, false
	least, fewest := units.Time(math.Inf(1)), 0
	d.asked++
	looked := 0
	for _, k := range d.bySpeed[w] {
		o := &d.of.Offers[w][k]
		if ready+o.Time > least {
			break
		}
		looked++
		var take []Lane
		lost := 0
		if o.First != NoCircuits && !d.up(o.First) {
			take, lost = d.take(o.First, ready)
		}
		start, _ := d.begin(o, ready, take, d.rule.ahead)
		end := start + o.Time + units.Time(d.rule.patience*float64(lost))*d.of.Delay
		if end < least || end == least && (o.Ports < fewest || o.Ports == fewest && k < best.Offer) {
			best.Offer, least, fewest = k, end, o.Ports
			d.best, has = append(d.best[:0], take...), take != nil
		}
	}
	if has {
		best.Take = d.kept(d.best)
	}
	d.looked[w], d.reach[w] = max(d.looked[w], looked), max(d.reach[w], least-ready)
	return best
}

// kept returns a copy of lanes.
func (d *dispatcher) kept(lanes []Lane) []Lane {
	if cap(d.slab)-len(d.slab) < len(lanes) {
		d.slab = make([]Lane, 0, max(lanesAtOnce, len(lanes)))
	}
	from := len(d.slab)
	d.slab = append(d.slab, lanes...)
	return d.slab[from:len(d.slab):len(d.slab)]
}

// lanesAtOnce is how many lanes are allocated at once.
const lanesAtOnce = 1024

// take returns the lanes that circuits would take, and how many other circuits up there are
// needed again.
func (d *dispatcher) take(circuits int, now units.Time) ([]Lane, int) {
	d.took = d.took[:0]
	lost := 0
	claims := d.of.Circuits[circuits].Claims
	for i, c := range claims {
		switch {
		case c.Lanes == d.of.Lines.Lanes(c.Line) && d.rule.patience == 0: // all lanes of the line
			for k := range c.Lanes {
				d.took = append(d.took, Lane{c.Line, k})
			}
		case !d.of.Lines.Aligned && d.of.Lines.Lanes(c.Line) == 1: // there is no choice
			d.took = append(d.took, Lane{c.Line, 0})
			if of := d.owner(d.at(Lane{c.Line, 0})); of != NoCircuits && !math.IsInf(float64(d.needed(of, now)), 1) {
				lost++
			}
		case !d.of.Lines.Aligned:
			lost += d.seatAlone(claims[i:i+1], now)
		case !slices.ContainsFunc(claims[:i], func(o Claim) bool { return d.of.Lines.sameBank(o.Line, c.Line) }):
			d.together = d.together[:0]
			for _, o := range claims[i:] {
				if d.of.Lines.sameBank(o.Line, c.Line) {
					d.together = append(d.together, o)
				}
			}
			lost += d.seat(d.together, now)
		}
	}
	return d.took, lost
}

// candidate is a lane, or lanes with the same number, that circuits might take.
type candidate struct {
	lane int
	used bool       // by circuits that are up
	next units.Time // when those are needed
	free units.Time
	lost int // number of circuits that are needed again
}

// seat takes lanes with the same numbers for claims of equal size, and returns how many other
// circuits up there are needed again.
func (d *dispatcher) seat(claims []Claim, now units.Time) int {
	d.rank(claims, now)
	return d.seatOn(claims, d.candidates)
}

// seatAlone is seat for one claim. Within one decision, the lanes of a line are always taken in
// the same order.
func (d *dispatcher) seatAlone(claim []Claim, now units.Time) int {
	if d.ranked == nil {
		d.ranked, d.rankedAs = make([][]candidate, d.of.Lines.Count()), make([]int, d.of.Lines.Count())
	}
	line := claim[0].Line
	if d.rankedAs[line] != d.asked {
		d.rank(claim, now)
		d.ranked[line], d.rankedAs[line] = append(d.ranked[line][:0], d.candidates...), d.asked
	}
	return d.seatOn(claim, d.ranked[line])
}

// rank lists the lanes that claims could take, in the order in which they are taken.
func (d *dispatcher) rank(claims []Claim, now units.Time) {
	d.candidates = d.candidates[:0]
	for i := range d.of.Lines.Lanes(claims[0].Line) {
		s := candidate{lane: i, free: never}
		for _, c := range claims {
			at := d.at(Lane{c.Line, i})
			s.free = max(s.free, at.free)
			of := d.owner(at)
			if of == NoCircuits {
				continue
			}
			next := d.needed(of, now)
			if !s.used || next < s.next {
				s.next = next
			}
			if s.used = true; !math.IsInf(float64(next), 1) {
				s.lost++
			}
		}
		d.candidates = append(d.candidates, s)
	}
	// There are few lanes: insertion sort.
	for i := 1; i < len(d.candidates); i++ {
		for k := i; k > 0 && d.rather(&d.candidates[k], &d.candidates[k-1], now); k-- {
			d.candidates[k], d.candidates[k-1] = d.candidates[k-1], d.candidates[k]
		}
	}
}

// seatOn takes the first of the ranked lanes.
func (d *dispatcher) seatOn(claims []Claim, ranked []candidate) int {
	for _, c := range claims {
		for i := range ranked[:c.Lanes] {
			d.took = append(d.took, Lane{c.Line, ranked[i].lane})
		}
	}
	return each.SumBelow(claims[0].Lanes, func(i int) int { return ranked[i].lost })
}

// rather reports whether one lane is preferred to another: one that is unused, or whose
// circuits are needed last, or that is free first.
func (d *dispatcher) rather(a, b *candidate, now units.Time) bool {
	aFree, bFree := max(a.free, now), max(b.free, now)
	if d.rule.soonest && aFree != bFree {
		return aFree < bFree
	}
	switch {
	case a.used != b.used:
		return b.used
	case a.next != b.next:
		return a.next > b.next
	}
	return aFree < bFree
}

// needed returns when circuits are needed next, cached for one decision.
func (d *dispatcher) needed(circuits int, now units.Time) units.Time {
	if d.asOf[circuits] != d.asked {
		d.asOf[circuits], d.next[circuits] = d.asked, d.nextUse(circuits, now)
	}
	return d.next[circuits]
}

// nextUse returns when circuits are needed next, going by the previous iteration. In the first
// iteration, those used last are assumed to be needed first.
func (d *dispatcher) nextUse(circuits int, now units.Time) units.Time {
	if d.uses == nil {
		return -d.lastUse[circuits]
	}
	u := d.uses[circuits]
	if len(u) == 0 {
		return units.Time(math.Inf(1))
	}
	if i, _ := slices.BinarySearch(u, now); i < len(u) {
		return u[i]
	}
	return d.length + u[0] // in the next iteration
}

// queue is a heap of jobs by when they are ready, then by how much is left after them.
type queue struct {
	jobs         []int
	ready, tails []units.Time
}

// before reports whether a job precedes another.
func (q *queue) before(i, j int) bool {
	if q.ready[i] != q.ready[j] {
		return q.ready[i] < q.ready[j]
	}
	if q.tails[i] != q.tails[j] {
		return q.tails[i] > q.tails[j]
	}
	return i < j
}

// order makes a heap of the jobs.
func (q *queue) order() {
	for i := len(q.jobs)/2 - 1; i >= 0; i-- {
		q.down(i)
	}
}

func (q *queue) down(i int) {
	for {
		least := 2*i + 1
		if least >= len(q.jobs) {
			return
		}
		if other := least + 1; other < len(q.jobs) && q.before(q.jobs[other], q.jobs[least]) {
			least = other
		}
		if !q.before(q.jobs[least], q.jobs[i]) {
			return
		}
		q.jobs[i], q.jobs[least] = q.jobs[least], q.jobs[i]
		i = least
	}
}

func (q *queue) push(j int) {
	q.jobs = append(q.jobs, j)
	for i := len(q.jobs) - 1; i > 0; {
		up := (i - 1) / 2
		if !q.before(q.jobs[i], q.jobs[up]) {
			return
		}
		q.jobs[i], q.jobs[up] = q.jobs[up], q.jobs[i]
		i = up
	}
}

func (q *queue) pop() int {
	first, last := q.jobs[0], len(q.jobs)-1
	q.jobs[0] = q.jobs[last]
	q.jobs = q.jobs[:last]
	q.down(0)
	return first
}
