package coordinator

import (
	"fmt"
	"time"

	"github.com/lightpath-net/lightpath/emulate/fault"
	"github.com/lightpath-net/lightpath/emulate/wire"
)

// where fills in the step of a rank and the peer of that step.
func (m *Machine) where(f *fault.Fault) {
	if f.Step = m.at(f.Rank); f.Rank != fault.Nobody {
		f.Peer = m.c.Program.Peer(f.Rank, max(1, f.Step))
	}
}

// at returns the current step of a rank, from 1; 0: before the first.
func (m *Machine) at(rank int) int {
	if who := m.ranks[rank]; m.c.Asynchronous && who != nil && m.phase > joining {
		return min(who.steps+1, len(m.c.Program.Steps))
	}
	return m.step + 1
}

// Received is the event that a rank has received invalid data at a port. The circuits that are
// up now tell who sent it; the rank itself may be a step behind.
func (m *Machine) Received(now time.Duration, rank, port int, f *fault.Fault) {
	if !m.c.Asynchronous && m.step >= 0 {
		if from := m.c.Program.Feeder(rank, m.step, port); from >= 0 {
			f.Rank, f.Peer, f.Step = from, rank, m.step+1
		}
	}
	m.Fault(now, f)
}

// Tick is the event that time has passed. It must be called at intervals much shorter than
// Config.Settle.
func (m *Machine) Tick(now time.Duration) {
	if m.tick(now) {
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

// watch looks for a member that has stalled: one that sends no heartbeats or, if all do, one for
// which the unfinished ranks wait.
func (m *Machine) watch(now time.Duration) {
	if m.silent(now) {
		return
	}
	if m.phase != stepping && m.phase != checking && m.phase != ending || now-max(m.moved, m.set) <= m.patience() {
		return
	}
	culprit := fault.Nobody
	undone := m.undone()
	if m.c.Asynchronous {
		undone = m.behind()
	}
	if len(undone) > 0 {
		culprit = undone[0]
		for range m.ranks { // at most once around a cycle
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

// patience returns how long a step may make no progress: data may be in flight for the time that
// the fabric itself needs.
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
