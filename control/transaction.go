package control

import (
	"context"
	"fmt"
	"maps"
	"slices"
)

// Prepare is the first phase: it reads every switch, checks that the goal is possible, and
// returns what would change. It sends no command.
func (c *Controller) Prepare(ctx context.Context, goal Goal) (*Result, error) {
	known := c.Journal.Memory()
	r := &Result{Outcome: Kept, Resumed: known.Open, Changes: map[string]Change{}, Up: map[string]State{}, Errors: map[string]error{}}
	for _, name := range slices.Sorted(maps.Keys(goal.Want)) {
		if c.Switches[name] == nil {
			return r, fmt.Errorf("switch %s: unknown; there are %v", name, c.names())
		}
	}
	for _, name := range slices.Sorted(maps.Keys(known.Before)) {
		if known.Open && c.Switches[name] == nil {
			return r, fmt.Errorf("switch %s: unknown, but the interrupted change is on it too; there are %v", name, c.names())
		}
	}
	ups := make([]State, len(c.names()))
	r.Errors = c.each(func(name string) error {
		at := slices.Index(c.names(), name)
		up, err := c.read(ctx, name, !known.Open)
		if err != nil {
			return err
		}
		ups[at] = up
		return c.possible(ctx, name, goal.Want[name])
	})
	if err := first(r.Errors); err != nil {
		return r, err
	}
	for i, name := range c.names() {
		r.Up[name] = ups[i]
		if d := Difference(ups[i], goal.Want[name]); !d.Empty() {
			r.Changes[name] = d
		}
		if s := surprise(known, name, ups[i]); s != "" {
			r.Surprises = append(r.Surprises, s)
		}
	}
	return r, nil
}

// possible checks that a switch has the ports of a goal, and that they are ours.
func (c *Controller) possible(ctx context.Context, name string, want State) error {
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	size, err := c.Switches[name].Size(ctx)
	if err != nil {
		return err
	}
	own := c.Own[name]
	for _, x := range want.Crosses() {
		if err := size.Check(x); err != nil {
			return err
		}
		if !own.Ingress[x.Ingress] || !own.Egress[x.Egress] {
			return fmt.Errorf("%v: not in the port map", x)
		}
	}
	return nil
}

// surprise says how the state differs from the journal; "" if it does not.
func surprise(known Memory, name string, up State) string {
	if known.After == nil {
		return ""
	}
	if !known.Open {
		if d := Difference(up, known.After[name]); !d.Empty() {
			return fmt.Sprintf("switch %s differs from what the journal says: %s", name, differs(d))
		}
		return ""
	}
	states := append([]map[string]State{known.Before, known.After}, known.Begun...)
	for _, x := range up.Crosses() {
		if !slices.ContainsFunc(states, func(s map[string]State) bool { return s[name][x.Ingress] == x.Egress }) {
			return fmt.Sprintf("switch %s has %v, which is neither of an interrupted change nor from before it", name, x)
		}
	}
	return ""
}

// Reach runs the whole transaction. The error says why the goal was not reached; the result has
// the final state, as far as switches answer.
func (c *Controller) Reach(ctx context.Context, goal Goal) (*Result, error) {
	r, err := c.Prepare(ctx, goal)
	if err != nil {
		return r, err
	}
	known := c.Journal.Memory()
	if len(r.Changes) == 0 && !known.Open && known.Plan == goal.Plan && known.Stage == goal.Stage {
		r.Outcome = Reached
		return r, nil // the journal knows this already
	}
	before := maps.Clone(r.Up)
	if known.Open { // go back to the last complete state, not to a half-done one
		for name := range before {
			if s, there := known.Before[name]; there && c.possible(ctx, name, s) == nil {
				before[name] = s
			}
		}
	}
	want := make(map[string]State, len(before))
	for name := range before {
		if want[name] = goal.Want[name]; want[name] == nil {
			want[name] = State{}
		}
	}
	err = c.Journal.append(record{Kind: intended, Plan: goal.Plan, Stage: goal.Stage, Before: listsOf(before), After: listsOf(want)})
	if err != nil {
		return r, err
	}
	failed := c.bring(ctx, r, want, true)
	if failed == nil {
		r.Outcome = Reached
		return r, c.Journal.append(record{Kind: finished})
	}
	return r, c.back(ctx, r, before, failed)
}

// bring commits: it brings all switches to their wanted states, and records the final states.
// sure says that no command can still be running.
func (c *Controller) bring(ctx context.Context, r *Result, want map[string]State, sure bool) error {
	names := c.names()
	ups := make([]State, len(names))
	r.Errors = c.each(func(name string) (err error) {
		ups[slices.Index(names, name)], err = c.settle(ctx, name, want[name], sure)
		return err
	})
	for i, name := range names {
		if delete(r.Up, name); ups[i] != nil {
			r.Up[name] = ups[i]
		}
	}
	return first(r.Errors)
}

// back undoes a failed commit. It completes even if the caller has been interrupted, because
// half a change is worse than a late end.
func (c *Controller) back(ctx context.Context, r *Result, before map[string]State, failed error) error {
	if stuck := c.bring(context.WithoutCancel(ctx), r, before, false); stuck != nil {
		r.Outcome = Stuck
		return fmt.Errorf("%w; and going back: %w", failed, stuck)
	}
	r.Outcome = Undone
	if err := c.Journal.append(record{Kind: returned, Why: failed.Error()}); err != nil {
		return err
	}
	return fmt.Errorf("%w; all switches are back to what was up before", failed)
}

// Undo goes back to the state before an interrupted change. Without one it does nothing.
func (c *Controller) Undo(ctx context.Context) (*Result, error) {
	known := c.Journal.Memory()
	if !known.Open {
		return &Result{Outcome: Kept}, nil
	}
	r, err := c.Prepare(ctx, Goal{Want: known.Before})
	if err != nil {
		return r, err
	}
	want := maps.Clone(r.Up)
	maps.Copy(want, known.Before)
	if err := c.bring(ctx, r, want, true); err != nil {
		r.Outcome = Stuck
		return r, err
	}
	r.Outcome = Undone
	return r, c.Journal.append(record{Kind: returned, Why: "asked for"})
}
