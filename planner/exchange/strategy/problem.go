package strategy

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/units"
)

// ErrInfeasible says that a strategy has no schedule for a problem, for example because the
// strategy cannot use the requested number of topologies.
var ErrInfeasible = errors.New("exchange: no schedule")

// Problem describes the exchange to plan.
type Problem struct {
	Demand model.Demand
	Ports  int // of every node, >= 1
	// Duplex says that circuits are two-way: a circuit from u to v takes a port of both nodes
	// and is also a circuit from v to u.
	Duplex bool
	// R is the time to set up a topology, T the time of a slot: one chunk over one hop.
	// Only their ratio matters. R >= 0, T > 0.
	R, T float64
	// Fluid says that the demand is in arbitrary units rather than chunks, and that a stage takes
	// as long as its busiest circuit, because chunks cut through nodes. A fluid problem has routes
	// but no schedule.
	Fluid bool
	// Hop is the number of slots that each additional hop in a stage costs in a fluid problem.
	Hop float64
	// Faults are circuits and ports that the schedule must avoid.
	Faults Faults
	// Stages is the number of topologies, or 0 for the best number.
	Stages int
	// Strategy is one of Names, or "" for Auto.
	Strategy string
	// Sparing makes a named strategy skip the slow searches that Auto skips.
	Sparing bool
	// Circuits, if not nil, is called with the circuits of all stages, by stage, port and node,
	// before the search for routes over them. It returns a function that reports whether a number
	// of slots on these circuits can be of use.
	Circuits func(stages [][][]int) func(slots int) bool
	// Memory, if not nil, caches searches.
	Memory *Memory
	// Progress, if not nil, is called now and then from the planning goroutine.
	Progress func(done, total int)

	relays map[placing]placedStages // topologies of relay, placed for the demand
	rows   *demandRows              // shared by all solvers
}

// validate reports invalid fields.
func (p *Problem) validate() error {
	switch {
	case p.Demand.Nodes() == 0:
		return fmt.Errorf("%w: none is given; use Uniform or Counts", model.ErrDemand)
	case p.Ports < 1:
		return fmt.Errorf("exchange: ports: %d, want 1 or more", p.Ports)
	case !(p.R >= 0) || math.IsInf(p.R, 1):
		return fmt.Errorf("exchange: time of a reconfiguration: %v, want 0 or more", p.R)
	case !(p.T > 0) || math.IsInf(p.T, 1):
		return fmt.Errorf("exchange: time of a slot: %v, want more than 0", p.T)
	case p.Stages < 0:
		return fmt.Errorf("exchange: stages: %d, want 1 or more, or 0 for the best", p.Stages)
	}
	return nil
}

// even returns the demand of every pair, and false if pairs differ in demand or if there are
// faults.
func (p *Problem) even() (each int, ok bool) {
	each, ok = p.Demand.Each()
	return each, ok && !p.Faults.Any()
}

// ports returns the number of ports that can be of use: at most one for each peer.
func (p *Problem) ports() int { return min(p.Ports, p.Demand.Nodes()-1) }

// Solve plans the exchange with the strategy of the problem, which must not be fluid. The
// schedule has exactly the requested number of stages, or the best number if none is requested.
// Schedules are correct in the sense of Check; Solve does not check them again.
func Solve(ctx context.Context, p Problem) (*model.Schedule, error) {
	if p.Fluid {
		return nil, errors.New("exchange: a fluid problem has no schedule")
	}
	best, err := p.best(ctx)
	if err != nil {
		return nil, err
	}
	if best == nil {
		return nil, p.Infeasible()
	}
	out, err := best.Schedule(ctx)
	if err == nil {
		out.Duplex = p.Duplex
	}
	return out, err
}

// Infeasible explains why there is no schedule.
func (p *Problem) Infeasible() error {
	stages := "any number of topologies"
	if p.Stages > 0 {
		stages = units.Count(p.Stages, "topology", "topologies")
	}
	ports := units.Count(p.Ports, "port")
	if p.Duplex {
		ports = units.Count(p.Ports, "two-way port")
	}
	return fmt.Errorf("%w: strategy %s has none for this demand of %d nodes with %s and %s",
		ErrInfeasible, p.strategy(), p.Demand.Nodes(), ports, stages)
}

// strategy returns the name of the strategy.
func (p *Problem) strategy() string {
	if p.Strategy == "" {
		return Auto
	}
	return p.Strategy
}

// sparing reports whether to skip slow searches.
func (p *Problem) sparing() bool { return p.Sparing || p.strategy() == Auto }

// solvers returns the solvers that the strategy of the problem tries, in order.
func (p *Problem) solvers() ([]solver, error) {
	if err := p.validate(); err != nil {
		return nil, err
	}
	var list []solver
	known := p.strategy() == Auto
	for _, st := range strategies {
		if p.strategy() != Auto && p.strategy() != st.name {
			continue
		}
		known = true
		if p.Duplex && !st.duplex {
			continue
		}
		if s := st.solver(p); s != nil {
			list = append(list, s)
		}
	}
	if p.ports() > 1 {
		// With many nodes cayley runs faster than relay, and its results rule out most
		// numbers of stages for relay. For uneven demands its plans win more often.
		for i := range len(list) - 1 {
			_, relays := list[i].(*relay)
			_, spells := list[i+1].(*cayley)
			if relays && spells && p.Demand.Nodes() > explicitNodes || p.Fluid && places(list[i], Relay) && places(list[i+1], Cayley) {
				list[i], list[i+1] = list[i+1], list[i]
				break
			}
		}
	}
	if p.Fluid && p.Demand.Nodes() <= denseNodes {
		// With few nodes the search for matchings is quick, and its results rule out most numbers
		// of stages for the other strategies.
		if i := slices.IndexFunc(list, func(s solver) bool { _, divides := s.(*birkhoff); return divides }); i > 0 {
			divides := list[i]
			list = slices.Insert(slices.Delete(list, i, i+1), 0, divides)
		}
	}
	if !known {
		return nil, fmt.Errorf("exchange: strategy: %q, want %s", p.Strategy, strings.Join(Names(), ", "))
	}
	return list, nil
}

// places reports whether a solver places the topologies of a strategy.
func places(s solver, name string) bool {
	p, ok := s.(*placedRelay)
	return ok && p.name == name
}
