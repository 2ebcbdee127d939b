package coordinator

import (
	"fmt"
	"slices"
	"time"

	"github.com/lightpath-net/lightpath/emulate/fault"
	"github.com/lightpath-net/lightpath/emulate/program"
	"github.com/lightpath-net/lightpath/emulate/wire"
)

// Config configures a run.
type Config struct {
	Program *program.Program
	// Slow multiplies every time of the fabric; 0: no waiting at all.
	Slow float64
	Watch
	// Asynchronous makes every rank go on as soon as it can, and circuits change as soon as the
	// ranks at their ends are done with the old ones. Otherwise all ranks go from step to step
	// together.
	Asynchronous bool
}

// Machine is the coordinator without input and output. Its methods take the time of one clock;
// after each call, the caller must perform Actions. It is not safe for concurrent use.
type Machine struct {
	crew

	c     Config
	stage int // whose circuits are up or being set; -1: initially
	step  int // from 0
	busy  int // ranks that are not done
	due   time.Duration
	ended time.Duration // the end of the previous step or of the circuit change

	free    *free                 // of an asynchronous run
	setting map[int]time.Duration // stages whose circuits are being set while steps go on
	outcome *Outcome
}

// New returns the coordinator of a run that begins now.
func New(now time.Duration, c Config) *Machine {
	m := &Machine{crew: newCrew(now, c.Program.Ranks(), c.Watch, c.Slow), c: c, stage: -1, step: -1, due: now + c.Rendezvous, setting: map[int]time.Duration{}}
	m.place = m.where
	m.outcome = &Outcome{Steps: make([]StepTimes, len(c.Program.Steps))}
	for i := range m.outcome.Steps {
		m.outcome.Steps[i].Index = i + 1
	}
	return m
}

// Outcome returns what the run has shown so far.
func (m *Machine) Outcome() *Outcome {
	m.outcome.StatsMessage, m.outcome.Fault = m.carried, m.cause
	return m.outcome
}

// wakes returns when the start-up of a step is over.
func (m *Machine) wakes() (due time.Duration, soon bool) { return m.due, m.phase == waiting }

// Ready is the event that a rank, or the switch, has all its connections.
func (m *Machine) Ready(now time.Duration, rank int) {
	who := m.member(rank)
	who.ready, who.heard = true, now
	if m.phase != joining || !m.allReady() {
		return
	}
	m.outcome.Begin = now
	if m.c.Asynchronous {
		m.beginFree(now)
		return
	}
	if initial := m.c.Program.Initial; initial != nil {
		m.connect(now, initial, 0)
		return
	}
	m.next(now)
}

// connect requests circuits.
func (m *Machine) connect(now time.Duration, w *program.Wiring, dark time.Duration) {
	message := wire.ConnectMessage{Stage: m.stage, Dark: dark, Circuits: make([][4]int, len(w.Circuits))}
	for i, c := range w.Circuits {
		message.Circuits[i] = [4]int{c.From, c.FromPort, c.To, c.ToPort}
	}
	m.phase, m.ended, m.moved = connecting, now, now
	m.due = m.until(now, dark, len(w.Circuits)) + m.c.Patience
	m.say(fault.Nobody, wire.Connect, message)
}

// next goes on to the next step, and first sets its circuits if they are different.
func (m *Machine) next(now time.Duration) {
	places := m.c.Program.Steps
	if m.step+1 == len(places) {
		m.phase, m.busy, m.moved = checking, len(m.ranks), now
		m.outcome.End = now
		m.check(now)
		return
	}
	if stage := places[m.step+1].Stage; stage != m.stage {
		m.stage = stage
		m.connect(now, m.c.Program.Wirings[stage], m.scaled(m.c.Program.Dark(stage)))
		if !m.c.Program.Carries() && m.c.Program.Waits(m.step+1) {
			return
		}
		m.setting[stage] = now // ranks wait only for the circuits that they need
	}
	if _, setting := m.setting[m.stage]; setting && !m.c.Program.Carries() && m.c.Program.Waits(m.step+1) {
		m.phase, m.ended = connecting, now // steps without circuits are over
		m.due = max(m.setting[m.stage]+m.scaled(m.c.Program.Dark(m.stage)), m.set) + m.c.Patience
		return
	}
	m.step++
	m.ended = now
	m.phase, m.due = waiting, now+m.scaled(m.c.Program.Startup(m.step))
	m.Tick(now)
}

