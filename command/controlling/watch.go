package controlling

import (
	"context"

	"github.com/lightpath-net/lightpath/control"
)

// Watched is the circuits that are up beside those that should be.
type Watched struct {
	Schema string `json:"schema"`
	OK     bool   `json:"ok"` // every switch answers and has the right circuits
	// Stage is the stage compared with, and Of is the number of stages.
	Stage    int    `json:"stage"`
	Of       int    `json:"of"`
	Topology string `json:"topology"`
	// Interrupted says that, by the journal, a change has begun but not ended.
	Interrupted bool            `json:"interrupted"`
	Switches    []WatchedSwitch `json:"switches"`
}

// WatchedSwitch is the circuits that are up on a switch. If a switch cannot be read, it has only
// the error.
type WatchedSwitch struct {
	Switch  string          `json:"switch"`
	Up      []control.Cross `json:"up,omitzero"`      // on our ports
	Missing []control.Cross `json:"missing,omitzero"` // should be up
	Extra   []control.Cross `json:"extra,omitzero"`   // should not be up
	Error   string          `json:"error,omitempty"`
}

// Watch reads the circuits that are up and says where they differ from the plan.
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

// nearest returns the stage from which the circuits that are up differ least; of equals, the
// first.
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

// Told returns a channel that receives a value whenever a switch announces a change. Switches
// whose protocols have no notifications stay silent. It ends with the context.
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
