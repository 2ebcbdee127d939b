package coordinator

import (
	"fmt"
	"slices"
	"time"

	"github.com/lightpath-net/lightpath/emulate/fault"
	"github.com/lightpath-net/lightpath/emulate/program"
	"github.com/lightpath-net/lightpath/emulate/wire"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
)

// free is the state of an asynchronous run. A rank has left a stage when it has ended all steps
// of the stage: it has sent, forwarded and received everything. A circuit of the next stage is
// set when the ranks at its ends, and the ranks at the other ends of the circuits whose fibres
// it takes, have left the previous stage. A rank enters a stage when it has left the previous
// one and all of its own circuits are up. Steps at the beginning of a stage that use no circuit
// are a separate part, which a rank enters as soon as it has left the previous stage.
type free struct {
	last    []int          // last step of every stage, from 0
	entered map[int]int    // part in which a rank is; -1: none yet
	partOf  []int          // of steps
	asked   []map[int]bool // by stage: numbers of the circuits requested
	up      []map[int]bool // by stage: numbers of the circuits that are up
	batches map[int][]int  // numbers of the circuits of each request to the switch
	stages  map[int]int    // of each request
	begun   map[int]time.Duration
	next    int // number of a request
}

// beginFree requests the first circuits.
func (m *Machine) beginFree(now time.Duration) {
	g := m.c.Program
	f := &free{
		entered: map[int]int{}, batches: map[int][]int{}, stages: map[int]int{}, begun: map[int]time.Duration{},
		last: make([]int, len(g.Wirings)), asked: make([]map[int]bool, len(g.Wirings)), up: make([]map[int]bool, len(g.Wirings)),
	}
	for i, place := range g.Steps {
		f.last[place.Stage] = i
	}
	for i, part := range g.Parts {
		f.partOf = append(f.partOf, slices.Repeat([]int{i}, part.Last-part.First+1)...)
	}
	for s := range g.Wirings {
		f.asked[s], f.up[s] = map[int]bool{}, map[int]bool{}
	}
	for r := range m.ranks {
		f.entered[r] = -1
	}
	m.free = f
	m.phase, m.moved, m.step = stepping, now, 0
	if g.Initial != nil {
		all := arithmetic.UpTo(len(g.Initial.Circuits))
		m.request(now, -1, g.Initial, all, 0)
		return // the switch will say which circuits are already up
	}
	m.setWhatCan(now, 0)
	m.enterWhoCan(now, 0)
}

// request asks the switch for some circuits of a stage.
func (m *Machine) request(now time.Duration, stage int, w *program.Wiring, numbers []int, dark time.Duration) {
	f := m.free
	message := wire.ConnectMessage{Stage: f.next, Dark: dark, Partial: true}
	for _, i := range numbers {
		c := w.Circuits[i]
		message.Circuits = append(message.Circuits, [4]int{c.From, c.FromPort, c.To, c.ToPort})
	}
	f.batches[f.next], f.stages[f.next], f.begun[f.next] = numbers, stage, now
	f.next++
	m.until(now, dark, len(numbers))
	m.say(fault.Nobody, wire.Connect, message)
}

// left reports whether a rank has left a stage; -1 is before the first. A rank that takes no
// part blocks nobody.
func (m *Machine) left(rank, stage int) bool {
	who := m.ranks[rank]
	return stage < 0 || who == nil || who.steps > m.free.last[stage]
}

// setWhatCan requests the circuits of a stage that can now be set.
func (m *Machine) setWhatCan(now time.Duration, stage int) {
	g, f := m.c.Program, m.free
	if stage >= len(g.Wirings) {
		return
	}
	w := g.Wirings[stage]
	before := g.Initial
	if stage > 0 {
		before = g.Wirings[stage-1]
	}
	var numbers []int
	for i, c := range w.Circuits {
		if f.asked[stage][i] || !m.left(c.From, stage-1) || !m.left(c.To, stage-1) {
			continue
		}
		if before != nil && slices.Contains(before.Circuits, c) {
			f.asked[stage][i], f.up[stage][i] = true, true // the circuit stays up
			continue
		}
		if m.inUse(before, c, stage-1) {
			continue
		}
		f.asked[stage][i] = true
		numbers = append(numbers, i)
	}
	if len(numbers) > 0 {
		m.request(now, stage, w, numbers, m.scaled(g.Dark(stage)))
	}
}

