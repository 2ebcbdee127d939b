package online

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/units"
)

// mostStates is the most states that are remembered.
const mostStates = 8

// ErrBlocked says that no state that can be entered can carry out a step.
var ErrBlocked = errors.New("no state that can be entered carries the step out")

// Player plays a game whose steps come one after another. Deciding changes nothing: a caller
// that cannot enter the chosen state decides again without it.
type Player struct {
	Game
	known []int              // remembered states; home is the first
	work  map[int]units.Time // the least time for all steps up to now that ends in a state
	at    int
	total units.Time
	home  units.Time
}

// Decision is what is chosen for a step.
type Decision struct {
	Step
	planned, known []int
	work           map[int]units.Time
}

// Memory is the state of a player: with the same states it continues as if it had never
// stopped.
type Memory struct {
	At    int        `json:"at"`
	Total units.Time `json:"total_ns"` // of all steps
	Home  units.Time `json:"home_ns"`  // if home had never been left
	Known []Known    `json:"known"`
}

// Known is a state that a player remembers.
type Known struct {
	State int `json:"state"`
	// Work is the least time for all steps up to now that ends in the state; nil: the last step
	// cannot be carried out there.
	Work *units.Time `json:"work_ns,omitempty"`
}

// NewPlayer begins a game at home.
func NewPlayer(g Game) *Player {
	return &Player{Game: g, known: []int{0}, work: map[int]units.Time{0: 0}}
}

// Resume continues a game.
func Resume(g Game, m Memory) (*Player, error) {
	p := &Player{Game: g, work: map[int]units.Time{}, at: m.At, total: m.Total, home: m.Home}
	for _, k := range m.Known {
		if slices.Contains(p.known, k.State) {
			return nil, errors.New("a state is known twice")
		}
		p.known = append(p.known, k.State)
		p.work[k.State] = units.Time(math.Inf(1))
		if k.Work != nil {
			p.work[k.State] = *k.Work
		}
	}
	if len(p.known) == 0 || p.known[0] != 0 || !slices.Contains(p.known, m.At) {
		return nil, errors.New("the states that are known have to begin with home, and include the present one")
	}
	return p, nil
}

// Memory returns what the player knows.
func (p *Player) Memory() Memory {
	m := Memory{At: p.at, Total: p.total, Home: p.home}
	for _, s := range p.known {
		k := Known{State: s}
		if w := p.work[s]; !math.IsInf(float64(w), 1) {
			k.Work = &w
		}
		m.Known = append(m.Known, k)
	}
	return m
}

// Decide chooses the state of a step among those that are not blocked.
func (p *Player) Decide(ctx context.Context, t int, blocked ...int) (*Decision, error) {
	planned, err := p.Plan(ctx, t)
	if err != nil {
		return nil, err
	}
	known := slices.Clone(p.known)
	for _, s := range planned {
		if !slices.Contains(known, s) {
			known = append(known, s)
		}
	}
	work, here := map[int]units.Time{}, map[int]units.Time{} // here: from the current state
	for _, to := range known {
		work[to] = units.Time(math.Inf(1))
		for _, from := range p.known {
			time, err := price(ctx, p, from, to, t)
			if err != nil {
				return nil, err
			}
			work[to] = min(work[to], p.work[from]+time)
			if from == p.at {
				here[to] = time
			}
		}
	}
	stays, err := price(ctx, p, 0, 0, t)
	if err != nil {
		return nil, err
	}
	home := p.home + stays
	best := units.Time(math.Inf(1)) // in hindsight
	for _, w := range work {
		best = min(best, w)
	}
	open := slices.DeleteFunc(slices.Clone(known), func(s int) bool { return slices.Contains(blocked, s) })
	next := p.choose(open, work, here, home)
	if next < 0 || p.total+here[next] > Ratio*best || home-best >= Evidence*p.Delay() {
		next = p.choose(open, work, here, home+2*p.Delay())
	}
	if next < 0 { // home is blocked, and everything else exceeds the limit
		next = p.choose(open, work, here, units.Time(math.Inf(1)))
	}
	if next < 0 {
		return nil, ErrBlocked
	}
	step := Step{State: next, Rewired: next != p.at, Time: here[next], Home: stays}
	return &Decision{Step: step, planned: planned, known: known, work: work}, nil
}

// Take carries out a decision.
func (p *Player) Take(d *Decision) {
	p.total, p.home, p.at, p.work = p.total+d.Time, p.home+d.Home, d.State, d.work
	p.forget(d.known, d.planned)
}

// choose picks the state of a step by the work function, among those after which all steps,
// including the way back, have taken no longer than a limit. Home is always among them. It
// returns -1 if there is none.
func (p *Player) choose(known []int, work, here map[int]units.Time, limit units.Time) int {
	next, least := -1, units.Time(math.Inf(1))
	for _, to := range known {
		if to != 0 && p.total+here[to]+p.Back(to) > limit {
			continue
		}
		if w := work[to] + here[to]; w < least || w == least && to == p.at && next >= 0 {
			next, least = to, w
		}
	}
	return next
}

// forget keeps only few of the known states: home, the current one, the newest, and those that
// would have been best.
func (p *Player) forget(known, newest []int) {
	for len(known) > mostStates {
		worst := -1
		for i, s := range known {
			if s != 0 && s != p.at && !slices.Contains(newest, s) && (worst < 0 || p.work[s] > p.work[known[worst]]) {
				worst = i
			}
		}
		known = slices.Delete(known, worst, worst+1)
	}
	p.known = known
}
