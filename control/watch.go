package control

import (
	"context"
	"errors"
	"slices"
	"time"
)

// View is what was read of a switch, beside what should be up.
type View struct {
	Switch string
	Up     State // on our ports
	// Differs is the change that would bring the switch to what should be up.
	Differs Change
	Err     error // it could not be read
}

// Look reads all switches, and compares what is up with a goal.
func (c *Controller) Look(ctx context.Context, goal Goal) []View {
	names := c.names()
	views := make([]View, len(names))
	c.each(func(name string) error {
		v := &views[slices.Index(names, name)]
		v.Switch = name
		v.Up, v.Err = c.ask(ctx, name)
		if v.Err == nil {
			v.Differs = Difference(v.Up, goal.Want[name])
		}
		return nil
	})
	return views
}

// As reports whether all switches were read and have what they should.
func As(views []View) bool {
	return !slices.ContainsFunc(views, func(v View) bool { return v.Err != nil || !v.Differs.Empty() })
}

// Teller is a switch whose protocol tells of changes.
type Teller interface {
	// Tell calls told when something may have changed, and once when it begins to listen, until the
	// context ends or the switch tells no more; the error says why. It may be called while other
	// methods are.
	Tell(ctx context.Context, told func()) error
}

// Listen has a switch tell of changes into a channel, until the context ends. If the connection is
// lost, it listens again after a time; a switch that refuses, or whose protocol does not tell,
// stays silent.
func Listen(ctx context.Context, s Switch, again time.Duration, into chan<- struct{}) {
	teller, tells := s.(Teller)
	if !tells {
		return
	}
	for ctx.Err() == nil {
		err := teller.Tell(ctx, func() {
			select {
			case into <- struct{}{}:
			default: // there is news already that was not looked at yet
			}
		})
		var refusal *Refusal
		if errors.As(err, &refusal) {
			return
		}
		select {
		case <-time.After(again):
		case <-ctx.Done():
		}
	}
}

// Events yields every change of what is up on a switch and every error, the first reading included,
// until the context ends or yield returns false. It reads the switch again and again, a time apart,
// and at once when the switch tells of a change, where its protocol can.
func Events(ctx context.Context, s Switch, every time.Duration, yield func(State, error) bool) error {
	var last State
	var failed error
	tick := time.NewTicker(max(every, time.Millisecond))
	defer tick.Stop()
	told := make(chan struct{}, 1)
	listening, stop := context.WithCancel(ctx)
	defer stop()
	go Listen(listening, s, max(every, time.Millisecond), told)
	for first := true; ; first = false {
		up, err := s.State(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		news := first || !errors.Is(err, failed) && (err == nil || failed == nil || err.Error() != failed.Error()) || err == nil && !up.Equal(last)
		if news && !yield(up, err) {
			return nil
		}
		if failed = err; err == nil {
			last = up
		}
		select {
		case <-tick.C:
		case <-told:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
