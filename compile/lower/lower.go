package lower

import (
	"context"
	"maps"
	"slices"

	"github.com/lightpath-net/lightpath/compile/check"
	"github.com/lightpath-net/lightpath/compile/program"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/plan"
)

// Options say how a plan is lowered and for which runtime.
type Options struct {
	Limits   *program.Limits
	Protocol program.Protocol
	InPlace  bool
	NoFuse   bool // never join a receive with a send
	// MaxParts is the largest number of parts into which a chunk of the plan is cut, so that
	// routes carry whole parts; 0: DefaultMaxParts.
	MaxParts int
	// Pieces is into how many programs each stage is divided, if possible: between steps and, if
	// there are fewer steps than pieces, also within them; nil: one program per stage.
	Pieces             []int
	Name               string
	MinBytes, MaxBytes int64
}

// DefaultMaxParts keeps programs small: shares in 64ths are more precise than any runtime is.
const DefaultMaxParts = 64

// Lowered is a plan as programs.
type Lowered struct {
	Programs []*program.Program // one for each piece of a stage, with single dependencies
	// Stages has the stage of each program, ascending.
	Stages []int
	Parts  int // per chunk of the plan
	// Rounded is the largest change of a route's share, in chunks of the plan; 0 if all shares
	// are as planned.
	Rounded float64
	Fused   int // number of operations that receive and send on
	// ScratchLives says that a program reads scratch that an earlier program wrote.
	ScratchLives bool
	moves        [][][]move
}

// Lower makes the programs of a verified plan. An error that wraps ErrRefused says why the plan
// has none.
func Lower(ctx context.Context, p *plan.Plan, o Options) (*Lowered, error) {
	low, g, err := begin(ctx, p, &o)
	if err != nil {
		return nil, err
	}
	l := newLister(g, low.moves, &o)
	if err := l.listAll(ctx, low.moves, overParallel); err != nil {
		return nil, err
	}
	low.ScratchLives = l.scratchLives()
	if err := low.build(ctx, l, &o); err != nil {
		return nil, err
	}
	return low, nil
}

// begin cuts chunks into units and lists the moves of all steps.
func begin(ctx context.Context, p *plan.Plan, o *Options) (*Lowered, *geometry, error) {
	maxParts := o.MaxParts
	if maxParts <= 0 {
		maxParts = DefaultMaxParts
	}
	most := 0 // chunks of a buffer, if limited
	if o.Limits.Offset > 0 {
		most = o.Limits.Offset + 1
	}
	g, err := newGeometry(p, o.InPlace, maxParts, most)
	if err != nil {
		return nil, nil, err
	}
	low := &Lowered{Parts: g.parts, Rounded: g.rounded}
	for i := range p.Stages {
		var stage [][]move
		for j := range p.Stages[i].Steps {
			if err := ctx.Err(); err != nil {
				return nil, nil, err
			}
			moves, err := g.movesOf(p, &p.Stages[i], &p.Stages[i].Steps[j])
			if err != nil {
				return nil, nil, err
			}
			stage = append(stage, moves)
		}
		pieces := 1
		if o.Pieces != nil {
			pieces = o.Pieces[i]
		}
		for _, piece := range g.pieces(stage, pieces) {
			low.moves = append(low.moves, piece)
			low.Stages = append(low.Stages, i)
		}
	}
	return low, g, nil
}

// newLister prepares the list of a plan's operations.
func newLister(g *geometry, all [][][]move, o *Options) *lister {
	l := &lister{
		places: newPlaces(g, all), fused: o.Limits.Fused, ranks: make([][]event, g.Nodes), most: int32(o.Limits.Count),
		touched: make([]map[int]int, g.Nodes), renewed: map[[2]int32]bool{},
	}
	for r := range l.touched {
		l.touched[r] = map[int]int{}
	}
	if l.most == 0 {
		l.most = int32(g.Chunks)
	}
	return l
}

// overParallel lists a step with its messages split over parallel circuits.
func overParallel(l *lister, moves []move) { l.listStep(overCircuits(moves)) }

// listAll lists the operations of the whole plan, each step in the given way.
func (l *lister) listAll(ctx context.Context, all [][][]move, list func(l *lister, moves []move)) error {
	h := newHazards(l.geometry)
	for i, stage := range all {
		l.stage = i
		for _, moves := range stage {
			if err := ctx.Err(); err != nil {
				return err
			}
			moves, err := l.contiguous(moves)
			if err != nil {
				return err
			}
			h.mark(moves)
			l.step++
			list(l, aligned(moves, l.most))
		}
	}
	l.finish()
	return nil
}

// scratchLives reports whether a program reads scratch that an earlier program wrote.
func (l *lister) scratchLives() bool {
	for rank := range l.ranks {
		wrote := map[int32]int32{} // the program, by offset
		for i := range l.ranks[rank] {
			e := &l.ranks[rank][i]
			if e.kind.Reads() && e.src.Buffer == program.Scratch {
				for k := range e.count {
					if by, has := wrote[e.src.Offset+k]; has && by < e.stage {
						return true
					}
				}
			}
			if e.kind.Writes() && e.dst.Buffer == program.Scratch {
				for k := range e.count {
					wrote[e.dst.Offset+k] = e.stage
				}
			}
		}
	}
	return false
}

