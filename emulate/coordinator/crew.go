package coordinator

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/lightpath-net/lightpath/emulate/fault"
	"github.com/lightpath-net/lightpath/emulate/wire"
	"github.com/lightpath-net/lightpath/units"
)

// Action is something that the machine wants done.
type Action struct {
	Rank    int // Nobody: the switch; Everybody: all ranks
	Kind    wire.Kind
	Message any
}

// Everybody stands for all ranks.
const Everybody = -2

type phase int

const (
	joining    phase = iota
	connecting       // circuits are being set
	waiting          // during the start-up of a step
	stepping         // ranks send and receive
	checking         // ranks check their results
	ending           // the switch reports the bytes that it has carried
	over
)

// Watch says how long a run waits for its members.
type Watch struct {
	// Patience is how long nothing may happen before a process counts as stalled.
	Patience time.Duration
	// Rendezvous is how long ranks and the switch may take to join.
	Rendezvous time.Duration
	// Settle is how long the run waits for other faults after the first, to find the cause.
	Settle time.Duration
}

// crew tracks who takes part in a run, who has joined, and what has gone wrong. It belongs to a
// machine, which knows what the ranks are doing.
type crew struct {
	Actions []Action

	watching Watch
	slow     float64 // multiplies every time of the fabric
	phase    phase
	numbers  []int // of the ranks
	ranks    map[int]*member
	hub      member        // the switch
	last     time.Duration // when the clock was last read
	moved    time.Duration // when there was last progress

	faults []*fault.Fault
	first  time.Duration // when the first fault came
	// controlled says that a controller sets circuits, one change after the other; set is then
	// the time by which all changes so far should be done.
	controlled bool
	set        time.Duration
	deviating  map[int]bool // ranks whose clock has left ours
	cause      *fault.Fault // the fault that has ended the run
	carried    wire.StatsMessage

	// place fills in where a rank is when a fault happens there: its step, and a rank with which
	// it exchanges data. Nobody is the switch.
	place func(f *fault.Fault)
}

func newCrew(now time.Duration, ranks []int, w Watch, slow float64) crew {
	c := crew{watching: w, slow: slow, numbers: ranks, ranks: map[int]*member{}, last: now, moved: now, deviating: map[int]bool{}}
	for _, r := range ranks {
		c.ranks[r] = &member{heard: now}
	}
	c.hub.heard = now
	return c
}

// crewOf returns the crew of a machine.
func (m *crew) crewOf() *crew { return m }

// scaled converts a time of the fabric to the host's time.
func (m *crew) scaled(t units.Time) time.Duration {
	return time.Duration(math.Round(float64(t) * m.slow))
}

// until returns when circuits should be up that are requested at the given time.
func (m *crew) until(now, dark time.Duration, circuits int) time.Duration {
	if !m.controlled {
		return now + dark
	}
	m.set = max(m.set, now) + dark*time.Duration(1+circuits/perCommand)
	return m.set
}

// perCommand is the least number of circuits that a controller sets with one full command.
const perCommand = 64

// allReady reports whether all members have all their connections.
func (m *crew) allReady() bool {
	for _, r := range m.ranks {
		if !r.ready {
			return false
		}
	}
	return m.hub.ready
}

// member is a rank, or the switch.
type member struct {
	joined, ready, done, checked bool
	steps                        int // ended, in an asynchronous run
	heard                        time.Duration
	beat                         wire.BeatMessage
	offset                       time.Duration // of its clock
	synced                       bool
}

// Over reports whether the run has ended.
func (m *crew) Over() bool { return m.phase == over }

func (m *crew) say(rank int, kind wire.Kind, message any) {
	m.Actions = append(m.Actions, Action{rank, kind, message})
}

// Stats is the event that the switch has reported the bytes that it has carried, its last
// message.
func (m *crew) Stats(now time.Duration, s wire.StatsMessage) {
	if m.phase != ending {
		m.blame(now, fault.Garbage, fault.Nobody, "says what it has carried before the end")
		return
	}
	m.carried, m.phase = s, over
	m.say(Everybody, wire.Finish, wire.EndMessage{})
}

// Joined is the event that a rank, or the switch (Nobody), has joined.
func (m *crew) Joined(now time.Duration, rank int) {
	who := m.member(rank)
	who.joined, who.heard = true, now
}

// Here reports whether a rank has joined.
func (m *crew) Here(rank int) bool { return m.member(rank).joined }

func (m *crew) member(rank int) *member {
	if rank == fault.Nobody {
		return &m.hub
	}
	return m.ranks[rank]
}

// Fault is the event that something is wrong. Other faults may follow that say more about the
// cause, so the run ends a little later.
func (m *crew) Fault(now time.Duration, f *fault.Fault) {
	if m.phase == over || m.phase == ending && f.Kind == fault.SwitchLost { // it was told to leave
		return
	}
	if len(m.faults) == 0 {
		m.first = now
	}
	if f.Kind == fault.Died { // the switch may not have seen data of the step yet
		peer := f.Peer
		m.place(f)
		f.Peer = peer
	}
	m.faults = append(m.faults, f)
}

