package lower

import (
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/compile/program"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// refusal is the reason why a plan has no program.
type refusal string

func (r refusal) Error() string        { return string(r) }
func (r refusal) Is(target error) bool { return target == ErrRefused }

// Refuse makes an error that wraps ErrRefused.
func Refuse(format string, args ...any) error { return refusal(fmt.Sprintf(format, args...)) }

// ErrRefused marks a plan that a runtime cannot execute; the error says why.
var ErrRefused error = refusal("refused")

// shareTolerance is how far a share may be from whole units, in units: shares come from
// linear programs and are right to about 1e-9, and a unit of 1/64 chunk is far larger.
const shareTolerance = 1e-6

// geometry says how the chunks of a plan are cut into units, which are the chunks of a program.
type geometry struct {
	program.BufferMap
	parts   int   // units per chunk of the plan
	ranks   []int // of each node; -1 for nodes that take no part
	units   int   // of the whole space, numbered from 0
	rounded float64
}

// newGeometry finds the coarsest cut that gives every route whole units, with at most maxParts
// units per chunk and maxChunks chunks per buffer. If there is none, it takes the cut that
// changes shares the least, and says by how much.
func newGeometry(p *plan.Plan, inPlace bool, maxParts, maxChunks int) (*geometry, error) {
	space := &p.Collective.Space
	switch space.Kind {
	case collective.Sections:
		return nil, Refuse("a plan for %d operations: runtimes take one at a time; plan and compile each by itself", len(space.Sections))
	case collective.Listed:
		if p.Collective.Op == collective.AllToAll {
			if least, most := pairSizes(space); least != most {
				return nil, Refuse("pairs of different sizes, from %v to %v: a program has equal chunks, and buffers of %d ranks that differ are not cut into the same number of them",
					least, most, p.Fabric.Nodes)
			}
			return nil, Refuse("an all-to-all that is cut into %d pieces of their own: a program has equal chunks", len(space.Pieces))
		}
		return nil, Refuse("a pattern: runtimes know only the buffers of named collectives")
	}
	if _, err := collective.ParseOp(string(p.Collective.Op)); err != nil {
		return nil, Refuse("%v", err)
	}
	if space.Sizes != nil {
		if _, same := space.Sizes.Uniform(); !same {
			return nil, Refuse("pairs of different sizes: a program has equal chunks, and buffers of %d ranks that differ are not cut into the same number of them", p.Fabric.Nodes)
		}
	}
	g := &geometry{parts: 1, ranks: make([]int, p.Fabric.Nodes)}
	for u := range g.ranks {
		g.ranks[u] = -1
	}
	n := space.MembersCount()
	for i := range n {
		g.ranks[space.Member(i)] = i
	}
	g.BufferMap = program.BufferMap{Op: p.Collective.Op, Nodes: n, InPlace: inPlace}
	per := space.Parts // chunks of a buffer, before the cut
	if space.Kind != collective.Whole {
		per *= n
	}
	if maxChunks > 0 {
		if per > maxChunks {
			return nil, Refuse("%d chunks in a buffer; at most %d can be named", per, maxChunks)
		}
		maxParts = min(maxParts, maxChunks/per)
	}
	g.cut(p, maxParts)
	g.Chunks = per * g.parts
	g.units = space.Chunks() * g.parts
	return g, nil
}

// piece holds the chunks that a route carries and the parallel circuits that it could use.
type piece struct {
	chunks   float64
	circuits int
}

// cut chooses the number of parts.
func (g *geometry) cut(p *plan.Plan, most int) {
	seen := map[piece]bool{}
	var pieces []piece
	for stage, step := range p.Steps() {
		for _, t := range step.Base {
			total := float64(t.Chunks.Len())
			for _, route := range t.Routes {
				circuits := 1
				for h := range len(route.Path) - 1 {
					circuits = max(circuits, stage.Topology.Count(int(route.Path[h]), int(route.Path[h+1])))
				}
				if q := (piece{total * route.Share, circuits}); !seen[q] {
					seen[q] = true
					pieces = append(pieces, q)
				}
			}
		}
	}
	worst := func(parts int, split bool) float64 {
		far := 0.0
		for _, q := range pieces {
			units := q.chunks * float64(parts)
			if split {
				units /= float64(q.circuits)
			}
			far = max(far, math.Abs(units-math.Round(units)))
		}
		return far
	}
	best := math.Inf(1)
	for parts := 1; parts <= most; parts++ {
		if far := worst(parts, false); far <= shareTolerance {
			g.parts, best = parts, 0
			break
		} else if off := far / float64(parts); off < best-shareTolerance {
			g.parts, best = parts, off
		}
	}
	g.rounded = best
	// A finer cut lets messages be split over parallel circuits.
	for parts := g.parts; parts <= most; parts += g.parts {
		if worst(parts, true) <= shareTolerance {
			g.parts = parts
			return
		}
	}
}

// begins returns where a unit is at a rank before the program, if it is there.
func (g *geometry) begins(rank, unit int) (program.Loc, bool) {
	at := func(b program.Buffer, off int) (program.Loc, bool) {
		return program.Loc{Buffer: b, Offset: int32(off)}, true
	}
	switch g.Op {
	case collective.AllReduce, collective.ReduceScatter, collective.RootReduce:
		return at(program.Input, unit)
	case collective.AllGather, collective.Gather:
		if unit/g.Block() == rank {
			if g.InPlace && g.Op == collective.AllGather {
				return at(program.Output, unit)
			}
			return at(program.Input, unit%g.Block())
		}
	case collective.AllToAll:
		if unit/g.Chunks == rank {
			return at(program.Input, unit%g.Chunks)
		}
	default: // broadcast, scatter
		if rank == 0 {
			return at(program.Input, unit)
		}
	}
	return program.Loc{}, false
}

// ends returns where a unit must be at a rank after the program, if it must.
func (g *geometry) ends(rank, unit int) (program.Loc, bool) {
	b := g.Block()
	at := func(off int) (program.Loc, bool) {
		return program.Loc{Buffer: program.Output, Offset: int32(off)}, true
	}
	same := func(off int) (program.Loc, bool) { // in place, identical buffers have one name
		if g.InPlace {
			return program.Loc{Buffer: program.Input, Offset: int32(off)}, true
		}
		return at(off)
	}
	switch g.Op {
	case collective.AllReduce, collective.Broadcast:
		return same(unit)
	case collective.AllGather:
		return at(unit)
	case collective.RootReduce:
		if rank == 0 {
			return same(unit)
		}
	case collective.Gather:
		if rank == 0 {
			return at(unit)
		}
	case collective.AllToAll:
		if unit%g.Chunks/b == rank {
			return same(unit/g.Chunks*b + unit%b)
		}
	default: // reducescatter, scatter
		if unit/b == rank {
			if g.InPlace && g.Op == collective.ReduceScatter {
				return program.Loc{Buffer: program.Input, Offset: int32(unit)}, true
			}
			return at(unit % b)
		}
	}
	return program.Loc{}, false
}

// due yields the units that must be at a rank in the end.
func (g *geometry) due(rank int, yield func(unit int)) {
	for j := range g.OutputChunks(rank) {
		switch g.Op {
		case collective.ReduceScatter, collective.Scatter:
			yield(rank*g.Block() + j)
		case collective.AllToAll:
			yield(j/g.Block()*g.Chunks + rank*g.Block() + j%g.Block())
		default:
			yield(j)
		}
	}
}

// pairSizes returns the fewest and the most bytes, as whole numbers, that a pair of nodes has in
// a listed space; pairs without bytes do not count.
func pairSizes(space *collective.Space) (least, most units.Bytes) {
	pairs := map[[2]int]float64{}
	for _, piece := range space.Pieces {
		for _, from := range piece.From {
			for _, to := range piece.To {
				pairs[[2]int{from, to}] += piece.Bytes
			}
		}
	}
	least = math.MaxInt64
	for pair, bytes := range pairs {
		if pair[0] != pair[1] {
			least, most = min(least, units.Bytes(math.Round(bytes))), max(most, units.Bytes(math.Round(bytes)))
		}
	}
	return least, most
}
