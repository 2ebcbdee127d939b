package coordinator

import (
	"fmt"
	"time"

	"github.com/lightpath-net/lightpath/emulate/fault"
	"github.com/lightpath-net/lightpath/emulate/wire"
)

// Fault is the event that something is wrong. Others may follow that say more about the
// cause, so the run ends a little later.
func (m *Machine) Fault(now time.Duration, f *fault.Fault) {
	if m.phase == over || m.phase == ending && f.Kind == fault.SwitchLost { // it was told to go
		return
	}
	if len(m.faults) == 0 {
		m.first = now
	}
	if f.Kind == fault.Died { // the switch may not have seen data of the step yet
		f.Step = m.at(f.Rank)
	}
	m.faults = append(m.faults, f)
}

// blame makes a fault of a rank, or of the switch, in the step that it is in.
func (m *Machine) blame(now time.Duration, kind fault.Kind, rank int, detail string) *fault.Fault {
	f := &fault.Fault{Kind: kind, Rank: rank, Step: m.at(rank), Peer: fault.Nobody, Detail: detail}
	if rank != fault.Nobody {
		f.Peer = m.c.Program.Peer(rank, max(1, f.Step))
	}
	m.Fault(now, f)
	return f
}

// at returns the step that a rank is in, from 1; 0: before the first.
func (m *Machine) at(rank int) int {
	if who := m.ranks[rank]; m.c.Asynchronous && who != nil && m.phase > joining {
		return min(who.steps+1, len(m.c.Program.Steps))
	}
	return m.step + 1
}

// Lost is the event that the connection of a rank, or of the switch, has ended.
func (m *Machine) Lost(now time.Duration, rank int, detail string) {
	if m.phase == over {
		return
	}
	kind := fault.Died
	if rank == fault.Nobody {
		kind = fault.SwitchDied
	}
	m.blame(now, kind, rank, "has gone: "+detail)
}

// Received is the event that a rank has got what makes no sense, at a port. Who has sent it
// is known by the circuits that are up now; the rank itself may be a step behind.
func (m *Machine) Received(now time.Duration, rank, port int, f *fault.Fault) {
	if !m.c.Asynchronous && m.step >= 0 {
		if from := m.c.Program.Feeder(rank, m.step, port); from >= 0 {
			f.Rank, f.Peer, f.Step = from, rank, m.step+1
		}
	}
	m.Fault(now, f)
}

// Exited is the event that the process of a rank, or of the switch, has ended. Nobody knows
// better why it has gone.
func (m *Machine) Exited(now time.Duration, rank int, detail string) {
	before := len(m.faults)
	m.Lost(now, rank, detail)
	if len(m.faults) > before {
		last := m.faults[before]
		copy(m.faults[1:], m.faults[:before])
		m.faults[0] = last
	}
}

// Beat is the event that a rank, or the switch, is alive.
func (m *Machine) Beat(now time.Duration, rank int, b wire.BeatMessage) {
	m.heardFrom(now, rank, b.Clock)
	who := m.member(rank)
	if b.Moved != who.beat.Moved {
		m.moved = now
	}
	who.beat = b
}

// clockSlack is how far a clock may leave ours: on a busy host, messages are late by seconds,
// and nothing depends on the clocks of ranks.
const clockSlack = 10 * time.Second

// heardFrom notes a sign of life and watches the sender's clock: it must go like ours.
func (m *Machine) heardFrom(now time.Duration, rank int, clock time.Duration) {
	who := m.member(rank)
	who.heard = now
	offset := clock - now
	if !who.synced {
		who.offset, who.synced = offset, true
		return
	}
	if away := offset - who.offset; away.Abs() > max(m.c.Patience, clockSlack) && !m.deviating[rank] {
		m.deviating[rank] = true
		m.blame(now, fault.Clock, rank, fmt.Sprintf("its clock has jumped by %v", away.Round(time.Millisecond)))
	}
}

// Tick is the event that time has passed. It must be called often compared with Config.Settle.
func (m *Machine) Tick(now time.Duration) {
	if m.phase == over {
		return
	}
	if gap := now - m.last; gap > m.c.Patience && len(m.faults) == 0 {
		// Nobody else can be blamed for what was not seen in that time.
		m.blame(now, fault.Clock, fault.Nobody, fmt.Sprintf("the coordinator's clock has jumped by %v, or it was stopped", gap.Round(time.Millisecond)))
	}
	m.last = now
	if len(m.faults) > 0 {
		if now-m.first >= m.c.Settle {
			m.abort()
		}
		return
	}
	switch {
	case m.phase == joining && now >= m.due:
		m.absent(now)
	case m.phase == waiting && now >= m.due:
		m.begin(now)
	case m.phase == connecting && now >= m.due:
		m.blame(now, fault.Stalled, fault.Nobody, "does not set circuits")
	case m.phase > joining:
		m.watch(now)
	}
}

