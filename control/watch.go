package control

import (
	"context"
	"errors"
	"slices"
	"time"
)

// View is the state of a switch compared with the state that it should have.
type View struct {
	Switch string
	Up     State // on our ports
	// Differs is the change that would bring the switch to the state that it should have.
	Differs Change
	Err     error // if it could not be read
}

// Look reads all switches and compares their states with a goal.
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

// As reports whether all switches were read and have the right state.
func As(views []View) bool {
	return !slices.ContainsFunc(views, func(v View) bool { return v.Err != nil || !v.Differs.Empty() })
}

// Teller is a switch whose protocol has notifications of changes.
type Teller interface {
	// Tell calls told when something may have changed, and once when it begins to listen, until
	// the context ends or the switch stops notifying; the error says why. It may run
	// concurrently with other methods.
	Tell(ctx context.Context, told func()) error
}

// Listen sends a value into a channel whenever a switch notifies of a change, until the context
// ends. If the connection is lost, it listens again after a pause; a switch that refuses, or
// whose protocol has no notifications, stays silent.
func Listen(ctx context.Context, s Switch, again time.Duration, into chan<- struct{}) {
	teller, tells := s.(Teller)
	if !tells {
		return
	}
	for ctx.Err() == nil {
		err := teller.Tell(ctx, func() {
			select {
			case into <- struct{}{}:
			default: // an earlier notification is still pending
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
