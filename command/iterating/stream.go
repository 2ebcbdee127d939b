package iterating

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/iteration/online"
	"github.com/lightpath-net/lightpath/units"
)

// Stream decides what to keep and when to reconfigure as the demands of steps come, one after
// another. It makes the same decisions as for a trace of the same demands (iteration/online),
// and keeps in memory only what it may still need. It is not safe for concurrent use.
type Stream struct {
	game    *game
	player  *online.Player
	members int
	agendas map[[2]int]*iteration.Agenda // by state and demand
}

// Choice is the decision for a step.
type Choice struct {
	*online.Decision
	Bound units.Time // no plan in which ranks use only their own ports is faster
	Own   bool       // the state was planned for the demand of this step
	step  int
	key   [2]int // state and demand
}

// StreamMemory is the state of a stream. A stream of the same request resumes from it as if it
// had never stopped, because the same demand always has the same plans.
type StreamMemory struct {
	Step    int            `json:"step"`              // number of the next step
	Last    string         `json:"last,omitempty"`    // the last demand
	Demands []StreamDemand `json:"demands,omitempty"` // for which there are plans
	Newest  int            `json:"newest,omitempty"`  // largest number of a plan
	Player  online.Memory  `json:"player"`
}

// StreamDemand is a demand for which plans were made.
type StreamDemand struct {
	Demand string `json:"demand"`
	Plans  []int  `json:"plans"` // their numbers
}

// NewStream plans for even demand. The request has no trace.
func NewStream(ctx context.Context, r IterateRequest, options ...command.Option) (*Stream, error) {
	if err := r.Complete(); err != nil {
		return nil, err
	}
	w, err := r.load()
	if err != nil {
		return nil, err
	}
	_, members, err := w.Skewed(even)
	if err != nil {
		return nil, field.In("workload", err)
	}
	if r.Fabric.Initial != fabric.InitialFree {
		return nil, field.In("fabric", field.Errorf("initial", "%q; steps begin with the circuits that the plan for even demand leaves", r.Fabric.Initial))
	}
	g, err := newGame(ctx, &r, w, &groups{e: command.NewRun(options)})
	if err != nil {
		return nil, err
	}
	return &Stream{game: g, player: online.NewPlayer(g), members: members, agendas: map[[2]int]*iteration.Agenda{}}, nil
}

// Ranks is the number of ranks of the workload.
func (s *Stream) Ranks() int { return s.game.workload.Ranks }

// Members is the number of ranks of a demand: those of one group of the all-to-alls.
func (s *Stream) Members() int { return s.members }

// Step is the number of the next step, from 0.
func (s *Stream) Step() int { return s.game.steps }

// Totals returns the time of all steps so far: as decided, and if the stream had never left the
// home plan.
func (s *Stream) Totals() (total, home units.Time) {
	m := s.player.Memory()
	return m.Total, m.Home
}

// Delay is the longest time that a change from one plan to another takes.
func (s *Stream) Delay() units.Time { return s.game.Delay() }

// Decide chooses a plan for the next step, given its demand. It does not choose plans whose
// numbers are in blocked. The choice has no effect until Take.
func (s *Stream) Decide(ctx context.Context, d collective.Demand, blocked ...int) (*Choice, error) {
	if err := d.Check(s.members); err != nil {
		return nil, err
	}
	g, step := s.game, s.game.steps
	if before, there := g.of[step]; there && g.demands[before].skew != d.Spec() {
		s.forget() // what was found for a demand that was given up
	}
	if err := g.add(ctx, d.Spec()); err != nil {
		return nil, err
	}
	g.steps = step
	made, err := s.player.Decide(ctx, step, blocked...)
	if err != nil {
		return nil, err
	}
	run, err := g.run(ctx, made.State, step)
	if err != nil {
		return nil, err
	}
	own := g.demand[made.State] == g.of[step]
	return &Choice{Decision: made, Bound: run.Bound, Own: own, step: step, key: [2]int{made.State, g.of[step]}}, nil
}

// Take makes the last choice effective.
func (s *Stream) Take(c *Choice) {
	s.player.Take(c.Decision)
	s.game.steps = c.step + 1
	s.forget()
}

