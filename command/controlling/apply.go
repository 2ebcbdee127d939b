package controlling

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/lightpath-net/lightpath/control"
	"github.com/lightpath-net/lightpath/field"
)

// Schemas name the JSON forms of the answers and their versions.
const (
	ApplySchema = "lightpath.control-apply/v1"
	WatchSchema = "lightpath.control-watch/v1"
	RunSchema   = "lightpath.control-run/v1"
)

// Applied is the result of applying a timetable.
type Applied struct {
	Schema string `json:"schema"`
	OK     bool   `json:"ok"` // every requested stage was up
	DryRun bool   `json:"dry_run,omitempty"`
	// Resumed says that the previous run was interrupted in the middle of a change.
	Resumed bool           `json:"resumed,omitempty"`
	Stages  []AppliedStage `json:"stages"`
	// Surprises are differences between the circuits in the journal and the circuits that were
	// up.
	Surprises []string `json:"surprises,omitempty"`
	// Reason says what went wrong.
	Reason string `json:"reason,omitempty"`
}

// AppliedStage is the result for a stage.
type AppliedStage struct {
	Stage    int             `json:"stage"`
	Topology string          `json:"topology,omitempty"`
	Outcome  control.Outcome `json:"outcome"`
	Switches []AppliedSwitch `json:"switches"`
}

// AppliedSwitch is the result for a switch.
type AppliedSwitch struct {
	Switch     string          `json:"switch"`
	Disconnect []control.Cross `json:"disconnect"` // from the old circuits to the wanted ones
	Connect    []control.Cross `json:"connect"`
	// Up is the state read at the end; missing if the switch did not answer.
	Up    []control.Cross `json:"up,omitempty"`
	Error string          `json:"error,omitempty"`
}

// Barrier is called before every stage but the first; an error ends the run.
type Barrier func(ctx context.Context, done *AppliedStage) error

// Apply sets the circuits of a timetable, each stage as one transaction over all its switches.
// An error means that the request is invalid; faults of switches are in the answer.
func Apply(ctx context.Context, r ApplyRequest, barrier Barrier) (*Applied, error) {
	if err := r.Complete(); err != nil {
		return nil, err
	}
	p, err := r.program()
	if err != nil {
		return nil, err
	}
	var j *control.Journal
	if r.DryRun {
		known, err := r.recall()
		if err != nil {
			return nil, err
		}
		j = control.Remembering(known)
	} else if j, err = control.OpenJournal(r.JournalFile); err != nil {
		return nil, field.In("journal", err)
	}
	defer j.Close()
	c, err := r.controller(p.Own, j)
	if err != nil {
		return nil, err
	}
	defer closeAll(c)
	a := &Applied{Schema: ApplySchema, DryRun: r.DryRun, Stages: []AppliedStage{}}
	if r.Undo {
		result, err := c.Undo(ctx)
		a.add(control.Goal{}, "what was up before", result, err)
		a.OK = err == nil
		return a, nil
	}
	goals := p.Stages
	if r.Stage > 0 {
		goals = goals[r.Stage-1 : r.Stage]
	}
	if r.DryRun {
		return a, rehearse(ctx, c, p, goals, a)
	}
	for i, goal := range goals {
		if i > 0 && barrier != nil {
			if err := barrier(ctx, &a.Stages[i-1]); err != nil {
				return a, err
			}
		}
		result, err := c.Reach(ctx, goal)
		if a.add(goal, p.Titles[goal.Stage-1], result, err); err != nil {
			return a, nil
		}
	}
	a.OK = true
	return a, nil
}

// rehearse says what would change: from the current circuits to the first stage, and from each
// stage to the next.
func rehearse(ctx context.Context, c *control.Controller, p *control.Program, goals []control.Goal, a *Applied) error {
	result, err := c.Prepare(ctx, goals[0])
	if a.add(goals[0], p.Titles[goals[0].Stage-1], result, err); err != nil {
		return nil
	}
	for i, goal := range goals[1:] {
		next := &control.Result{Outcome: control.Kept, Changes: map[string]control.Change{}}
		for name := range c.Switches {
			next.Changes[name] = control.Difference(goals[i].Want[name], goal.Want[name])
		}
		a.add(goal, p.Titles[goal.Stage-1], next, nil)
	}
	a.OK = true
	return nil
}

// add records the result of a stage.
func (a *Applied) add(goal control.Goal, topology string, r *control.Result, err error) {
	s := AppliedStage{Stage: goal.Stage, Topology: topology, Outcome: r.Outcome, Switches: []AppliedSwitch{}}
	names := slices.AppendSeq(slices.Collect(maps.Keys(r.Changes)), maps.Keys(r.Up))
	names = slices.AppendSeq(names, maps.Keys(r.Errors))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		one := AppliedSwitch{Switch: name, Disconnect: []control.Cross{}, Connect: []control.Cross{}}
		if d, changes := r.Changes[name]; changes {
			one.Disconnect = append(one.Disconnect, d.Disconnect...)
			one.Connect = append(one.Connect, d.Connect...)
		}
		if up, known := r.Up[name]; known {
			one.Up = up.Crosses()
		}
		if e := r.Errors[name]; e != nil {
			one.Error = e.Error()
		}
		s.Switches = append(s.Switches, one)
	}
	a.Stages = append(a.Stages, s)
	a.Resumed = a.Resumed || r.Resumed && len(a.Stages) == 1
	a.Surprises = append(a.Surprises, r.Surprises...)
	if err != nil {
		a.Reason = err.Error()
		if goal.Stage > 0 {
			a.Reason = fmt.Sprintf("stage %d: %s", goal.Stage, a.Reason)
		}
	}
}

// closeAll ends the connections.
func closeAll(c *control.Controller) error {
	var all error
	for _, s := range c.Switches {
		all = errors.Join(all, s.Close())
	}
	return all
}