// begin lets all ranks begin the step.
func (m *Machine) begin(now time.Duration) {
	m.phase, m.busy, m.moved = stepping, len(m.ranks), now
	for _, who := range m.ranks {
		who.done = false
	}
	times := &m.outcome.Steps[m.step]
	times.Ready, times.Begin = m.ended, now
	m.say(Everybody, wire.Step, wire.StepMessage{Step: m.step + 1})
}

// watch looks for somebody who has stalled: who gives no sign of life or, if all do, who
// is missed by those that are not done.
func (m *Machine) watch(now time.Duration) {
	for _, r := range m.c.Program.Ranks() {
		if silent := now - m.ranks[r].heard; silent > m.c.Patience {
			m.blame(now, fault.Stalled, r, fmt.Sprintf("has stalled: no sign of life for %v", silent.Round(time.Millisecond)))
			return
		}
	}
	if silent := now - m.hub.heard; silent > m.c.Patience {
		m.blame(now, fault.Stalled, fault.Nobody, fmt.Sprintf("has stalled: no sign of life for %v", silent.Round(time.Millisecond)))
		return
	}
	if m.phase != stepping && m.phase != checking && m.phase != ending || now-m.moved <= m.patience() {
		return
	}
	culprit := fault.Nobody
	undone := m.undone()
	if m.c.Asynchronous {
		undone = m.behind()
	}
	if len(undone) > 0 {
		culprit = undone[0]
		for range m.ranks { // at most once round a circle
			peer := m.ranks[culprit].beat.Peer
			if who := m.ranks[peer]; who == nil || who.done {
				break
			}
			culprit = peer
		}
	}
	f := m.blame(now, fault.Stalled, culprit, fmt.Sprintf("has stalled: no progress for %v", (now-m.moved).Round(time.Millisecond)))
	if culprit != fault.Nobody && m.ranks[culprit].beat.Peer != fault.Nobody {
		f.Peer = m.ranks[culprit].beat.Peer
	}
}

// patience is how long a step may make no progress: data may be on its way for the time
// that the fabric itself needs.
func (m *Machine) patience() time.Duration {
	p := m.c.Program.Plan
	longest := m.c.Program.Dark(0)
	for i := range p.Stages {
		longest = max(longest, m.c.Program.Dark(i))
	}
	return m.c.Patience + m.scaled(longest+2*(p.Fabric.Delta.Time()+p.Fabric.Bandwidth.Transmit(MaxPacket)))
}

// MaxPacket is the most bytes that a data frame of a run may have.
const MaxPacket = 64 << 10

// GiveUp ends the run at once if there is a fault, and reports whether there is.
func (m *Machine) GiveUp() bool {
	if len(m.faults) == 0 || m.phase == over {
		return false
	}
	m.abort()
	return true
}

// absent names who has not come.
func (m *Machine) absent(now time.Duration) {
	if !m.hub.joined {
		m.blame(now, fault.Absent, fault.Nobody, fmt.Sprintf("has not come within %v", m.c.Rendezvous))
		return
	}
	missing, who := 0, fault.Nobody
	for _, r := range m.c.Program.Ranks() {
		if !m.ranks[r].ready {
			if missing++; missing == 1 {
				who = r
			}
		}
	}
	detail := fmt.Sprintf("is not ready within %v", m.c.Rendezvous)
	if missing > 1 {
		detail += fmt.Sprintf(", nor are %d others", missing-1)
	}
	m.blame(now, fault.Absent, who, detail)
}

// abort ends the run and says why: the fault that is closest to the cause, of several of a
// kind the first.
func (m *Machine) abort() {
	cause := m.faults[0]
	for _, f := range m.faults[1:] {
		if f.Kind.Before(cause.Kind) {
			cause = f
		}
	}
	if cause.Kind == fault.Clock && 2*len(m.deviating) > len(m.ranks) {
		cause = &fault.Fault{Kind: fault.Clock, Rank: fault.Nobody, Step: m.step + 1, Peer: fault.Nobody, Detail: "the coordinator's clock has jumped: those of most ranks have left it"}
	}
	m.outcome.Fault = cause
	m.phase = over
	reason := wire.EndMessage{Reason: cause.Error()}
	m.say(Everybody, wire.Abort, reason)
	m.say(fault.Nobody, wire.Abort, reason)
}
