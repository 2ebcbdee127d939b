package lift

import (
	"errors"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/compile/check"
	"github.com/lightpath-net/lightpath/compile/lift/order"
	"github.com/lightpath-net/lightpath/compile/program"
	"github.com/lightpath-net/lightpath/internal/each"
)

// token is what a cell holds: a version of a rank's value of an item, at that rank or on
// its way to another.
type token struct {
	item    program.Item
	version int32   // of the value at the first rank of path
	path    []int32 // ranks from there to where it is
	stage   int32   // in which it was last sent
	own     *token  // its successor, once it has replaced the value of the last rank
	hop     *hop    // that brought it here; nil: it is at home
	// parts, if any, have been summed where they arrived. They wait for the rank's own
	// contribution, or replace it.
	parts []*token
	based bool            // the rank's own contribution is part of the sum, besides parts
	part  collective.Part // of the value
	// sum is what a side sum consists of: transfers to the first rank of path.
	sum []int32
}

// hop is one message of a transfer.
type hop struct {
	before   *hop
	transfer int32 // to which it belongs; -1: none yet
}

// lane is a connection: messages on it keep their order.
type lane struct {
	rank, block, peer int
}

func (t *token) holder() int32 { return t.path[len(t.path)-1] }

// home reports whether the token is its holder's own value.
func (t *token) home() bool { return len(t.path) == 1 }

// arrived returns the token at the next rank of its route. A route that would come back to a
// rank is split in two: the first ends where the token is.
func (f *follower) arrived(t *token, rank int32, on lane) *token {
	if t.own != nil {
		t = t.own
	} else if slices.Contains(t.path, rank) {
		t = f.finish(t, false)
	}
	h := &hop{before: t.hop, transfer: -1}
	if last := f.last[on]; last != nil {
		f.follows = append(f.follows, [2]*hop{last, h})
	}
	f.last[on] = h
	return &token{item: t.item, version: t.version, part: t.part, sum: t.sum, path: append(slices.Clone(t.path), rank), stage: f.stage, hop: h}
}

// transfer is a completed move of an item.
type transfer struct {
	item    program.Item
	path    []int32
	reduce  bool
	replace bool // replaces the value, together with others
	part    collective.Part
	sides   collective.Sides // of the receiver, to which it also adds
	stage   int32
	level   int32
}

// version is one of the values that a rank has of an item, one after the other.
type version struct {
	writer  int32   // transfer; -1: none
	readers []int32 // transfers
}

// follower finds the transfers of programs.
type follower struct {
	layout      program.BufferMap
	mems        [][]*token
	values      map[[2]int32][]version // by rank and item
	transfers   []transfer
	constraints []order.Constraint
	sides       map[[2]int32][][]int32 // by rank and item: what each side sum consists of
	last        map[lane]*hop
	follows     [][2]*hop // messages that arrived one after the other
	stage       int32
	nodes       []int // the GPU of each rank; nil: rank r is GPU r
	// stored says that what a rank has added to its value is no longer in transit. If it is sent
	// on, it is a side sum, even if it came in this stage and alone, and even if it is all that the
	// rank had received by then: more may have arrived in the same step.
	stored bool
}

func newFollower(l program.BufferMap) *follower {
	f := &follower{layout: l, mems: make([][]*token, l.Nodes), values: map[[2]int32][]version{}, sides: map[[2]int32][][]int32{}, last: map[lane]*hop{}}
	for r := range f.mems {
		f.mems[r] = make([]*token, l.Reserved())
		for j := range l.InputChunks(r) {
			item := l.Begins(r, j)
			at := l.Address(r, program.Loc{Buffer: program.Input, Offset: int32(j)})
			f.mems[r][at] = &token{item: item, path: []int32{int32(r)}}
			f.values[[2]int32{int32(r), int32(item)}] = []version{{writer: -1}}
		}
	}
	return f
}

func (f *follower) order(first, then, plus int32) {
	if first >= 0 && first != then {
		f.constraints = append(f.constraints, order.Constraint{First: first, Then: then, Plus: plus})
	}
}

