package controlling

import (
	"context"

	"github.com/lightpath-net/lightpath/control"
)

// Watched is what is up, beside what should be.
type Watched struct {
	Schema string `json:"schema"`
	OK     bool   `json:"ok"` // every switch answers, and has what it should
	// Stage is the one that was compared with, and Of is how many there are.
	Stage    int    `json:"stage"`
	Of       int    `json:"of"`
	Topology string `json:"topology"`
	// Interrupted says that a change began and has not ended, by the journal.
	Interrupted bool            `json:"interrupted"`
	Switches    []WatchedSwitch `json:"switches"`
}

// WatchedSwitch is what is up on a switch. Of one that cannot be read, there is only the error.
type WatchedSwitch struct {
	Switch  string          `json:"switch"`
	Up      []control.Cross `json:"up,omitzero"`      // on our ports
	Missing []control.Cross `json:"missing,omitzero"` // should be up
	Extra   []control.Cross `json:"extra,omitzero"`   // should not
	Error   string          `json:"error,omitempty"`
}

// Watch reads what is up, and says where it differs from the plan.
func Watch(ctx context.Context, r WatchRequest) (*Watched, error) {
	if err := r.Complete(); err != nil {
		return nil, err
	}
	p, err := r.program()
	if err != nil {
		return nil, err
	}
	known, err := r.recall()
	if err != nil {
		return nil, err
	}
	c, err := r.controller(p.Own, nil)
	if err != nil {
		return nil, err
	}
	defer closeAll(c)
	stage := r.Stage
	if stage == 0 && known.Plan == p.Sum && known.Stage <= len(p.Stages) {
		stage = known.Stage
	}
	views := c.Look(ctx, p.Stages[max(stage, 1)-1])
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if stage == 0 {
		stage = nearest(p, views)
		for i := range views {
			if v := &views[i]; v.Err == nil {
				v.Differs = control.Difference(v.Up, p.Stages[stage-1].Want[v.Switch])
			}
		}
	}
	a := &Watched{Schema: WatchSchema, OK: control.As(views) && !known.Open, Stage: stage, Of: len(p.Stages), Topology: p.Titles[stage-1],
		Interrupted: known.Open, Switches: []WatchedSwitch{}}
	for _, v := range views {
		one := WatchedSwitch{Switch: v.Switch}
		if v.Err != nil {
			one.Error = v.Err.Error()
		} else {
			one.Up = append([]control.Cross{}, v.Up.Crosses()...)
			one.Missing = append([]control.Cross{}, v.Differs.Connect...)
			one.Extra = append([]control.Cross{}, v.Differs.Disconnect...)
		}
		a.Switches = append(a.Switches, one)
	}
	return a, nil
}

// nearest is the stage from which what is up differs least; of equals, the first.
func nearest(p *control.Program, views []control.View) int {
	best, least := 1, -1
	for i, goal := range p.Stages {
		differs := 0
		for _, v := range views {
			if v.Err == nil {
				d := control.Difference(v.Up, goal.Want[v.Switch])
				differs += len(d.Connect) + len(d.Disconnect)
			}
		}
		if least < 0 || differs < least {
			best, least = i+1, differs
		}
	}
	return best
}

// Told returns a channel that has something whenever a switch tells of a change. Switches whose
// protocols cannot tell stay silent. It ends with the context.
func Told(ctx context.Context, r WatchRequest) (<-chan struct{}, error) {
	if err := r.Complete(); err != nil {
		return nil, err
	}
	p, err := r.program()
	if err != nil {
		return nil, err
	}
	c, err := r.controller(p.Own, nil)
	if err != nil {
		return nil, err
	}
	told := make(chan struct{}, 1)
	for _, s := range c.Switches {
		go control.Listen(ctx, s, r.Timeout.Std(), told)
	}
	return told, nil
}
