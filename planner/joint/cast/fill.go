package cast

import (
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/joint/digit"
	"github.com/lightpath-net/lightpath/planner/joint/network"
	"github.com/lightpath-net/lightpath/topology"
)

// This file has pipelines down a chain that are filled in their first step. A pipeline of K
// pieces to m nodes takes K+m-1 steps, and in most of them parts of the chain wait for the first
// piece or already have the last one. So the root first deals out pieces in one long step: each
// node gets what would not reach it in time from the node before it in T steps of one hop. With
// T = K-1 that is one piece for every node: as many hops and bytes as without filling, in K
// steps.
//
//	5 GPUs, pieces A and B        0 > 1   1 > 2   2 > 3   3 > 4
//	step 1, 3 hops: 0 > 2: B, 0 > 3: A
//	step 2, 1 hop:                A               B       A
//	step 3, 1 hop:                B       A               B
//
// That is two messages over five hops in three steps, the proven optimum for 256 KiB; a pipeline
// of two pieces has 2 1/2 messages over five hops in five steps.

// filling is a number of pieces and of steps of one hop after the first step. Without steps there
// is no filling.
type filling struct{ pieces, steps int }

// filled is the cost of the first step: the pieces dealt out, and how many hops they go.
type filled struct{ dealt, far int }

// Limits of the fillings that are tried: the most pieces for which several numbers of steps are
// tried, how many more steps than pieces they have, and the most nodes of a chain for which they
// are tried.
const (
	maxFilled      = 32
	maxFilledSteps = 4
	maxFilledNodes = 1024
)

// fillings remembers the costs of first steps.
type fillings struct {
	nodes int
	known map[filling][]filled // by the nodes of the chain after the root
}

// fillingsKey is what fillings depend on.
type fillingsKey struct{ nodes int }

func newFillings(k *planner.Memory, nodes int) *fillings {
	return planner.Kept(k, fillingsKey{nodes}, func() (*fillings, bool) {
		f := &fillings{nodes, map[filling][]filled{}}
		if nodes > maxFilledNodes {
			return f, true
		}
		for pieces := 1; pieces <= maxFilled; pieces++ {
			for steps := max(1, pieces); steps <= pieces+maxFilledSteps; steps++ {
				fill := filling{pieces, steps}
				f.known[fill] = fill.count(nodes)
			}
		}
		return f, true
	})
}

// of returns the cost of the first step on a chain with the given number of nodes after the root.
func (f *fillings) of(fill filling, below int) filled {
	if fill.steps < fill.pieces {
		return filled{below, below}
	}
	if known := f.known[fill]; known != nil {
		return known[below]
	}
	return fill.count(below + 1)[below]
}

// count returns the cost of the first step on every chain of fewer nodes than given.
func (f filling) count(nodes int) []filled {
	all := make([]filled, 1, nodes)
	f.follow(nodes-1, func(place, _, step int) {
		for len(all) <= place {
			all = append(all, all[len(all)-1])
		}
		if step == 0 {
			all[place] = filled{all[place].dealt + 1, place}
		}
	})
	return all
}

// follow calls a function for every piece at every place of a chain, with the step in which the
// piece comes from the place before, or 0 if it is dealt out. Places forward pieces in the order
// in which they arrive.
func (f filling) follow(places int, call func(place, piece, step int)) {
	type held struct{ piece, since int }
	before, now := make([]held, f.pieces), make([]held, 0, f.pieces)
	for k := range before {
		before[k].piece = k
	}
	for place := 1; place <= places; place++ {
		sent, step := 0, 0
		for ; sent < f.pieces; sent++ {
			if step = max(step, before[sent].since) + 1; step > f.steps {
				break
			}
		}
		now = now[:0]
		for _, h := range before[sent:] { // too late
			now = append(now, held{h.piece, 0})
			call(place, h.piece, 0)
		}
		step = 0
		for _, h := range before[:sent] {
			step = max(step, h.since) + 1
			now = append(now, held{h.piece, step})
			call(place, h.piece, step)
		}
		before, now = now, before
	}
}

