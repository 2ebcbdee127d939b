package iteration

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/units"
)

// FastestOf finds fast courses of a program for several delays, in ascending order. It searches
// for courses that do not depend on the delay with the repertoires of the shortest delay, the
// longest and one between them, and offers each course for all delays. Then it searches for
// courses for every single delay, as Fastest does. The memory, if not nil, saves repeating
// earlier decisions for the program.
func FastestOf(ctx context.Context, p *Program, repertoires []*Repertoire, policy string, memory *Memory) ([]*Plan, error) {
	c := &column{of: repertoires}
	plans := make([]*Plan, len(repertoires))
	for i, r := range repertoires {
		c.best = append(c.best, &found{})
		var err error
		if plans[i], err = newSearch(p, r).compared(ctx, c.best[i], policy); err != nil {
			return nil, err
		}
	}
	if policy == Best {
		seen := map[string]bool{}
		for _, i := range []int{0, len(repertoires) / 2, len(repertoires) - 1} {
			if key := repertoires[i].timed(); !seen[key] {
				seen[key] = true
				s := newSearch(p, repertoires[i])
				s.known = memory.recall(s)
				if err := c.look(ctx, s); err != nil {
					return nil, err
				}
			}
		}
		for i, r := range repertoires {
			if err := newSearch(p, r).lookHere(ctx, c.best[i]); err != nil {
				return nil, err
			}
		}
	}
	for i, r := range repertoires {
		plans[i].choose(c.best[i], p, r)
	}
	return plans, nil
}

// timed returns a key of the offers and their times.
func (r *Repertoire) timed() string {
	key := ""
	for w, names := range r.offerNames() {
		for i, name := range names {
			key += fmt.Sprint(name, r.Offers[w][i].Time)
		}
		key += "."
	}
	return key
}

// circuitNames returns a name for each of the circuits by the ranks that they join. Copies have
// different names.
func (r *Repertoire) circuitNames() []string {
	names, times := make([]string, len(r.Circuits)), map[string]int{}
	for i := range r.Circuits {
		key := r.seatKey(i, nil)
		names[i] = fmt.Sprint(key, " ", times[key])
		times[key]++
	}
	return names
}

// offerNames returns, by work, a name for each offer by its circuits, and by whether it changes
// them.
func (r *Repertoire) offerNames() [][]string {
	circuits := r.circuitNames()
	name := func(i int) string {
		if i == NoCircuits {
			return ""
		}
		return circuits[i]
	}
	names := make([][]string, len(r.Offers))
	for w, offers := range r.Offers {
		for i := range offers {
			o := &offers[i]
			names[w] = append(names[w], fmt.Sprint(name(o.First), ">", name(o.Last), o.Changes > 0))
		}
	}
	return names
}

// column is repertoires by ascending delay, with the best course known for each.
type column struct {
	of   []*Repertoire
	best []*found
	to   []*renamed // names of the searched repertoire in this one
	seen map[courseKey]bool
}

// renamed maps the circuits and offers of one repertoire to those of another; -1 if they do not
// exist there.
type renamed struct {
	circuits []int
	offers   [][]int // by work
}

// rename matches the circuits and offers of one repertoire with those of another.
func rename(from, to *Repertoire) *renamed {
	match := func(from, to []string) []int {
		at := map[string]int{}
		for i, name := range to {
			at[name] = i
		}
		list := make([]int, len(from))
		for i, name := range from {
			k, ok := at[name]
			if !ok {
				k = -1
			}
			list[i] = k
		}
		return list
	}
	m := &renamed{circuits: match(from.circuitNames(), to.circuitNames())}
	names := to.offerNames()
	for w, own := range from.offerNames() {
		m.offers = append(m.offers, match(own, names[w]))
	}
	return m
}

// course translates a course to the other repertoire; nil if it needs something that does not
// exist there.
func (m *renamed) course(c *Course, p *Program, circuits int) *Course {
	out := &Course{Policy: c.Policy, Ahead: c.Ahead, Initial: make([][]Lane, circuits), Moves: make([]Move, len(c.Moves))}
	for i, lanes := range c.Initial {
		if lanes == nil {
			continue
		}
		if m.circuits[i] < 0 {
			return nil
		}
		out.Initial[m.circuits[i]] = lanes
	}
	for i, move := range c.Moves {
		if move.Offer = m.offers[p.Jobs[move.Job].Work][move.Offer]; move.Offer < 0 {
			return nil
		}
		out.Moves[i] = move
	}
	return out
}

// look tries everything that does not depend on the delay, without and then with copies of
// circuits.
func (c *column) look(ctx context.Context, s *search) error {
	c.to, c.seen = nil, map[courseKey]bool{}
	c.to = append(c.to, each.Of(c.of, func(r *Repertoire) *renamed { return rename(s.of, r) })...)
	s.also = c
	for s != nil {
		left := maxJobs / max(1, len(s.program.Jobs))
		if err := s.climb(ctx, nil); err != nil {
			return err
		}
		if err := s.descend(ctx, nil, &left); err != nil {
			return err
		}
		if s.copies {
			return nil
		}
		s = s.copied()
	}
	return nil
}