// finish ends a transfer where the token is, and returns the token of the holder's new value.
func (f *follower) finish(t *token, reduce bool) *token {
	if t.own != nil {
		return t.own
	}
	id := int32(len(f.transfers))
	f.transfers = append(f.transfers, transfer{item: t.item, path: t.path, reduce: reduce, part: t.part, stage: t.stage})
	for h := t.hop; h != nil && h.transfer < 0; h = h.before {
		h.transfer = id
	}
	source := f.values[[2]int32{t.path[0], int32(t.item)}]
	at := [2]int32{t.holder(), int32(t.item)}
	versions := f.values[at]
	if !f.layout.Op.Reduces() {
		// Nothing is reduced, so all versions are equal: the data must be there, and must not
		// arrive twice in a step.
		f.order(source[0].writer, id, 1)
		if last := len(versions) - 1; last >= 0 {
			f.order(versions[last].writer, id, 1)
		}
	} else {
		f.reads(t, id)
		if last := len(versions) - 1; last >= 0 {
			f.replace(&versions[last], id, reduce)
		}
	}
	f.values[at] = append(versions, version{writer: id})
	own := &token{item: t.item, version: int32(len(versions)), path: []int32{t.holder()}, stage: t.stage}
	if !reduce {
		t.own = own
	}
	return own
}

// renew ends the transfers of a sum that replaces the rank's value, all in one step, and returns
// the token of the new value.
func (f *follower) renew(sum *token) *token {
	if sum.own != nil {
		return sum.own
	}
	at := [2]int32{sum.parts[0].holder(), int32(sum.item)}
	versions := f.values[at]
	first := int32(len(f.transfers))
	for _, t := range sum.parts {
		id := int32(len(f.transfers))
		f.transfers = append(f.transfers, transfer{item: t.item, path: t.path, replace: true, part: t.part, stage: sum.stage})
		for h := t.hop; h != nil && h.transfer < 0; h = h.before {
			h.transfer = id
		}
		f.reads(t, id)
		if id > first {
			f.order(first, id, 0)
			f.order(id, first, 0)
		}
	}
	if last := len(versions) - 1; last >= 0 {
		f.replace(&versions[last], first, false)
	}
	f.values[at] = append(versions, version{writer: first})
	sum.own = &token{item: sum.item, version: int32(len(versions)), path: []int32{at[0]}, stage: sum.stage}
	return sum.own
}

// reads orders a transfer after the transfer that wrote the version it carries, and no later
// than the one that replaces this version. A rank's own contribution is available at any time:
// if it is sent in a later stage than the one in which the rank's value changed, it is sent as
// the contribution. A side sum is read after everything that belongs to it has arrived.
func (f *follower) reads(t *token, id int32) {
	if t.sum != nil {
		for _, term := range t.sum {
			f.order(term, id, 1)
		}
		return
	}
	source := f.values[[2]int32{t.path[0], int32(t.item)}]
	replaced := int(t.version)+1 < len(source)
	if replaced && t.version == 0 && source[0].writer < 0 && f.transfers[source[1].writer].stage < f.transfers[id].stage {
		f.transfers[id].part = collective.OwnPart
		return
	}
	v := &source[t.version]
	f.order(v.writer, id, 1)
	v.readers = append(v.readers, id)
	if replaced {
		f.order(id, source[t.version+1].writer, 0)
	}
}

// replace orders a transfer after the writer of the version that it overwrites, and no earlier
// than the readers of that version: in a step, reads come before writes. Several transfers may
// be added in one step.
func (f *follower) replace(v *version, id int32, reduce bool) {
	for _, reader := range v.readers {
		f.order(reader, id, 0)
	}
	if v.writer < 0 {
		return
	}
	plus := int32(1)
	if reduce && f.transfers[v.writer].reduce {
		plus = 0
	}
	f.order(v.writer, id, plus)
}

var errSum = fmt.Errorf("%w: it adds two chunks, and neither is the rank's own latest sum; a plan has one sum of a chunk at every GPU, what it received besides its own, and sums of some of that", ErrInexpressible)