// blame makes a fault of a rank, or of the switch, in its current step.
func (m *crew) blame(now time.Duration, kind fault.Kind, rank int, detail string) *fault.Fault {
	f := &fault.Fault{Kind: kind, Rank: rank, Peer: fault.Nobody, Detail: detail}
	m.place(f)
	m.Fault(now, f)
	return f
}

// Lost is the event that the connection of a rank, or of the switch, has ended.
func (m *crew) Lost(now time.Duration, rank int, detail string) {
	if m.phase == over {
		return
	}
	kind := fault.Died
	if rank == fault.Nobody {
		kind = fault.SwitchDied
	}
	m.blame(now, kind, rank, "has gone: "+detail)
}

// Exited is the event that the process of a rank, or of the switch, has ended. No other event
// says more about why the member has gone.
func (m *crew) Exited(now time.Duration, rank int, detail string) {
	before := len(m.faults)
	m.Lost(now, rank, detail)
	if len(m.faults) > before {
		last := m.faults[before]
		copy(m.faults[1:], m.faults[:before])
		m.faults[0] = last
	}
}

// Beat is the event that a rank, or the switch, is alive.
func (m *crew) Beat(now time.Duration, rank int, b wire.BeatMessage) {
	m.heardFrom(now, rank, b.Clock)
	who := m.member(rank)
	if b.Moved != who.beat.Moved {
		m.moved = now
	}
	who.beat = b
}

// clockSlack is how far a clock may drift from ours: on a busy host, messages are late by
// seconds, and nothing depends on the clocks of ranks.
const clockSlack = 10 * time.Second

// heardFrom records a heartbeat and checks the sender's clock, which must run like ours.
func (m *crew) heardFrom(now time.Duration, rank int, clock time.Duration) {
	who := m.member(rank)
	who.heard = now
	offset := clock - now
	if !who.synced {
		who.offset, who.synced = offset, true
		return
	}
	if away := offset - who.offset; away.Abs() > max(m.watching.Patience, clockSlack) && !m.deviating[rank] {
		m.deviating[rank] = true
		m.blame(now, fault.Clock, rank, fmt.Sprintf("its clock has jumped by %v", away.Round(time.Millisecond)))
	}
}

// GiveUp ends the run at once if there is a fault, and reports whether there is.
func (m *crew) GiveUp() bool {
	if len(m.faults) == 0 || m.phase == over {
		return false
	}
	m.abort()
	return true
}

// absent names the members that have not joined.
func (m *crew) absent(now time.Duration) {
	if !m.hub.joined {
		m.blame(now, fault.Absent, fault.Nobody, fmt.Sprintf("has not come within %v", m.watching.Rendezvous))
		return
	}
	missing, who := 0, fault.Nobody
	for _, r := range m.numbers {
		if !m.ranks[r].ready {
			if missing++; missing == 1 {
				who = r
			}
		}
	}
	detail := fmt.Sprintf("is not ready within %v", m.watching.Rendezvous)
	if missing > 1 {
		detail += fmt.Sprintf(", nor are %d others", missing-1)
	}
	m.blame(now, fault.Absent, who, detail)
}

// abort ends the run with the fault that is closest to the cause; of several of one kind, with
// the first.
func (m *crew) abort() {
	cause := m.faults[0]
	for _, f := range m.faults[1:] {
		if f.Kind.Before(cause.Kind) {
			cause = f
		}
	}
	if cause.Kind == fault.Clock && 2*len(m.deviating) > len(m.ranks) {
		cause = &fault.Fault{Kind: fault.Clock, Rank: fault.Nobody, Peer: fault.Nobody, Detail: "the coordinator's clock has jumped: those of most ranks have left it"}
		m.place(cause)
	}
	m.cause = cause
	m.phase = over
	reason := wire.EndMessage{Reason: cause.Error()}
	m.say(Everybody, wire.Abort, reason)
	m.say(fault.Nobody, wire.Abort, reason)
}

// tick reads the clock and ends a run some time after a fault. It returns true if there is
// nothing more to do.
func (m *crew) tick(now time.Duration) (done bool) {
	if m.phase == over {
		return true
	}
	if gap := now - m.last; gap > m.watching.Patience && len(m.faults) == 0 {
		// Nobody else is to blame for events missed in that time.
		m.blame(now, fault.Clock, fault.Nobody, fmt.Sprintf("the coordinator's clock has jumped by %v, or it was stopped", gap.Round(time.Millisecond)))
	}
	m.last = now
	if len(m.faults) > 0 {
		if now-m.first >= m.watching.Settle {
			m.abort()
		}
		return true
	}
	return false
}

// silent blames a member that sends no heartbeats.
func (m *crew) silent(now time.Duration) bool {
	for _, r := range append(slices.Clone(m.numbers), fault.Nobody) {
		if silent := now - m.member(r).heard; silent > m.watching.Patience {
			m.blame(now, fault.Stalled, r, fmt.Sprintf("has stalled: no sign of life for %v", silent.Round(time.Millisecond)))
			return true
		}
	}
	return false
}