// time returns how long a filled chain takes.
func (f *fillings) time(m *digit.Machine, fill filling, chain chained) float64 {
	first, w, pieces := f.of(fill, chain.below), float64(chain.width), float64(fill.pieces)
	deal := m.Load(network.Tally{Peak: float64(first.dealt) / w, Dilation: float64(first.far) / w, Pair: 1})
	each := m.Load(network.Tally{Peak: 1 / w, Dilation: 1 / w, Pair: 1})
	steps := float64(fill.steps)
	return m.Alpha*(1+steps) + m.Delta*(float64(first.far)+steps) + m.PerByte*chain.bytes*(deal+steps*each)/pieces
}

// chained is a chain: its nodes after the root, its parallel circuits, and the message.
type chained struct {
	below, width int
	bytes        float64
}

// best returns the fastest filling if it beats the limit, otherwise one without steps.
func (f *fillings) best(m *digit.Machine, chain chained, most int, limit float64) (filling, float64) {
	var best filling
	try := func(fill filling) {
		if fill.pieces < 1 || fill.pieces > most || fill.steps < 1 {
			return
		}
		if time := f.time(m, fill, chain); time < limit {
			best, limit = fill, time
		}
	}
	whole := m.PerByte * chain.bytes / float64(chain.width)
	guess := guessPieces(float64(chain.below-1), whole, m.Alpha+m.Delta, most)
	for k := guess - 1; k <= guess+1; k++ {
		try(filling{k, k - 1})
	}
	if f.nodes <= maxFilledNodes && guess <= 2*maxFilled {
		for k := max(1, guess/3); k <= min(maxFilled, guess+2); k++ {
			for steps := k - 1; steps <= k+maxFilledSteps; steps++ {
				if f.of(filling{k, steps}, chain.below).dealt > 0 { // else it is a plain pipeline
					try(filling{k, steps})
				}
			}
		}
	}
	return best, limit
}

// chainOf reports whether a growth is a chain that can be filled.
func (g growth) chainOf(m *digit.Machine, nodes int) bool {
	return g.trees == 1 && g.fan == 1 && !m.Duplex && nodes > 2
}

// filledCasts returns the pipeline down a chain that is filled first.
func filledCasts(s *digit.Search, nodes int, bytes float64, g growth) []cast {
	if !g.chainOf(&s.Machine, nodes) {
		return nil
	}
	fill, time := newFillings(s.Memory, nodes).best(&s.Machine, chained{nodes - 1, g.width, bytes}, mostPieces(nodes, 1, bytes), math.Inf(1))
	if fill.steps == 0 {
		return nil
	}
	return []cast{{Time: time, About: fmt.Sprintf("%d pieces down a chain that is filled first", fill.pieces), Build: func() Laid {
		return layRelays(s, nodes, []relay{{growth: g, roots: 1, nodes: nodes, depth: nodes - 1, pieces: fill.pieces, filled: fill}})
	}}}
}

// layFilled lays out chains that are filled. As in lay, root r has the nodes r, r+roots, ..
func (r *relay) layFilled(nodes, chunks int) plan.Stage {
	var edges []topology.Edge
	steps := make([]plan.Step, 1+r.filled.steps)
	count := chunks / r.pieces
	for root := range r.roots {
		size := arithmetic.CeilDiv(r.nodes-root, r.roots)
		at := func(place int) int32 { return int32(root + place*r.roots) }
		for place := 1; place < size; place++ {
			edges = append(edges, topology.Edge{From: int(at(place - 1)), To: int(at(place)), Count: r.width})
		}
		r.filled.follow(size-1, func(place, piece, step int) {
			from := place - 1
			if step == 0 {
				from = 0
			}
			path := make([]int32, 0, place-from+1)
			for p := from; p <= place; p++ {
				path = append(path, at(p))
			}
			steps[step].Base = append(steps[step].Base, copyOver(path, collective.Every(piece*count, 1, count)))
		})
	}
	name := fmt.Sprintf("a chain of %d", r.size())
	if r.roots > 1 {
		name = fmt.Sprintf("a chain of %d from each of %d", r.size(), r.roots)
	}
	return plan.Stage{Topology: topology.New(nodes, name, edges), Steps: steps}
}
