package strategy

import (
	"context"
	"slices"
)

// Auto is the strategy that takes the best of all others.
const Auto = "auto"

// Names of strategies.
const (
	Paper    = "paper"
	Shifts   = "shifts"
	Relay    = "relay"
	Cayley   = "cayley"
	Exact    = "exact"
	Retri    = "retri"
	Bruck    = "bruck"
	Direct   = "direct"
	Match    = "match"
	Birkhoff = "birkhoff"
	MixNet   = "mixnet"
	Static   = "static"
	Rings    = "rings"
)

// strategies lists all but Auto in the order in which Auto tries them: the result of one can rule
// out numbers of stages for the later ones.
var strategies = []strategy{
	// every chunk over a circuit of its own: reconfigure always
	{name: Direct, alone: true, single: true, duplex: true, solver: newDirect},
	// jumps are powers of a radix, chunks follow the digits of their offset
	{name: Bruck, solver: newBruck},
	// digits of both signs over two ports, as ReTri moves chunks
	{name: Retri, duplex: true, solver: newRetri},
	// the best jumps found when chunks may wait for later topologies
	{name: Relay, solver: newRelay},
	// the best generators found in a group that does not commute, chunks wait for later topologies
	{name: Cayley, duplex: true, solver: newCayley},
	// relay with topologies that connect the heaviest pairs directly, for demands that differ
	{name: Match, solver: newMatch},
	// the demand divided into matchings as FAST does, for demands that differ
	{name: Birkhoff, alone: true, solver: newBirkhoff},
	// the best jumps found when a chunk uses one topology only
	{name: Shifts, alone: true, solver: newShifts},
	// shifts of a ring in the order of Zhou et al., chunks in rounds
	{name: Paper, solver: newPaper},
	// any permutations when a chunk uses one topology only, by complete search
	{name: Exact, alone: true, solver: newExact},
	// one topology: a circulant or a generalised Kautz graph, as DirectConnect has it
	{name: Static, alone: true, single: true, solver: newStatic},
	// one topology: shifted rings, as TopoOpt has it
	{name: Rings, alone: true, single: true, solver: newRings},
	// one topology with circuits for the heaviest pairs first, for demands that differ
	{name: MixNet, alone: true, single: true, solver: newMixNet},
}

// explicitNodes is the largest number of nodes for which Auto looks at schedules of an
// all-to-all that list all chunks: there are nodes^2 chunks, and each makes several hops.
const explicitNodes = 512

// strategy is a way to make schedules.
type strategy struct {
	name   string
	duplex bool // also for two-way circuits
	alone  bool // every chunk uses one topology only: none passes it on to the next
	single bool // its name says that chunks go straight to their targets on one topology
	// solver returns the solver of a problem, or nil if the strategy cannot solve it.
	solver func(p *Problem) solver
}

// Names lists the names of the strategies.
func Names() []string {
	names := make([]string, 0, len(strategies)+1)
	for _, s := range strategies {
		names = append(names, s.name)
	}
	return append(names, Auto)
}

// Alone lists the strategies in which every chunk uses one topology only.
func Alone() []string {
	var names []string
	for _, s := range strategies {
		if s.alone {
			names = append(names, s.name)
		}
	}
	return names
}

// Single reports whether the name of a strategy says that chunks go straight to their targets on
// one topology.
func Single(name string) bool {
	return slices.ContainsFunc(strategies, func(s strategy) bool { return s.single && s.name == name })
}

// solver finds the candidates of one strategy for one problem.
type solver interface {
	// limit is the largest number of stages that can be of use.
	limit() int
	// worth lists the numbers of stages to look at when any number will do.
	worth() []int
	// floor is a lower bound on the slots of the strategy with d stages.
	floor(d int) int
	// candidates shows the candidates of the strategy with exactly d stages, 1 <= d <= limit.
	// It may leave out candidates whose number of slots is not worth it.
	candidates(ctx context.Context, d int, worth func(slots int) bool, visit visitor) error
}