// add returns the sum of two tokens at a rank.
func (f *follower) add(rank int32, a, b *token) (*token, error) {
	if b.home() {
		a, b = b, a
	}
	if !a.home() && a.holder() == rank && b.holder() == rank && !(a.based && b.based) {
		return &token{item: a.item, path: a.path, stage: f.stage, parts: append(a.terms(), b.terms()...), based: a.based || b.based}, nil
	}
	latest := int32(len(f.values[[2]int32{rank, int32(a.item)}]) - 1)
	if f.contribution(a, rank) && latest > 0 && !b.based && f.reduced(b, rank) {
		return &token{item: b.item, path: b.path, stage: f.stage, parts: b.terms(), based: true}, nil
	}
	if b.based || !a.home() || a.holder() != rank || a.version != latest || b.home() || b.holder() != rank {
		return nil, errSum
	}
	var own *token
	for _, t := range b.terms() {
		own = f.finish(t, true)
	}
	return own, nil
}

// contribution reports whether a token is the rank's own contribution.
func (f *follower) contribution(t *token, rank int32) bool {
	return t.home() && t.holder() == rank && t.version == 0 && f.values[[2]int32{rank, int32(t.item)}][0].writer < 0
}

// reduced reports whether everything that a token consists of has been added to the rank's value.
func (f *follower) reduced(t *token, rank int32) bool {
	return !t.home() && !slices.ContainsFunc(t.terms(), func(t *token) bool {
		return t.holder() != rank || t.hop == nil || t.hop.transfer < 0 || !f.transfers[t.hop.transfer].reduce ||
			f.transfers[t.hop.transfer].path[len(f.transfers[t.hop.transfer].path)-1] != rank
	})
}

// terms returns the tokens whose sum a token is.
func (t *token) terms() []*token {
	if t.parts == nil {
		return []*token{t}
	}
	return slices.Clone(t.parts)
}

// follow runs the events of one stage.
func (f *follower) follow(g *check.Graph, stage int) error {
	f.stage = int32(stage)
	memory, messages := g.Cells()
	for r := range f.mems {
		for len(f.mems[r]) < memory {
			f.mems[r] = append(f.mems[r], nil)
		}
	}
	f.last = map[lane]*hop{}
	wires := make([]*token, messages)
	for e := range g.Events() {
		for i := range e.Count {
			if err := f.event(&e, i, wires); err != nil {
				return fmt.Errorf("%v: %w", e.Place, err)
			}
		}
	}
	return nil
}

// event moves one chunk.
func (f *follower) event(e *check.Event, i int, wires []*token) error {
	rank := int32(e.Place.Rank)
	sum, err := f.sum(e, i, wires)
	if err != nil {
		return err
	}
	// First targets at this rank, then messages: a message is sent from where the data stays.
	for _, c := range e.Dsts {
		if int32(c.Rank) != rank {
			continue
		}
		if !sum.home() && !f.layout.Op.Reduces() {
			sum = f.finish(sum, false)
		}
		f.mems[rank][c.Address+i] = sum
	}
	for _, c := range e.Dsts {
		if int32(c.Rank) == rank {
			continue
		}
		if apart := f.received(sum, rank); apart != nil {
			sum = apart
		} else if aside := f.aside(sum, rank); aside != nil {
			sum = aside
		}
		if sum.parts != nil {
			if sum.based || !f.stays(e, i, sum) {
				return errSum
			}
			sum = f.renew(sum)
		}
		if !sum.home() && (f.stays(e, i, sum) || sum.stage != f.stage) {
			sum = f.finish(sum, false)
		}
		if c.Rank < 0 {
			wires[c.Address+i] = sum
			continue
		}
		t := f.arrived(sum, int32(c.Rank), lane{e.Place.Rank, e.Place.Block, c.Rank})
		if !f.layout.Op.Reduces() {
			t = f.finish(t, false)
		}
		f.mems[c.Rank][c.Address+i] = t
	}
	return nil
}

