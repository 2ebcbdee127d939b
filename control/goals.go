package control

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/lightpath-net/lightpath/compile/timetable"
)

// Program is a timetable as goals: the state of every switch in every stage.
type Program struct {
	Sum string // checksum of the states of all stages
	Own map[string]Ports
	// Begin is the state before the first stage, stage 0, as far as the timetable gives it.
	Begin  Goal
	Stages []Goal
	// Titles are the topologies of the stages.
	Titles []string
}

// NewProgram reads a timetable with a port map. It executes the commands one by one, and so
// refuses a timetable whose commands are inconsistent.
func NewProgram(t *timetable.Table) (*Program, error) {
	p, err := NewIteration(t)
	if err == nil && len(p.Stages) == 0 {
		return nil, errors.New("the timetable has no stages")
	}
	return p, err
}

// NewIteration reads the timetable of an iteration in the same way. An iteration begins with the
// cross-connects that are up, and may change none of them.
func NewIteration(t *timetable.Table) (*Program, error) {
	if t.PortMap == nil {
		return nil, errors.New("the timetable has no port map")
	}
	p := &Program{Own: map[string]Ports{}}
	for _, at := range t.PortMap {
		own, there := p.Own[at.Switch]
		if !there {
			own = Ports{Ingress: map[int]bool{}, Egress: map[int]bool{}}
			p.Own[at.Switch] = own
		}
		own.Ingress[at.Ingress], own.Egress[at.Egress] = true, true
	}
	now := make(map[string]State, len(p.Own))
	for name := range p.Own {
		now[name] = State{}
	}
	for i, u := range t.Up {
		up, there := now[t.Name(u.Switch)]
		if !there {
			return nil, fmt.Errorf("up[%d]: switch %d: there are %d", i, u.Switch, len(t.Names))
		}
		up[u.Ingress] = u.Egress
	}
	p.Begin = Goal{Want: clone(now)}
	err := t.Follow(func(stage int, _ map[[2]int]int) bool {
		for _, c := range t.Stages[stage].Changes {
			if up := now[t.Name(c.Switch)]; c.Action == timetable.Connect {
				up[c.Ingress] = c.Egress
			} else {
				delete(up, c.Ingress)
			}
		}
		p.Stages = append(p.Stages, Goal{Stage: stage + 1, Want: clone(now)})
		p.Titles = append(p.Titles, t.Stages[stage].Topology)
		return true
	})
	if err != nil {
		return nil, err
	}
	p.Sum = p.sum()
	p.Begin.Plan = p.Sum
	for i := range p.Stages {
		p.Stages[i].Plan = p.Sum
	}
	return p, nil
}

// clone copies states.
func clone(states map[string]State) map[string]State {
	copied := make(map[string]State, len(states))
	for name, up := range states {
		copied[name] = maps.Clone(up)
	}
	return copied
}

// sum returns a checksum that is the same for programs with the same states at the beginning and
// in every stage.
func (p *Program) sum() string {
	h := sha256.New()
	var line []byte
	for _, goal := range append([]Goal{p.Begin}, p.Stages...) {
		for _, name := range slices.Sorted(maps.Keys(goal.Want)) {
			line = fmt.Appendf(line[:0], "%d %s", goal.Stage, name)
			for _, x := range goal.Want[name].Crosses() {
				line = strconv.AppendInt(append(line, ' '), int64(x.Ingress), 10)
				line = strconv.AppendInt(append(line, '>'), int64(x.Egress), 10)
			}
			h.Write(append(line, '\n'))
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// Stage returns the goal of a stage, from 1.
func (p *Program) Stage(number int) (Goal, error) {
	if number < 1 || number > len(p.Stages) {
		return Goal{}, fmt.Errorf("%d is not a stage in 1..%d", number, len(p.Stages))
	}
	return p.Stages[number-1], nil
}
