package available

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/planning"
	"github.com/lightpath-net/lightpath/fabric/availability"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// speeds tracks how fast the job is in each state.
type speeds struct {
	machine *machine
	// time returns the time of the operations; 0 if there is no plan. whole is the time with
	// nothing lost.
	time  func(ctx context.Context, lost []thing) (units.Time, error)
	whole units.Time

	states map[string]*state // by key
	plans  int
}

// state represents all states equivalent to it.
type state struct {
	lost    []thing
	planned bool
	taken   units.Time // planned time of the operations; 0: no plan
	speed   availability.Speed

	linked       bool
	worse, fewer []*state // known states with more lost, and with one thing less lost
}

// see records a state and returns its key.
func (s *speeds) see(lost []thing) string {
	key := s.machine.symmetry.key(lost)
	if s.states[key] == nil {
		x := &state{lost: slices.Clone(lost), speed: availability.Speed{High: 1}}
		switch {
		case len(lost) == 0:
			x.planned, x.speed, x.taken = true, availability.Speed{Low: 1, High: 1}, s.whole
		case lost[0].kind == tooFewLeft:
			x.planned, x.speed = true, availability.Speed{}
		}
		s.states[key] = x
	}
	return key
}

// open reports whether the speed of a state is unknown.
func (x *state) open() bool { return x.speed.High-x.speed.Low > rounding }

// rounding is how far equal speeds may differ.
const rounding = 1e-9

// plan plans a state.
//
// A plan that works with more lost also works with less lost. So a state is at least as fast as
// any state with more lost, and at most as fast as any with less lost; settle uses this.
func (s *speeds) plan(ctx context.Context, x *state) error {
	taken, err := s.time(ctx, x.lost)
	if err != nil {
		return err
	}
	s.plans++
	x.planned, x.taken = true, taken
	v := 0.0
	if taken > 0 {
		// A plan around failures also works on the whole fabric, so it cannot be faster.
		v = min(1, float64(s.whole/taken)) * float64(s.machine.gpusLeft(x.lost)) / float64(s.machine.active)
	}
	x.speed = availability.Speed{Low: v, High: v}
	return nil
}

// settle propagates speeds between states with more and with less lost, until nothing changes.
func (s *speeds) settle() {
	list := s.sorted()
	for changed := true; changed; {
		changed = false
		for _, x := range list {
			s.link(x)
			for _, y := range x.worse { // x is at least as fast as y
				if y.speed.Low > x.speed.Low+rounding {
					x.speed.Low, changed = y.speed.Low, true
				}
			}
			for _, y := range x.fewer {
				if x.speed.Low > y.speed.Low+rounding {
					y.speed.Low, changed = x.speed.Low, true
				}
				if y.speed.High < x.speed.High-rounding && x.speed.Low < x.speed.High-rounding {
					x.speed.High, changed = max(x.speed.Low, y.speed.High), true
				}
			}
			x.speed.High = max(x.speed.High, x.speed.Low)
		}
	}
}

// sorted lists the states, those with the fewest things lost first.
func (s *speeds) sorted() []*state {
	keys := slices.SortedFunc(maps.Keys(s.states), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(s.states[a].lost), len(s.states[b].lost)), cmp.Compare(a, b))
	})
	return each.Of(keys, func(key string) *state { return s.states[key] })
}

// link finds the states to compare a state with: those in which the whole switches or the GPUs
// of its lost ports are lost, and those with one thing less lost.
func (s *speeds) link(x *state) {
	if x.linked {
		return
	}
	x.linked = true
	if len(x.lost) > mostOrdered || len(x.lost) == 0 || x.lost[0].kind == tooFewLeft {
		return
	}
	known := func(found map[thing]bool) *state { return s.states[s.machine.symmetry.key(s.machine.reduced(found))] }
	for i := range x.lost {
		some := map[thing]bool{}
		for k, t := range x.lost {
			if k != i {
				some[t] = true
			}
		}
		if y := known(some); y != nil && y != x && !slices.Contains(x.fewer, y) {
			x.fewer = append(x.fewer, y)
		}
	}
	chosen := make([]thing, len(x.lost))
	var choose func(k int)
	choose = func(k int) {
		if k == len(chosen) {
			found := each.Set(chosen)
			if y := known(found); y != nil && y != x && !slices.Contains(x.worse, y) {
				x.worse = append(x.worse, y)
			}
			return
		}
		t := x.lost[k]
		options := []thing{t}
		if t.kind == portLost {
			options = append(options, thing{switchLost, -1, -1, t.onSwitch, -1}, thing{gpuLost, t.gpu, -1, -1, -1})
		}
		for _, o := range options {
			chosen[k] = o
			choose(k + 1)
		}
	}
	choose(0)
}

// leaving returns the key of the state without the GPUs that have lost ports; "" if no GPU has
// lost a port, or too few GPUs would be left.
func (s *speeds) leaving(x *state) string {
	found := map[thing]bool{}
	some := false
	for _, t := range x.lost {
		if t.kind == portLost {
			t, some = thing{gpuLost, t.gpu, -1, -1, -1}, true
		}
		found[t] = true
	}
	if !some {
		return ""
	}
	lost := s.machine.reduced(found)
	if lost[0].kind == tooFewLeft {
		return ""
	}
	return s.see(lost)
}

// operations returns a function that times the operations of a request with some things lost; 0
// if there is no plan.
func operations(r *AvailabilityRequest, m *machine, e *command.Run) func(ctx context.Context, lost []thing) (units.Time, error) {
	return func(ctx context.Context, lost []thing) (units.Time, error) {
		f := m.around(lost)
		total := units.Time(0)
		for _, o := range r.For {
			made, err := planning.Fastest(ctx, planning.PlanRequest{Fabric: f, Planner: r.Planner, Operations: []collective.Operation{o}}, e)
			var named *field.Error
			if errors.Is(err, planner.ErrInfeasible) || len(lost) > 0 && errors.As(err, &named) {
				if len(lost) == 0 {
					return 0, err
				}
				return 0, nil
			}
			if err != nil {
				return 0, err
			}
			total += made.Cost.Total()
		}
		return total, nil
	}
}
