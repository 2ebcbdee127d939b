package planes

import (
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/units"
)

// Problem is a sequence of steps that planes serve.
type Problem struct {
	Planes int
	// Services says, by step and circuits, how long a plane with these circuits takes; Whole is 0
	// if they do not serve the step.
	Services [][]Service
	// Change is how long a plane is dark between two sets of circuits; 0 from one to itself.
	Change [][]units.Time
	// Initial is how long it takes to set up the first circuits of a plane, counted from
	// the start; nil: they are up.
	Initial []units.Time
	// Reducing is, by step, how long GPUs reduce what has arrived while nothing is on its way: a
	// part of Fixed during which planes may change. nil: no time.
	Reducing []units.Time
}

// dark returns how long a plane is dark outside the step, if it serves the step over circuits
// from and then changes to others.
func (p *Problem) dark(step, from, to int) units.Time {
	change := p.Change[from][to]
	if p.Reducing != nil {
		change = max(0, change-p.Reducing[step])
	}
	return change
}

// Service is the time that a plane takes for a step: Fixed, plus Whole if it carries all of the
// step's bytes.
type Service struct{ Fixed, Whole units.Time }

// serves reports whether the circuits serve the step.
func (s Service) serves() bool { return s.Whole > 0 }

// Skip marks a step in a pattern that the plane does not serve.
const Skip = -1

// Pattern is, for each step, the circuits over which a plane serves it, or Skip.
type Pattern []int

// Check returns an error if the problem makes no sense.
func (p *Problem) Check() error {
	switch {
	case p.Planes < 1:
		return fmt.Errorf("planes: %d planes; want 1 or more", p.Planes)
	case len(p.Services) == 0:
		return fmt.Errorf("planes: no step")
	case p.Reducing != nil && len(p.Reducing) != len(p.Services):
		return fmt.Errorf("planes: %d times of reducing for %d steps", len(p.Reducing), len(p.Services))
	case p.Initial != nil && len(p.Initial) != len(p.Change):
		return fmt.Errorf("planes: %d circuits at the start, %d in all", len(p.Initial), len(p.Change))
	}
	for i, row := range p.Services {
		if len(row) != len(p.Change) {
			return fmt.Errorf("planes: step %d has %d circuits; want %d", i, len(row), len(p.Change))
		}
		if p.Direct(i) < 0 {
			return fmt.Errorf("planes: no circuits serve step %d", i)
		}
	}
	return nil
}

// Direct returns the circuits that serve a step best, or -1.
func (p *Problem) Direct(step int) int {
	best, least := -1, units.Time(math.Inf(1))
	for c, s := range p.Services[step] {
		if s.serves() && s.alone(p.Planes) < least {
			best, least = c, s.alone(p.Planes)
		}
	}
	return best
}

// alone returns the time of a step if all planes serve it like this for its whole length.
func (s Service) alone(planes int) units.Time { return s.Fixed + s.Whole/units.Time(planes) }

// Bound returns a lower bound for all patterns: the time of every step over its best circuits on
// all planes, without reconfigurations.
func (p *Problem) Bound() units.Time {
	sum := units.Time(0)
	for i := range p.Services {
		sum += p.Services[i][p.Direct(i)].alone(p.Planes)
	}
	if p.Initial != nil {
		least := units.Time(math.Inf(1))
		for c, s := range p.Services[0] {
			if s.serves() {
				least = min(least, p.Initial[c])
			}
		}
		sum += least
	}
	return sum
}
