package lower

import (
	"cmp"
	"context"
	"slices"

	"github.com/lightpath-net/lightpath/compile/program"
	"github.com/lightpath-net/lightpath/plan"
)

// Put is an operation of a runtime whose senders write into the memory of receivers and then
// signal.
type Put struct {
	// Op is Send (from Src here to Dst at the peer), Recv (wait until the peer has written
	// to Dst here), Copy or Reduce.
	program.Op
	Peer, Channel int  // of Send and Recv
	Flush         bool // of Send: wait until Src has been read
}

// PutRank is what one GPU does: lists of operations, one for each thread block.
type PutRank struct {
	Scratch int
	Blocks  [][]Put
}

// PutProgram is what all ranks do in a stage. Data that arrives without an extra copy is written
// to memory that nothing has touched in the stage, so senders need no permission. The same holds
// for the scratch of forwarded messages.
type PutProgram struct {
	program.BufferMap
	Ranks []PutRank
}

// OneSided is a plan listed for a runtime of puts and signals.
type OneSided struct {
	*Lowered
	list   *lister
	bounds [][]int // where the operations of each program begin, by rank
}

// ListPuts lists a plan that has been verified.
func ListPuts(ctx context.Context, p *plan.Plan, o Options) (*OneSided, error) {
	low, g, err := begin(ctx, p, &o)
	if err != nil {
		return nil, err
	}
	l := newLister(g, low.moves, &o)
	l.oneSided = true
	if err := l.listAll(ctx, low.moves, overParallel); err != nil {
		return nil, err
	}
	low.ScratchLives = l.scratchLives()
	return &OneSided{Lowered: low, list: l}, nil
}

// side is one end of a connection in a stage, or the side of operations without a connection.
type side struct {
	port
	out   bool
	local bool
}

// local is the side of copies from input to output.
var local = side{local: true}

// Crowded is a thread block that would have too many operations.
type Crowded struct{ Rank, Block, Ops int }

// Widen gives every pair of ranks at least width channels in the programs that follow.
func (s *OneSided) Widen(width int) {
	l := s.list
	wide := map[link]int{}
	for _, m := range l.messages {
		wide[link{m.stage, m.from, m.to}] = width
	}
	channels(l.messages, l.Nodes, len(s.moves), 0, wide)
}

// Program makes the i-th program, with at most blocks thread blocks per rank; if blocks is 0, there
// is one for every end of a connection. If a thread block would have more than most operations, it
// returns that in place of the program.
func (s *OneSided) Program(i, blocks, most int) (*PutProgram, *Crowded) {
	l := s.list
	if s.bounds == nil {
		for r := range l.Nodes {
			s.bounds = append(s.bounds, stageBounds(l.ranks[r], len(s.moves)))
		}
	}
	own := func(r int) []event { return l.ranks[r][s.bounds[r][i]:s.bounds[r][i+1]] }
	places := make([][]program.Dep, l.Nodes)
	for r := range places { // first, because what follows takes longer
		places[r] = s.places(own(r), blocks)
		longest := Crowded{Rank: r}
		for _, at := range places[r] {
			if ops := int(at.Op) + 1; ops > longest.Ops {
				longest.Block, longest.Ops = int(at.Block), ops
			}
		}
		if longest.Ops > most {
			return nil, &longest
		}
	}
	p := &PutProgram{BufferMap: l.BufferMap, Ranks: make([]PutRank, l.Nodes)}
	for r := range p.Ranks {
		p.Ranks[r] = PutRank{Scratch: l.rooms[r].size, Blocks: s.blocks(r, own(r), places[r])}
	}
	return p, nil
}

// places assigns the operations of a rank to thread blocks, and to places in them; all operations
// of one end of a connection go to the same block.
func (s *OneSided) places(events []event, most int) []program.Dep {
	assigned := s.deal(events, most)
	at := make([]program.Dep, len(events))
	var filled []int32 // by block
	last := 0
	for i := range events {
		e := &events[i]
		b := last // local operations go with the receive before them
		if where, has := s.list.sideOf(e); has {
			b = assigned[where]
		} else if i == 0 || e.kind == program.Copy && e.src.Buffer != program.Scratch {
			b = assigned[local] // from input to output
		}
		for len(filled) <= b {
			filled = append(filled, 0)
		}
		at[i] = program.Dep{Block: int32(b), Op: filled[b]}
		filled[b]++
		last = b
	}
	return at
}

// blocks returns the thread blocks of a rank whose operations are at the given places.
func (s *OneSided) blocks(rank int, events []event, at []program.Dep) [][]Put {
	l := s.list
	shadow := []program.Block{}
	var puts [][]Put
	flush := flushes(events, l.messages)
	for i := range events {
		e := &events[i]
		put := Put{Op: e.op(), Flush: flush[i]}
		if where, has := l.sideOf(e); has {
			put.Peer, put.Channel = int(where.peer), int(where.channel)
		}
		b := int(at[i].Block)
		for len(shadow) <= b {
			shadow, puts = append(shadow, program.Block{}), append(puts, nil)
		}
		shadow[b].Ops = append(shadow[b].Ops, put.Op)
		if e.kind == program.Send {
			put.Dst = e.dst
		}
		puts[b] = append(puts[b], put)
	}
	waits(&l.BufferMap, rank, shadow, at)
	for b := range puts {
		for i := range puts[b] {
			puts[b][i].Deps = shadow[b].Ops[i].Deps
		}
	}
	return puts
}

// sideOf returns the end of a connection to which an event belongs, if any.
func (l *lister) sideOf(e *event) (side, bool) {
	switch {
	case e.in >= 0:
		return side{port: inPort(l.messages, e.in)}, true
	case e.out >= 0:
		return side{port: outPort(l.messages, e.out), out: true}, true
	}
	return local, false
}

// deal assigns the ends of connections to thread blocks, one end per block. If that would be
// more than most blocks, it takes the ends with the most operations first and gives each to the
// block with the fewest.
func (s *OneSided) deal(events []event, most int) map[side]int {
	count := map[side]int{}
	var order []side
	last := local
	for i := range events {
		where, has := s.list.sideOf(&events[i])
		if !has {
			where = last
		}
		if count[where] == 0 {
			order = append(order, where)
		}
		count[where]++
		last = where
	}
	if count[local] == 0 {
		order = append(order, local)
	}
	assigned := map[side]int{}
	if most == 0 || len(order) <= most {
		for i, where := range order {
			assigned[where] = i
		}
		return assigned
	}
	slices.SortStableFunc(order, func(a, b side) int { return cmp.Compare(count[b], count[a]) })
	load := make([]int, most)
	for _, where := range order {
		least := 0
		for b := range load {
			if load[b] < load[least] {
				least = b
			}
		}
		assigned[where] = least
		load[least] += count[where]
	}
	return assigned
}

// flushes marks the sends whose source is written later in the stage, and the last send of every
// connection, because nothing may be in flight when the program ends.
func flushes(events []event, messages []message) []bool {
	flush := make([]bool, len(events))
	written := map[program.Loc]bool{}
	seen := map[port]bool{}
	for i := len(events) - 1; i >= 0; i-- {
		e := &events[i]
		if e.kind.Writes() {
			for k := range int(e.count) {
				written[e.dst.Plus(k)] = true
			}
		}
		if e.kind != program.Send {
			continue
		}
		to := outPort(messages, e.out)
		flush[i] = !seen[to]
		seen[to] = true
		for k := range int(e.count) {
			flush[i] = flush[i] || written[e.src.Plus(k)]
		}
	}
	return flush
}
