package coordinator

import (
	"testing"
	"time"

	"github.com/lightpath-net/lightpath/emulate/fault"
	"github.com/lightpath-net/lightpath/emulate/iterations"
	"github.com/lightpath-net/lightpath/emulate/wire"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/iteration"
)

// two returns a conductor of two ranks that compute and change their circuits in every iteration.
func two() *conductor {
	a := &iteration.Agenda{Document: &iteration.Document{Ranks: 2, Fabric: fabric.Default()}, Items: []iteration.Item{
		{Op: &iteration.DocumentOp{ID: "f"}}, {Change: &iteration.DocumentChange{}}, {Op: &iteration.DocumentOp{ID: "g"}},
	}}
	jobs := &iterations.Jobs{Agenda: a, Rounds: 1, List: []iterations.Job{
		{Item: 0, Group: []int{0}, Kind: iterations.Computes, Compute: 10},
		{Item: 0, Group: []int{1}, Kind: iterations.Computes, Compute: 20},
		{Item: 1, Group: []int{0, 1}, Kind: iterations.Changes, Dark: 5, After: []int{0, 1}, Circuits: []wire.Circuit{{From: 0, To: 1}}},
		{Item: 2, Group: []int{0}, Kind: iterations.Waits, After: []int{2}},
		{Item: 2, Group: []int{1}, Kind: iterations.Computes, Compute: 30, After: []int{2}},
	}}
	m := newConductor(0, Iterations{Watch: Watch{Patience: time.Second, Rendezvous: time.Second, Settle: time.Millisecond}, Jobs: jobs, Slow: 1})
	for _, rank := range []int{0, 1, fault.Nobody} {
		m.Joined(0, rank)
		m.Ready(0, rank)
	}
	return m
}

// told returns the actions since the last call.
func (m *conductor) told() []Action {
	list := m.Actions
	m.Actions = nil
	return list
}

// A job begins as soon as all its predecessors have ended, and not before.
func TestJobsBeginWhenTheyCan(t *testing.T) {
	m := two()
	if list := m.told(); len(list) != 2 || list[0].Kind != wire.Compute || list[1].Kind != wire.Compute {
		t.Fatalf("%+v", list)
	}
	m.Done(10, 0, wire.DoneMessage{Step: 1})
	if list := m.told(); len(list) != 0 {
		t.Fatalf("%+v", list)
	}
	m.Done(20, 1, wire.DoneMessage{Step: 2})
	list := m.told()
	if len(list) != 1 || list[0].Kind != wire.Connect || list[0].Rank != fault.Nobody {
		t.Fatalf("%+v", list)
	}
	if c := list[0].Message.(wire.ConnectMessage); !c.Partial || c.Stage != 2 || c.Dark != 5 || len(c.Circuits) != 1 {
		t.Fatalf("%+v", c)
	}
	m.Connected(26, wire.ConnectedMessage{Stage: 2, Dark: 6})
	if list := m.told(); len(list) != 1 || list[0].Rank != 1 || list[0].Kind != wire.Compute {
		t.Fatalf("%+v", list)
	}
	m.Done(60, 1, wire.DoneMessage{Step: 5})
	if list := m.told(); len(list) != 1 || list[0].Kind != wire.Finish {
		t.Fatalf("%+v", list)
	}
	m.Stats(61, wire.StatsMessage{})
	if !m.Over() || m.cause != nil || m.outcome.Ended != 5 || m.outcome.Start[4] != 26 || m.outcome.End[4] != 60 || m.outcome.Dark[2] != 6 {
		t.Errorf("%+v", m.outcome)
	}
}

// A member that sends an impossible message ends the run, and the error names it and the
// operation.
func TestConductorsBlameWhoIsWrong(t *testing.T) {
	for want, wrong := range map[string]func(m *conductor){
		"rank 0, iteration 1, f: says that it has ended job 2":                            func(m *conductor) { m.Done(5, 0, wire.DoneMessage{Step: 2}) },
		"rank 1, iteration 1, f: gives a result that is not due":                          func(m *conductor) { m.Result(5, 1, wire.ResultMessage{Job: 1}) },
		"the switch, before step 1: says that circuits are up; nobody has asked for them": func(m *conductor) { m.Connected(5, wire.ConnectedMessage{Stage: 2}) },
		"the switch, before step 1: says what it has carried before the end":              func(m *conductor) { m.Stats(5, wire.StatsMessage{}) },
		"rank 1, iteration 1, f: has gone: its connection has ended":                      func(m *conductor) { m.Lost(5, 1, "its connection has ended") },
	} {
		m := two()
		wrong(m)
		m.Tick(5 + time.Millisecond)
		if !m.Over() || m.cause == nil || m.cause.Error() != want {
			t.Errorf("%v; want %s", m.cause, want)
		}
	}
}

// A rank does not stall while it computes; if it does not return afterwards, it has stalled.
func TestComputationsAreNoStalls(t *testing.T) {
	m := two()
	m.busy = 5 * time.Second
	beat := func(now time.Duration) {
		for _, rank := range []int{0, 1, fault.Nobody} {
			m.Beat(now, rank, wire.BeatMessage{Clock: now, Peer: fault.Nobody})
		}
		m.Tick(now)
	}
	for at := time.Duration(0); at < 6*time.Second; at += 500 * time.Millisecond {
		beat(at)
	}
	if len(m.faults) > 0 {
		t.Fatal(m.faults[0])
	}
	beat(6500 * time.Millisecond)
	if len(m.faults) != 1 || m.faults[0].Kind != fault.Stalled || m.faults[0].Rank != 0 {
		t.Errorf("%v", m.faults)
	}
}