// build turns the list into programs, adding channels until thread blocks are short enough.
func (low *Lowered) build(ctx context.Context, l *lister, o *Options) error {
	wide := map[link]int{}
	fusing, paired := o.Limits.Fused && !o.NoFuse, false
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		programs := low.assemble(l, o, wide, fusing, paired)
		long, again := widen(programs, o.Limits, wide)
		crowded := slices.ContainsFunc(programs, func(p *program.Program) bool {
			return slices.ContainsFunc(p.Ranks, func(r program.Rank) bool { return o.Limits.Blocks > 0 && len(r.Blocks) > o.Limits.Blocks })
		})
		switch {
		case crowded && !paired:
			paired = true
			continue
		case long && again:
			continue
		}
		if fusing && !safe(programs) {
			fusing = false
			continue
		}
		for i, p := range programs {
			if err := check.Limits(p, o.Limits); err != nil {
				if len(programs) > 1 {
					return Refuse("stage %d: %v", i+1, err)
				}
				return Refuse("%v", err)
			}
		}
		low.Programs = programs
		return nil
	}
}

// safe reports whether all programs complete with the slots that connections have.
func safe(programs []*program.Program) bool {
	for _, p := range programs {
		if g, err := check.NewGraph(p); err != nil || !g.Safe() {
			return false
		}
	}
	return true
}

// widen gives more channels to the links of thread blocks that have too many steps. It reports
// whether there are such blocks, and whether more channels are possible.
func widen(programs []*program.Program, limits *program.Limits, wide map[link]int) (long, again bool) {
	if limits.Steps == 0 {
		return false, false
	}
	for s, p := range programs {
		for r := range p.Ranks {
			for b := range p.Ranks[r].Blocks {
				block := &p.Ranks[r].Blocks[b]
				if len(block.Ops) <= limits.Steps {
					continue
				}
				long = true
				more := arithmetic.CeilDiv(len(block.Ops), limits.Steps)
				grow := func(at link) {
					if now := max(1, wide[at]); now < limits.Channels {
						wide[at] = min(limits.Channels, max(now+1, more))
						again = true
					}
				}
				if block.Send >= 0 {
					grow(link{int32(s), int32(r), int32(block.Send)})
				}
				if block.Recv >= 0 {
					grow(link{int32(s), int32(block.Recv), int32(r)})
				}
			}
		}
	}
	return long, again
}

// assemble makes the programs for given channels.
func (low *Lowered) assemble(l *lister, o *Options, wide map[link]int, fusing, paired bool) []*program.Program {
	stages := len(low.moves)
	count := channels(l.messages, l.Nodes, stages, o.Limits.PerChannel, wide)
	programs := make([]*program.Program, stages)
	for s := range programs {
		programs[s] = &program.Program{
			Name: o.Name, Protocol: o.Protocol, BufferMap: l.BufferMap, Channels: max(1, count[s]),
			MinBytes: o.MinBytes, MaxBytes: o.MaxBytes, Ranks: make([]program.Rank, l.Nodes),
		}
	}
	low.Fused = 0
	for r := range l.Nodes {
		events := slices.Clone(l.ranks[r])
		bounds := stageBounds(events, stages)
		coupled := make([]map[port]port, stages)
		if fusing {
			for s := range stages {
				coupled[s] = fuse(events[bounds[s]:bounds[s+1]], l.messages)
			}
			forget(events, func(at program.Loc) bool {
				return at.Buffer == program.Output || l.InPlace && at.Buffer != program.Scratch
			})
		}
		scratch := compact(events)
		for s := range stages {
			own := events[bounds[s]:bounds[s+1]]
			blocks, at := assemble(own, l.messages, coupled[s], paired, o.Limits.Steps)
			waits(&l.BufferMap, r, blocks, at)
			rank := program.Rank{Blocks: renumber(blocks), Scratch: scratch}
			for i := range own {
				if own[i].gone {
					continue
				}
				if own[i].in >= 0 && own[i].out >= 0 {
					low.Fused++
				}
				name(&rank, &l.BufferMap, r, &own[i])
			}
			programs[s].Ranks[r] = rank
		}
	}
	for s := range programs {
		programs[s] = programs[s].SingleDeps()
		programs[s].Unmerge(o.Limits)
	}
	return programs
}

// name notes the buffers that an operation uses.
func name(rank *program.Rank, l *program.BufferMap, r int, e *event) {
	use := func(b program.Buffer) {
		switch b {
		case program.Input: // in place, the input may be the name of an output
			if rank.Input = l.InputChunks(r); rank.Input == 0 {
				rank.Input = l.Chunks
			}
		case program.Output:
			rank.Output = l.OutputChunks(r)
		}
	}
	if e.kind.Reads() {
		use(e.src.Buffer)
	}
	if e.kind.Writes() {
		use(e.dst.Buffer)
	}
}

// stageBounds returns where the events of each stage begin, and the end.
func stageBounds(events []event, stages int) []int {
	bounds := make([]int, stages+1)
	at := 0
	for s := range stages {
		bounds[s] = at
		for at < len(events) && int(events[at].stage) == s {
			at++
		}
	}
	bounds[stages] = at
	return bounds
}

// compact renumbers the scratch in use, keeping its order, so that consecutive chunks stay
// consecutive. It returns the size of the scratch.
func compact(events []event) int {
	used := map[int32]bool{}
	visit := func(e *event, at func(l *program.Loc)) {
		if e.kind.Reads() && e.src.Buffer == program.Scratch {
			at(&e.src)
		}
		if e.kind.Writes() && e.dst.Buffer == program.Scratch {
			at(&e.dst)
		}
	}
	for i := range events {
		if e := &events[i]; !e.gone {
			visit(e, func(l *program.Loc) {
				for k := range e.count {
					used[l.Offset+k] = true
				}
			})
		}
	}
	offsets := slices.Collect(maps.Keys(used))
	slices.Sort(offsets)
	for i := range events {
		if e := &events[i]; !e.gone {
			visit(e, func(l *program.Loc) {
				at, _ := slices.BinarySearch(offsets, l.Offset)
				l.Offset = int32(at)
			})
		}
	}
	return len(offsets)
}