// lookHere tries what depends on the delay, without and then with copies of circuits.
func (s *search) lookHere(ctx context.Context, best *found) error {
	for s != nil {
		left := maxJobs / max(1, len(s.program.Jobs))
		if err := s.here(ctx, best, &left); err != nil {
			return err
		}
		if s.copies {
			return nil
		}
		s = s.copied()
	}
	return nil
}

// offer offers a course for all delays. It takes longer for longer delays, so it is skipped for
// a delay if its time for a shorter one is already too long.
func (c *column) offer(p *Program, course *Course) {
	key := keyOf(course.Moves, course.Initial)
	if c.seen[key] {
		return
	}
	c.seen[key] = true
	// time offers the course for one delay, and returns its time there, or that for a shorter one.
	time := func(i int, least units.Time) units.Time {
		here := c.to[i].course(course, p, len(c.of[i].Circuits))
		if here == nil {
			return least
		}
		t := here.length(p, c.of[i])
		c.best[i].offer(here, t)
		return t
	}
	var between func(from, to int, least units.Time)
	between = func(from, to int, least units.Time) {
		for from < to && !c.best[from].beats(least) {
			from++ // the best courses are faster already
		}
		for to > from && !c.best[to-1].beats(least) {
			to--
		}
		if from >= to {
			return
		}
		mid := (from + to) / 2
		at := time(mid, least)
		between(from, mid, least)
		between(mid+1, to, at)
	}
	between(1, len(c.of), time(0, 0))
}

// beats reports whether a course with the given time would be the best.
func (f *found) beats(time units.Time) bool { return f.course == nil || time < f.time }

// Memory holds what dispatchers have decided for one program. Repertoires for other delays, or
// for other numbers of ports, have many offers in common. If a dispatcher considers the same
// offers, it decides the same. It is safe for concurrent use.
type Memory struct {
	mutex   sync.Mutex
	ids     map[string]int // of circuits and offers, by all that dispatchers know about them
	decided map[string][]*decided
	courses map[courseKey]*outline
}

// NewMemory returns an empty memory.
func NewMemory() *Memory {
	return &Memory{ids: map[string]int{}, decided: map[string][]*decided{}, courses: map[courseKey]*outline{}}
}

// decided is a decision of a dispatcher, with what it depended on.
type decided struct {
	offers  [][]seen     // by work: the offers that it considered, fastest first
	reach   []units.Time // by work: it would have considered further offers with at most this time
	course  *outline
	time    units.Time
	changes int
}

// seen is an offer, and its place among the considered offers in the order of all offers of its
// work.
type seen struct{ id, after int }

// outline is a course independent of the numbers of circuits and offers.
type outline struct {
	moves   []Move // offers are numbered among those considered
	initial []initial
}

// initial says which circuits are up before an iteration.
type initial struct {
	id    int
	lanes []Lane
}

// courseKey distinguishes courses of one repertoire.
type courseKey [sha256.Size]byte

func keyOf(moves []Move, up [][]Lane) courseKey {
	var text []byte
	add := func(n int) { text = binary.AppendVarint(text, int64(n)) }
	lanes := func(list []Lane) {
		add(len(list))
		for _, l := range list {
			add(l.Line)
			add(l.Lane)
		}
	}
	for i := range moves {
		add(moves[i].Job)
		add(moves[i].Offer)
		if moves[i].Take == nil {
			add(-1)
			continue
		}
		lanes(moves[i].Take)
	}
	for i, list := range up {
		if list != nil {
			add(i)
			lanes(list)
		}
	}
	return sha256.Sum256(text)
}

// recall is a memory for one repertoire.
type recall struct {
	*Memory
	circuits []int
	at       map[int]int // circuits by ID
	offers   [][]int     // ids, by work
	order    string      // order of jobs that are ready at the same time
}