// Connected is the event that circuits are up.
func (m *Machine) Connected(now time.Duration, up wire.ConnectedMessage) {
	m.heardFrom(now, fault.Nobody, up.Clock)
	if m.c.Asynchronous {
		m.setFree(now, up)
		return
	}
	if began, carried := m.setting[up.Stage]; carried {
		delete(m.setting, up.Stage)
		m.moved = now
		m.outcome.Stages = append(m.outcome.Stages, StageTimes{Index: up.Stage + 1, Changed: up.Changed, Dark: up.Dark, Took: now - began})
		if m.c.Program.Carries() {
			m.say(Everybody, wire.Connected, up)
		} else if m.phase == connecting && len(m.faults) == 0 {
			m.next(now)
		}
		return
	}
	if m.phase != connecting || up.Stage != m.stage {
		m.blame(now, fault.Garbage, fault.Nobody, fmt.Sprintf("says that circuits of stage %d are up; nobody has asked for them", up.Stage+1))
		return
	}
	if len(m.faults) > 0 {
		return
	}
	if m.stage >= 0 {
		m.outcome.Stages = append(m.outcome.Stages, StageTimes{Index: m.stage + 1, Changed: up.Changed, Dark: up.Dark, Took: now - m.ended})
	}
	m.next(now)
}

// Refused is the event that a controller could not set the circuits of a stage.
func (m *Machine) Refused(now time.Duration, _ int, detail string) {
	m.blame(now, fault.Refused, fault.Nobody, detail)
}

// Done is the event that a rank has nothing left to do in the step.
func (m *Machine) Done(now time.Duration, rank int, d wire.DoneMessage) {
	m.heardFrom(now, rank, d.Clock)
	who := m.ranks[rank]
	if m.c.Asynchronous {
		m.doneFree(now, rank, d)
		return
	}
	if m.phase != stepping || d.Step != m.step+1 || who.done {
		m.blame(now, fault.Garbage, rank, fmt.Sprintf("says that it has ended step %d", d.Step))
		return
	}
	who.done, m.moved = true, now
	times := &m.outcome.Steps[m.step]
	times.Busy = max(times.Busy, d.Took)
	if m.busy--; m.busy > 0 || len(m.faults) > 0 {
		return
	}
	times.End = now
	m.next(now)
}

// Result is the event that a rank has checked its data.
func (m *Machine) Result(now time.Duration, rank int, r wire.ResultMessage) {
	who := m.ranks[rank]
	who.heard, m.moved = now, now
	if who.checked || m.phase != checking && m.phase != stepping || m.at(rank) != len(m.c.Program.Steps) {
		m.blame(now, fault.Garbage, rank, "gives a result that is not due")
		return
	}
	who.checked = true
	if r.Wrong != "" {
		m.blame(now, fault.WrongData, rank, "its result is wrong: "+r.Wrong)
		return
	}
	m.outcome.Checked++
	m.outcome.CheckedBytes += r.Bytes
	m.outcome.Relayed += r.Relayed
	m.check(now)
}

// check ends the run when all ranks have found their results correct.
func (m *Machine) check(time.Duration) {
	if m.phase == checking && m.outcome.Checked == len(m.ranks) && len(m.faults) == 0 {
		m.phase = ending
		m.say(fault.Nobody, wire.Finish, wire.EndMessage{})
	}
}

// undone lists ranks that have not ended the step, ascending.
func (m *Machine) undone() []int {
	var list []int
	for r, who := range m.ranks {
		if !who.done {
			list = append(list, r)
		}
	}
	slices.Sort(list)
	return list
}