// received returns the token of what a rank has received of an item up to some version of its
// value, if a sum is exactly that: everything that was added to the rank's own contribution
// until then, and nothing else. Data that came in this stage and alone may just as well be in
// transit.
func (f *follower) received(sum *token, rank int32) *token {
	if sum.home() || sum.based || !f.layout.Op.Reduces() || f.stored || sum.parts == nil && sum.stage == f.stage {
		return nil
	}
	terms := sum.terms()
	versions := f.values[[2]int32{rank, int32(sum.item)}]
	if len(terms) >= len(versions) {
		return nil
	}
	for _, t := range terms {
		if t.holder() != rank || t.hop == nil || t.hop.transfer < 0 || !slices.ContainsFunc(versions[1:len(terms)+1], func(v version) bool {
			return v.writer == t.hop.transfer && f.transfers[v.writer].reduce
		}) {
			return nil
		}
	}
	return &token{item: sum.item, version: int32(len(terms)), path: []int32{rank}, stage: sum.stage, part: collective.ReceivedPart}
}

// aside returns the token of a side sum of a rank, if a sum is of some of what was added to the
// rank's own contribution, with that or without. Every such set of transfers is a side sum of its
// own. As above, data that came in this stage and alone may be in transit.
func (f *follower) aside(sum *token, rank int32) *token {
	if sum.parts == nil && (sum.home() || sum.stage == f.stage && !f.stored) || !f.layout.Op.Reduces() || !f.reduced(sum, rank) {
		return nil
	}
	set := each.Of(sum.terms(), func(t *token) int32 { return t.hop.transfer })
	slices.Sort(set)
	at := [2]int32{rank, int32(sum.item)}
	side := slices.IndexFunc(f.sides[at], func(known []int32) bool { return slices.Equal(known, set) })
	if side < 0 {
		if side = len(f.sides[at]); side == collective.MostSides {
			return nil
		}
		f.sides[at] = append(f.sides[at], set)
		for _, id := range set {
			f.transfers[id].sides |= collective.SidesOf(side + 1)
		}
	}
	return &token{item: sum.item, path: []int32{rank}, stage: sum.stage, part: collective.SidePart(side+1, sum.based), sum: set}
}

// sum returns what an event computes.
func (f *follower) sum(e *check.Event, i int, wires []*token) (*token, error) {
	rank := int32(e.Place.Rank)
	var sum *token
	for _, c := range e.Srcs {
		var t *token
		if c.Rank < 0 {
			t = f.arrived(wires[c.Address+i], rank, lane{e.Place.Rank, e.Place.Block, -1})
		} else if t = f.mems[c.Rank][c.Address+i]; t == nil {
			return nil, errors.New("reads a chunk that was never written; check the file first")
		} else if int32(c.Rank) != rank {
			t = f.arrived(t, rank, lane{e.Place.Rank, e.Place.Block, c.Rank}) // fetched from a peer
		}
		if t.own != nil {
			t = t.own
		}
		if sum == nil {
			sum = t
			continue
		}
		var err error
		if sum, err = f.add(rank, sum, t); err != nil {
			return nil, err
		}
	}
	return sum, nil
}

// stays reports whether the rank keeps what it sends in a buffer other than scratch: the data is
// then the rank's own, and not in transit.
func (f *follower) stays(e *check.Event, i int, t *token) bool {
	for _, list := range [2][]check.Cell{e.Srcs, e.Dsts} {
		for _, c := range list {
			if c.Rank == e.Place.Rank && c.Address+i < f.layout.Reserved() {
				if held := f.mems[c.Rank][c.Address+i]; held == t {
					return true
				}
			}
		}
	}
	return false
}

// end finishes transfers that are still in transit to an output. A side sum with the rank's own
// contribution cannot be there: a plan has no transfer that makes it the value.
func (f *follower) end() error {
	l := &f.layout
	for r := range f.mems {
		for j := range l.OutputChunks(r) {
			at := l.Address(r, program.Loc{Buffer: program.Output, Offset: int32(j)})
			switch t := f.mems[r][at]; {
			case t == nil || t.home():
			case t.based:
				return errSum
			case t.parts != nil:
				f.mems[r][at] = f.renew(t)
			default:
				f.mems[r][at] = f.finish(t, false)
			}
		}
	}
	return nil
}
