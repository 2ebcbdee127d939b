package exchange

import "context"

// Auto is the strategy that takes the best of all others.
const Auto = "auto"

// Names of strategies.
const (
	Paper    = "paper"
	Shifts   = "shifts"
	Relay    = "relay"
	Cayley   = "cayley"
	Exact    = "exact"
	Bruck    = "bruck"
	Direct   = "direct"
	Match    = "match"
	Birkhoff = "birkhoff"
	MixNet   = "mixnet"
	Static   = "static"
	Rings    = "rings"
)

// strategies lists all but Auto in the order of their documentation.
var strategies = []strategy{
	{name: Direct, about: "every chunk over a circuit of its own: reconfigure always", solver: newDirect},
	{name: Bruck, about: "jumps are powers of a radix, chunks follow the digits of their offset", solver: newBruck},
	{name: Relay, about: "the best jumps found when chunks may wait for later topologies", solver: newRelay},
	{name: Cayley, about: "the best generators found in a group that does not commute, chunks wait for later topologies", solver: newCayley},
	{name: Shifts, about: "the best jumps found when a chunk uses one topology only", solver: newShifts},
	{name: Paper, about: "shifts of a ring in the order of Zhou et al., chunks in rounds", solver: newPaper},
	{name: Match, about: "relay with topologies that connect the heaviest pairs directly, for demands that differ", solver: newMatch},
	{name: Birkhoff, about: "the demand divided into matchings as FAST does, for demands that differ", solver: newBirkhoff},
	{name: MixNet, about: "one topology with circuits for the heaviest pairs first, for demands that differ", solver: newMixNet},
	{name: Static, about: "one topology: a circulant or a generalised Kautz graph, as DirectConnect has it", solver: newStatic},
	{name: Rings, about: "one topology: shifted rings, as TopoOpt has it", solver: newRings},
	{name: Exact, about: "any permutations when a chunk uses one topology only, by complete search", solver: newExact},
}

// strategy is a way to make schedules.
type strategy struct {
	name, about string
	// solver returns what solves the problem, or nil if the strategy cannot.
	solver func(p *Problem) solver
}

// Strategies lists the names of the strategies.
func Strategies() []string {
	names := make([]string, 0, len(strategies)+1)
	for _, s := range strategies {
		names = append(names, s.name)
	}
	return append(names, Auto)
}

// About says in one line what a strategy does.
func About(name string) string {
	for _, s := range strategies {
		if s.name == name {
			return s.about
		}
	}
	if name == Auto {
		return "the best of all strategies"
	}
	return ""
}

// solver finds the schedules of one strategy for one problem.
type solver interface {
	// limit is the largest number of stages that can be of use.
	limit() int
	// floor is a number of slots that the strategy needs at least with d stages.
	floor(d int) int
	// draft returns the best schedule that the strategy has with exactly d stages,
	// 1 <= d <= limit, or nil if it has none.
	draft(ctx context.Context, d int) (*draft, error)
}

// draft is a schedule whose slots are known and which is built when it is wanted.
type draft struct {
	strategy      string
	stages, slots int
	build         func(ctx context.Context) (*Schedule, error)
}

func (d *draft) cost(p *Problem) float64 { return cost(d.stages, d.slots, p.R, p.T) }
