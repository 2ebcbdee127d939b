package coordinator_test

import (
	"slices"
	"testing"
	"time"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/emulate/coordinator"
	"github.com/lightpath-net/lightpath/emulate/fault"
	"github.com/lightpath-net/lightpath/emulate/number"
	"github.com/lightpath-net/lightpath/emulate/program"
	"github.com/lightpath-net/lightpath/emulate/wire"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
)

// twoStages returns a program of four ranks: an exchange of two ranks, and another exchange
// after a reconfiguration. Alpha is 500 ns, a reconfiguration takes 10 us.
func twoStages(t *testing.T) *program.Program {
	t.Helper()
	f := fabric.Default()
	f.Nodes = 4
	p := &plan.Plan{Fabric: f}
	p.Collective = plan.Collective{Op: collective.Broadcast, Size: 400, Space: collective.SpaceOf(collective.Broadcast, 4, 1)}
	move := func(u, v int) plan.Transfer {
		return plan.Transfer{
			Transfer: collective.Transfer{Src: u, Dst: v, Action: collective.Copy, Chunks: collective.Single(0)},
			Routes:   []flow.Route{{Path: []int32{int32(u), int32(v)}, Share: 1}},
		}
	}
	p.Stages = []plan.Stage{
		{Topology: topology.DirectedCirculant(4, 1), Steps: []plan.Step{{Base: []plan.Transfer{move(0, 1)}}}},
		{Topology: topology.DirectedCirculant(4, 2), Steps: []plan.Step{{Base: []plan.Transfer{move(0, 2), move(1, 3)}}}},
	}
	if err := p.Price(); err != nil {
		t.Fatal(err)
	}
	g, err := program.New(p, number.Int32)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

const (
	ms = time.Millisecond
	// slow makes the start-up of a step 1 ms and a change of circuits 20 ms.
	slow = 2000
)

// script is a machine and its requests.
type script struct {
	*testing.T
	m *coordinator.Machine
}

func begin(t *testing.T) *script {
	t.Helper()
	s := &script{t, coordinator.New(0, coordinator.Config{
		Program: twoStages(t), Slow: slow, Watch: coordinator.Watch{Patience: time.Second, Rendezvous: 5 * time.Second, Settle: 100 * ms},
	})}
	s.m.Joined(0, fault.Nobody)
	s.m.Ready(0, fault.Nobody)
	for r := range 4 {
		s.m.Joined(0, r)
		s.m.Ready(0, r)
	}
	return s
}

// expect checks which frames the machine has requested since the last call.
func (s *script) expect(kinds ...wire.Kind) {
	s.Helper()
	var got []wire.Kind
	for _, a := range s.m.Actions {
		got = append(got, a.Kind)
	}
	if !slices.Equal(got, kinds) {
		s.Fatalf("asked for %v; want %v", got, kinds)
	}
	s.m.Actions = nil
}

func (s *script) done(now time.Duration, step int, ranks ...int) {
	for _, r := range ranks {
		s.m.Done(now, r, wire.DoneMessage{Step: step, Took: ms, Clock: now})
	}
}

func TestStepsFollowCircuitsAndBarriers(t *testing.T) {
	s := begin(t)
	s.expect(wire.Connect)
	s.m.Connected(0, wire.ConnectedMessage{Stage: 0, Changed: 4})
	s.expect() // the start-up passes
	s.m.Tick(ms - 1)
	s.expect()
	s.m.Tick(ms)
	s.expect(wire.Step)
	s.done(3*ms, 1, 0, 1, 2)
	s.expect() // rank 3 is not done
	s.done(4*ms, 1, 3)
	if connect := s.m.Actions[0].Message.(wire.ConnectMessage); connect.Dark != 20*ms || connect.Stage != 1 || len(connect.Circuits) != 4 {
		t.Errorf("%+v", connect)
	}
	s.expect(wire.Connect)
	s.m.Tick(10 * ms)
	s.expect()
	s.m.Connected(25*ms, wire.ConnectedMessage{Stage: 1, Changed: 4, Dark: 20 * ms, Clock: 25 * ms})
	s.m.Tick(26 * ms)
	s.expect(wire.Step)
	s.done(30*ms, 2, 3, 2, 1, 0)
	s.expect()
	for r := range 4 {
		s.m.Result(31*ms, r, wire.ResultMessage{Chunks: 1, Bytes: 400})
	}
	s.expect(wire.Finish) // the switch
	// A rank may see it go before its last word is here.
	s.m.Fault(32*ms, &fault.Fault{Kind: fault.SwitchLost, Rank: 1, Step: 2, Peer: fault.Nobody})
	s.m.Stats(32*ms, wire.StatsMessage{Circuits: [][3]int64{{0, 1, 400}}})
	s.expect(wire.Finish) // all ranks
	o := s.m.Outcome()
	if !s.m.Over() || o.Fault != nil || o.Checked != 4 || o.CheckedBytes != 1600 || o.End != 30*ms {
		t.Errorf("%+v", o)
	}
	if one := o.Steps[0]; one.Total() != 4*ms || one.Barrier() != 2*ms {
		t.Errorf("step 1: %+v", one)
	}
	if two := o.Stages[1]; two.Dark != 20*ms || two.Took != 21*ms || two.Changed != 4 {
		t.Errorf("stage 2: %+v", two)
	}
}

// failing runs a machine into step 1, causes the fault, and continues until the machine gives up.
func failing(t *testing.T, wrong func(s *script)) *fault.Fault {
	t.Helper()
	s := begin(t)
	s.m.Connected(0, wire.ConnectedMessage{Stage: 0})
	s.m.Tick(ms)
	for r := range 4 {
		s.m.Beat(ms, r, wire.BeatMessage{Step: 1, Peer: fault.Nobody, Clock: ms})
	}
	s.m.Beat(ms, fault.Nobody, wire.BeatMessage{Clock: ms})
	wrong(s)
	if !s.m.Over() {
		t.Fatal("the run goes on")
	}
	last := s.m.Actions[len(s.m.Actions)-2:]
	if last[0].Kind != wire.Abort || last[0].Rank != coordinator.Everybody || last[1].Kind != wire.Abort || last[1].Rank != fault.Nobody {
		t.Errorf("ended with %v", last)
	}
	return s.m.Outcome().Fault
}

// settle lets the time pass in which the run looks for causes. All members send heartbeats,
// except the silent ones.
func (s *script) settle(from, until time.Duration, silent ...int) {
	for at := from; at <= until; at += 50 * ms {
		for r := range 4 {
			if !slices.Contains(silent, r) {
				s.m.Beat(at, r, wire.BeatMessage{Step: 1, Peer: (r + 3) % 4, Clock: at})
			}
		}
		s.m.Beat(at, fault.Nobody, wire.BeatMessage{Clock: at})
		s.m.Tick(at)
	}
}

func TestTheCauseIsNamedAndNotWhatFollows(t *testing.T) {
	for name, c := range map[string]struct {
		wrong func(s *script)
		want  fault.Fault
	}{
		"a rank dies": {func(s *script) {
			s.m.Lost(5*ms, 3, "its connection has ended")
			s.settle(5*ms, 200*ms, 3)
		}, fault.Fault{Kind: fault.Died, Rank: 3}},
		"the switch dies, which ranks see first": {func(s *script) {
			for r := range 4 {
				s.m.Fault(5*ms, &fault.Fault{Kind: fault.SwitchLost, Rank: r, Step: 1, Peer: fault.Nobody, Detail: "lost"})
			}
			s.m.Lost(50*ms, fault.Nobody, "its process has ended")
			s.settle(50*ms, 200*ms)
		}, fault.Fault{Kind: fault.SwitchDied, Rank: fault.Nobody}},
		"a rank is silent": {func(s *script) { s.settle(5*ms, 1500*ms, 2) }, fault.Fault{Kind: fault.Stalled, Rank: 2}},
		"a rank waits for ever, and others for it": {func(s *script) {
			s.done(5*ms, 1, 0, 1)
			s.settle(5*ms, 1500*ms) // ranks 2 and 3 are not done; 3 waits for 2, and 2 for 1
		}, fault.Fault{Kind: fault.Stalled, Rank: 2}},
		"a clock jumps": {func(s *script) {
			s.m.Beat(5*ms, 1, wire.BeatMessage{Step: 1, Clock: time.Hour})
			s.settle(5*ms, 200*ms, 1)
		}, fault.Fault{Kind: fault.Clock, Rank: 1}},
		"our clock jumps": {func(s *script) {
			s.m.Tick(time.Hour)
			for r := range 4 {
				s.m.Beat(time.Hour, r, wire.BeatMessage{Step: 1, Clock: 10 * ms})
			}
			s.m.Tick(time.Hour + 200*ms)
		}, fault.Fault{Kind: fault.Clock, Rank: fault.Nobody}},
		"a result is wrong": {func(s *script) {
			s.done(5*ms, 1, 0, 1, 2, 3)
			s.m.Connected(6*ms, wire.ConnectedMessage{Stage: 1, Clock: 6 * ms})
			s.m.Tick(7 * ms)
			s.done(8*ms, 2, 0, 1, 2, 3)
			s.m.Result(9*ms, 2, wire.ResultMessage{Wrong: "element 0"})
			s.settle(9*ms, 200*ms)
		}, fault.Fault{Kind: fault.WrongData, Rank: 2}},
		"a rank is done with what it has not begun": {func(s *script) {
			s.done(5*ms, 2, 1)
			s.settle(5*ms, 200*ms)
		}, fault.Fault{Kind: fault.Garbage, Rank: 1}},
		"circuits that nobody asked for": {func(s *script) {
			s.m.Connected(5*ms, wire.ConnectedMessage{Stage: 1})
			s.settle(5*ms, 200*ms)
		}, fault.Fault{Kind: fault.Garbage, Rank: fault.Nobody}},
	} {
		if f := failing(t, c.wrong); f.Kind != c.want.Kind || f.Rank != c.want.Rank {
			t.Errorf("%s: %+v; want %+v", name, f, c.want)
		}
	}
}

func TestWhoHasNotComeIsNamed(t *testing.T) {
	m := coordinator.New(0, coordinator.Config{Program: twoStages(t), Watch: coordinator.Watch{Patience: 10 * time.Second, Rendezvous: time.Second, Settle: ms}})
	m.Joined(0, fault.Nobody)
	m.Ready(0, fault.Nobody)
	for r := range 3 {
		m.Joined(0, r)
		m.Ready(0, r)
	}
	m.Tick(time.Second - 1)
	if m.Over() || len(m.Actions) > 0 {
		t.Error("gave up too soon")
	}
	m.Tick(time.Second)
	m.Tick(time.Second + ms)
	if f := m.Outcome().Fault; f == nil || f.Kind != fault.Absent || f.Rank != 3 {
		t.Errorf("%+v", f)
	}
}