// inUse reports whether a rank still needs a circuit on a fibre that c takes.
func (m *Machine) inUse(before *program.Wiring, c wire.Circuit, stage int) bool {
	if before == nil {
		return false
	}
	return slices.ContainsFunc(before.Circuits, func(old wire.Circuit) bool {
		shares := old.From == c.From && old.FromPort == c.FromPort || old.To == c.To && old.ToPort == c.ToPort
		return shares && (!m.left(old.From, stage) || !m.left(old.To, stage))
	})
}

// setFree handles the event that circuits are up.
func (m *Machine) setFree(now time.Duration, up wire.ConnectedMessage) {
	f := m.free
	stage, asked := -1, false
	if f != nil {
		stage, asked = f.stages[up.Stage]
	}
	if !asked {
		m.blame(now, fault.Garbage, fault.Nobody, fmt.Sprintf("says that it has done request %d; nobody has made it", up.Stage))
		return
	}
	m.moved = now
	if stage >= 0 {
		for _, i := range f.batches[up.Stage] {
			f.up[stage][i] = true
		}
		m.outcome.Stages = append(m.outcome.Stages, StageTimes{Index: stage + 1, Changed: up.Changed, Dark: up.Dark, Took: now - f.begun[up.Stage]})
	} else {
		m.setWhatCan(now, 0)
	}
	m.enterWhoCan(now, max(0, stage))
	delete(f.stages, up.Stage)
}

// enterWhoCan lets those ranks enter a stage whose own circuits are up.
func (m *Machine) enterWhoCan(now time.Duration, stage int) {
	g, f := m.c.Program, m.free
	if stage >= len(g.Wirings) || len(m.faults) > 0 {
		return
	}
	missing := map[int]bool{}
	for i, c := range g.Wirings[stage].Circuits {
		if !f.up[stage][i] {
			missing[c.From], missing[c.To] = true, true
		}
	}
	for i, part := range g.Parts {
		if part.Stage != stage {
			continue
		}
		for _, r := range g.Ranks() {
			if f.entered[r] == i-1 && m.ranks[r].steps == part.First && !(part.Waits && missing[r]) {
				f.entered[r] = i
				if times := &m.outcome.Steps[part.First]; times.Begin == 0 {
					times.Begin = now
				}
				m.say(r, wire.Step, wire.StepMessage{Step: part.First + 1})
			}
		}
	}
}

// doneFree handles the event that a rank has ended a step.
func (m *Machine) doneFree(now time.Duration, rank int, d wire.DoneMessage) {
	f, who := m.free, m.ranks[rank]
	if f == nil || d.Step != who.steps+1 || d.Step > len(m.c.Program.Steps) || f.partOf[d.Step-1] > f.entered[rank] {
		m.blame(now, fault.Garbage, rank, fmt.Sprintf("says that it has ended step %d", d.Step))
		return
	}
	who.steps, m.moved = d.Step, now
	times := &m.outcome.Steps[d.Step-1]
	times.Busy = max(times.Busy, d.Took)
	times.End = now
	if slowest := m.slowest(); slowest > m.step {
		m.step = min(slowest, len(m.c.Program.Steps)-1)
	}
	if len(m.faults) > 0 {
		return
	}
	if stage := m.c.Program.Steps[d.Step-1].Stage; f.last[stage] == d.Step-1 {
		m.setWhatCan(now, stage+1)
		m.enterWhoCan(now, stage+1)
	} else if f.partOf[d.Step] != f.partOf[d.Step-1] {
		m.enterWhoCan(now, stage)
	}
	if m.slowest() == len(m.c.Program.Steps) {
		for i := range m.outcome.Steps { // each from the end of the one before, so times add up
			m.outcome.Steps[i].Ready = m.outcome.Begin
			if i > 0 {
				m.outcome.Steps[i].Ready = m.outcome.Steps[i-1].End
			}
			m.outcome.Steps[i].Begin = m.outcome.Steps[i].Ready
		}
		m.phase, m.outcome.End = checking, now
		m.check(now)
	}
}

// slowest returns the smallest number of steps that any rank has ended.
func (m *Machine) slowest() int {
	least := len(m.c.Program.Steps)
	for _, who := range m.ranks {
		least = min(least, who.steps)
	}
	return least
}

// behind lists the ranks that have ended the fewest steps.
func (m *Machine) behind() []int {
	least := m.slowest()
	var list []int
	for r, who := range m.ranks {
		if who.steps == least {
			list = append(list, r)
		}
	}
	slices.Sort(list)
	return list
}