// forget drops everything that no later step can need.
func (s *Stream) forget() {
	g := s.game
	delete(g.of, g.steps)
	used := map[int]bool{0: true}
	if g.steps > 0 {
		used[g.of[g.steps-1]] = true
	}
	for _, k := range s.player.Memory().Known {
		used[g.demand[k.State]] = true
	}
	for n, d := range g.demand {
		if !used[d] {
			delete(g.states, n)
			delete(g.demand, n)
		}
	}
	for d := range g.demands {
		if !used[d] {
			delete(g.demands, d)
			delete(g.planned, d)
		}
	}
	for step := range g.of {
		if step < g.steps-1 {
			delete(g.of, step)
		}
	}
	gone := func(key [2]int) bool { return g.states[key[0]] == nil || g.demands[key[1]] == nil }
	for key := range g.runs {
		if gone(key) {
			delete(g.runs, key)
		}
	}
	for key := range s.agendas {
		if gone(key) {
			delete(s.agendas, key)
		}
	}
}

// Present returns the proven plan of the last step as an ordered agenda; before the first step,
// the plan for even demand.
func (s *Stream) Present(ctx context.Context) (*iteration.Agenda, error) {
	if s.game.steps == 0 {
		return s.agenda(ctx, [2]int{0, 0}, s.game.states[0])
	}
	at, last := s.At(), s.game.steps-1
	run, err := s.game.run(ctx, at, last)
	if err == nil && run == nil {
		err = fmt.Errorf("plan %d does not carry its step out", at)
	}
	if err != nil {
		return nil, err
	}
	return s.agenda(ctx, [2]int{at, s.game.of[last]}, run)
}

// At is the number of the plan of the last step; 0: the plan for even demand.
func (s *Stream) At() int { return s.player.Memory().At }

// Agenda returns the proven plan chosen for a step as an ordered agenda.
func (s *Stream) Agenda(ctx context.Context, c *Choice) (*iteration.Agenda, error) {
	run, err := s.game.run(ctx, c.State, c.step)
	if err != nil {
		return nil, err
	}
	return s.agenda(ctx, c.key, run)
}

func (s *Stream) agenda(ctx context.Context, key [2]int, run *iteration.Run) (*iteration.Agenda, error) {
	if made := s.agendas[key]; made != nil {
		return made, nil
	}
	d, err := iteration.NewDocument(s.game.demands[key[1]].graph, &s.game.request.Fabric, run.Program, run.Repertoire, run.Plan)
	if err != nil {
		return nil, err
	}
	made, report, err := iteration.NewAgenda(ctx, d)
	if err != nil {
		return nil, err
	}
	if bad := report.First(); bad != nil {
		return nil, command.Refuted(run.Policy, *bad)
	}
	s.agendas[key] = made
	return made, nil
}

// Memory returns the state of the stream.
func (s *Stream) Memory() StreamMemory {
	g := s.game
	m := StreamMemory{Step: g.steps, Newest: g.newest, Player: s.player.Memory()}
	if g.steps > 0 {
		m.Last = g.demands[g.of[g.steps-1]].skew
	}
	for _, d := range slices.Sorted(maps.Keys(g.planned)) {
		m.Demands = append(m.Demands, StreamDemand{g.demands[d].skew, g.planned[d]})
	}
	return m
}

// Resume continues from the state of a stream of the same request. It plans again for the
// demands in that state.
func (s *Stream) Resume(ctx context.Context, m StreamMemory) error {
	g := s.game
	if m.Step < 0 || (m.Step > 0) != (m.Last != "") {
		return fmt.Errorf("step %d with the demand %.40q before it", m.Step, m.Last)
	}
	for _, of := range m.Demands {
		d, err := g.number(ctx, of.Demand)
		if err != nil {
			return err
		}
		runs, err := g.plan(ctx, d)
		if err != nil {
			return err
		}
		if len(runs) != len(of.Plans) || g.planned[d] != nil {
			return fmt.Errorf("%d plans for the demand %.40q; there are %d", len(of.Plans), of.Demand, len(runs))
		}
		for i, n := range of.Plans {
			if n < 1 || n > m.Newest || g.states[n] != nil {
				return fmt.Errorf("a plan has the number %d; want different ones in 1..%d", n, m.Newest)
			}
			g.states[n], g.demand[n] = runs[i], d
		}
		g.planned[d] = of.Plans
	}
	g.newest = m.Newest
	if g.steps = m.Step; m.Step > 0 {
		d, err := g.number(ctx, m.Last)
		if err != nil {
			return err
		}
		g.of[m.Step-1] = d
	}
	player, err := online.Resume(g, m.Player)
	if err != nil {
		return err
	}
	for _, k := range m.Player.Known {
		if g.states[k.State] == nil {
			return fmt.Errorf("plan %d is known, but not how it was made", k.State)
		}
	}
	s.player = player
	return nil
}