// recall returns the memory for the repertoire of a search; nil without a memory.
func (m *Memory) recall(s *search) *recall {
	if m == nil {
		return nil
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	r := &recall{Memory: m, at: map[int]int{}}
	for i, name := range s.of.circuitNames() {
		id := m.id(fmt.Sprint("circuits ", name, s.of.Circuits[i].Claims))
		r.circuits, r.at[id] = append(r.circuits, id), i
	}
	name := func(i int) int {
		if i == NoCircuits {
			return NoCircuits
		}
		return r.circuits[i]
	}
	for _, offers := range s.of.Offers {
		ids := make([]int, len(offers))
		for k := range offers {
			o := &offers[k]
			ids[k] = m.id(fmt.Sprint("offer ", name(o.First), name(o.Last), math.Float64bits(float64(o.Time)), o.Changes, o.Uses, o.Islands, o.Ports))
		}
		r.offers = append(r.offers, ids)
	}
	r.order = orderOf(s.tails)
	return r
}

func (m *Memory) id(text string) int {
	id, ok := m.ids[text]
	if !ok {
		id = len(m.ids)
		m.ids[text] = id
	}
	return id
}

// orderOf returns a key of the order of some times.
func orderOf(times []units.Time) string {
	sorted := arithmetic.UpTo(len(times))
	slices.SortStableFunc(sorted, func(a, b int) int { return cmp.Compare(times[a], times[b]) })
	var text []byte
	for i, k := range sorted {
		equal := int64(0)
		if i > 0 && times[sorted[i-1]] == times[k] {
			equal = 1
		}
		text = binary.AppendVarint(binary.AppendVarint(text, int64(k)), equal)
	}
	sum := sha256.Sum256(text)
	return string(sum[:])
}

// key is everything that a dispatcher's decision depends on, except offers and circuits.
func (r *recall) key(d *dispatcher) string {
	of, lines := d.of, &d.of.Lines
	lanes := each.Of(lines.Banks, func(b Bank) int { return len(b) })
	return fmt.Sprint(r.order, math.Float64bits(float64(of.Delay)), of.Cold, of.Classes, lines.Classes, lines.Duplex, lines.Aligned, lanes,
		d.rule.policy, d.rule.ahead, d.rule.patience, d.rule.soonest)
}

// seen lists the first count offers of a work, fastest first.
func (r *recall) seen(d *dispatcher, work, count int) []seen {
	list := make([]seen, count)
	for i, k := range d.bySpeed[work][:count] {
		list[i].id = r.offers[work][k]
		for _, other := range d.bySpeed[work][:count] {
			if other < k {
				list[i].after++
			}
		}
	}
	return list
}

// find returns what a dispatcher would decide, if that is known.
func (r *recall) find(d *dispatcher) (dispatched, bool) {
	if r == nil {
		return dispatched{}, false
	}
	r.mutex.Lock()
	list := r.decided[r.key(d)]
	r.mutex.Unlock()
	for _, before := range list {
		if r.same(d, before) {
			return r.course(d, before)
		}
	}
	return dispatched{}, false
}

// same reports whether a dispatcher would consider the same offers: all others take longer than
// it would accept.
func (r *recall) same(d *dispatcher, before *decided) bool {
	for w, offers := range before.offers {
		all := d.bySpeed[w]
		if len(all) < len(offers) {
			return false
		}
		if len(all) > len(offers) && d.of.Offers[w][all[len(offers)]].Time <= before.reach[w]*(1+1e-6)+1e-3 {
			return false
		}
		for i := range offers {
			if r.offers[w][all[i]] != offers[i].id {
				return false
			}
		}
		if !slices.Equal(r.seen(d, w, len(offers)), offers) {
			return false
		}
	}
	return true
}

// course translates a decision to the names of this repertoire.
func (r *recall) course(d *dispatcher, of *decided) (dispatched, bool) {
	c := &Course{Policy: d.rule.policy, Ahead: d.rule.ahead, Initial: make([][]Lane, len(d.of.Circuits)), Moves: slices.Clone(of.course.moves)}
	for i := range c.Moves {
		m := &c.Moves[i]
		m.Offer = d.bySpeed[d.program.Jobs[m.Job].Work][m.Offer]
	}
	for _, up := range of.course.initial {
		i, ok := r.at[up.id]
		if !ok {
			return dispatched{}, false
		}
		c.Initial[i] = up.lanes
	}
	return dispatched{c, of.time, of.changes}, true
}

// keep remembers a decision of a dispatcher.
func (r *recall) keep(d *dispatcher, made dispatched) {
	if r == nil {
		return
	}
	k := &decided{reach: d.reach, time: made.time, changes: made.changes}
	at := make([]map[int]int, len(d.bySpeed))
	for w := range d.bySpeed {
		k.offers = append(k.offers, r.seen(d, w, d.looked[w]))
		at[w] = map[int]int{}
		for i, offer := range d.bySpeed[w][:d.looked[w]] {
			at[w][offer] = i
		}
	}
	o := &outline{moves: slices.Clone(made.course.Moves)}
	for i := range o.moves {
		m := &o.moves[i]
		m.Offer = at[d.program.Jobs[m.Job].Work][m.Offer]
	}
	for i, lanes := range made.course.Initial {
		if lanes != nil {
			o.initial = append(o.initial, initial{r.circuits[i], lanes})
		}
	}
	slices.SortFunc(o.initial, func(a, b initial) int { return cmp.Compare(a.id, b.id) })
	r.mutex.Lock()
	defer r.mutex.Unlock()
	byID := make([][]Lane, len(r.ids))
	for _, i := range o.initial {
		byID[i.id] = i.lanes
	}
	name := keyOf(o.moves, byID)
	if same, ok := r.courses[name]; ok {
		o = same
	}
	r.courses[name], k.course = o, o
	key := r.key(d)
	r.decided[key] = append(r.decided[key], k)
}
