package control

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// Patience is how long and how often a controller tries.
type Patience struct {
	Timeout  time.Duration // of one query or command
	Attempts int           // to bring a switch to a state
	Pause    time.Duration // before the second attempt; doubles with each further one
	// Quiet is the time between two readings that must agree when a command may still be
	// running: after a timeout, a lost connection or a kill.
	Quiet time.Duration
}

// DefaultPatience suits switches that take milliseconds to seconds to set circuits up.
var DefaultPatience = Patience{Timeout: 10 * time.Second, Attempts: 3, Pause: 500 * time.Millisecond, Quiet: time.Second}

// Controller brings switches from state to state.
type Controller struct {
	// Switches, by name. Only the ports in Own, by the name of their switch, are ever touched.
	Switches map[string]Switch
	Own      map[string]Ports
	Journal  *Journal
	Patience
	// Sleep waits; nil: for the real time.
	Sleep func(context.Context, time.Duration) error
}

// Ports are ports of a switch.
type Ports struct{ Ingress, Egress map[int]bool }

// Goal is the state to reach on each switch: exactly these cross-connects between our ports.
type Goal struct {
	Plan  string // checksum of the timetable
	Stage int    // from 1
	Want  map[string]State
}

// Outcome is the result of an attempt to reach a goal.
type Outcome string

// The outcomes.
const (
	Reached Outcome = "done"       // every switch was read to have the wanted state
	Kept    Outcome = "unchanged"  // no command was sent
	Undone  Outcome = "undone"     // every switch has its old state again
	Stuck   Outcome = "unfinished" // switches differ from both; the journal has the wanted states
)

// Result is the result of a transaction.
type Result struct {
	Outcome Outcome
	// Resumed says that the previous run was interrupted in the middle of a change.
	Resumed bool
	// Changes are the differences between the old and the wanted states.
	Changes map[string]Change
	// Up is the final state of our ports; a switch that did not answer is in Errors instead.
	Up     map[string]State
	Errors map[string]error
	// Surprises are differences between the state in the journal and the actual state.
	Surprises []string
}

// names lists the switches of the controller.
func (c *Controller) names() []string { return slices.Sorted(maps.Keys(c.Switches)) }

// each calls do for all switches at once and returns the errors by name.
func (c *Controller) each(do func(name string) error) map[string]error {
	var mu sync.Mutex
	var all sync.WaitGroup
	bad := map[string]error{}
	for _, name := range c.names() {
		all.Go(func() {
			if err := do(name); err != nil {
				mu.Lock()
				bad[name] = err
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return bad
}

// first returns the error of the first switch in the order of names.
func first(bad map[string]error) error {
	for _, name := range slices.Sorted(maps.Keys(bad)) {
		return fmt.Errorf("switch %s: %w", name, bad[name])
	}
	return nil
}

// sleep waits.
func (c *Controller) sleep(ctx context.Context, d time.Duration) error {
	if c.Sleep != nil {
		return c.Sleep(ctx, d)
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ask reads the state of our ports once.
func (c *Controller) ask(ctx context.Context, name string) (State, error) {
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	all, err := c.Switches[name].State(ctx)
	if err != nil {
		return nil, err
	}
	return c.ours(name, all)
}

// ours leaves out cross-connects between ports of others. A cross-connect between a port of ours
// and a port of others is an error.
func (c *Controller) ours(name string, all State) (State, error) {
	own, mine := c.Own[name], make(State, len(all))
	for _, x := range all.Crosses() {
		switch in, out := own.Ingress[x.Ingress], own.Egress[x.Egress]; {
		case in && out:
			mine[x.Ingress] = x.Egress
		case in:
			return nil, fmt.Errorf("ingress port %d of the port map is connected to port %d, which the map does not have", x.Ingress, x.Egress)
		case out:
			return nil, fmt.Errorf("egress port %d of the port map is connected to port %d, which the map does not have", x.Egress, x.Ingress)
		}
	}
	return mine, nil
}

// read reads the state of a switch. Unless sure says that no command is running, it reads until
// two readings agree, at most as many times as there are attempts.
func (c *Controller) read(ctx context.Context, name string, sure bool) (State, error) {
	up, err := c.ask(ctx, name)
	if err != nil || sure {
		return up, err
	}
	for range max(c.Attempts, 1) {
		if err := c.sleep(ctx, c.Quiet); err != nil {
			return nil, err
		}
		again, err := c.ask(ctx, name)
		if err != nil {
			return nil, err
		}
		if up.Equal(again) {
			return up, nil
		}
		up = again
	}
	return nil, errors.New("its cross-connects keep changing")
}

// settle brings a switch to a state. Every attempt first reads the current state and sends only
// the differences from the goal, so no command is executed twice even if answers are lost. It
// ends when a reading shows the goal.
func (c *Controller) settle(ctx context.Context, name string, want State, sure bool) (State, error) {
	var failed error
	pause := c.Pause
	for attempt := 0; ; attempt++ {
		if up, err := c.read(ctx, name, sure); err == nil {
			sure = true
			change := Difference(up, want)
			if change.Empty() {
				return up, nil
			}
			if attempt == c.Attempts {
				if failed == nil {
					failed = fmt.Errorf("says it is done, but differs: %s", differs(change))
				}
				return up, failed
			}
			if failed = c.send(ctx, name, change); failed == nil {
				continue // read the result
			}
			var refusal *Refusal
			sure = errors.As(failed, &refusal)
		} else {
			sure, failed = false, err
			if attempt >= c.Attempts {
				return nil, failed
			}
		}
		if err := c.sleep(ctx, pause); err != nil {
			return nil, errors.Join(failed, err)
		}
		pause *= 2
	}
}

// send sends a command.
func (c *Controller) send(ctx context.Context, name string, change Change) error {
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	return c.Switches[name].Change(ctx, change)
}

// differs says in words what a change would correct.
func differs(c Change) string {
	switch {
	case len(c.Disconnect) == 0:
		return "missing " + List(c.Connect)
	case len(c.Connect) == 0:
		return "too much " + List(c.Disconnect)
	}
	return "missing " + List(c.Connect) + "; too much " + List(c.Disconnect)
}
