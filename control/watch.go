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

// Events reads a switch again and again, a time apart, and yields every change of what is up and
// every error, the first reading included, until the context ends or yield returns false. It asks
// rather than waits to be told, as not every protocol can tell.
func Events(ctx context.Context, s Switch, every time.Duration, yield func(State, error) bool) error {
	var last State
	var failed error
	tick := time.NewTicker(max(every, time.Millisecond))
	defer tick.Stop()
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
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
