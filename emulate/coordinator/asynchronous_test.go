package coordinator_test

import (
	"testing"
	"time"

	"github.com/lightpath-net/lightpath/emulate/coordinator"
	"github.com/lightpath-net/lightpath/emulate/fault"
	"github.com/lightpath-net/lightpath/emulate/wire"
)

// TestFreeRanksGoOnWithoutTheOthers: in the second stage, rank 1 has circuits only with rank 3
// (both ways). It continues when both have left the first stage, whatever ranks 0 and 2 do.
func TestFreeRanksGoOnWithoutTheOthers(t *testing.T) {
	s := &script{t, coordinator.New(0, coordinator.Config{
		Program: twoStages(t), Slow: slow, Watch: coordinator.Watch{Patience: time.Second, Rendezvous: 5 * time.Second, Settle: 100 * ms}, Asynchronous: true,
	})}
	s.m.Joined(0, fault.Nobody)
	s.m.Ready(0, fault.Nobody)
	for r := range 4 {
		s.m.Joined(0, r)
		s.m.Ready(0, r)
	}
	s.expect(wire.Connect)
	s.m.Connected(ms, wire.ConnectedMessage{Stage: 0, Changed: 4})
	s.expect(wire.Step, wire.Step, wire.Step, wire.Step)
	s.done(2*ms, 1, 1)
	s.expect()
	s.done(3*ms, 1, 3)
	s.expect() // 0 and 2 still have the circuits that end at and start from 1 and 3
	s.done(4*ms, 1, 0)
	// The circuit from 3 to 1 takes the fibres of 3 -> 0 and 0 -> 1, whose ends have all
	// left; that from 1 to 3 needs those of 1 -> 2 and 2 -> 3.
	if c := s.m.Actions[0].Message.(wire.ConnectMessage); len(c.Circuits) != 1 || c.Circuits[0] != [4]int{3, 0, 1, 0} || !c.Partial || c.Dark != 20*ms {
		t.Fatalf("%+v", c)
	}
	s.expect(wire.Connect)
	s.done(5*ms, 1, 2)
	if c := s.m.Actions[0].Message.(wire.ConnectMessage); len(c.Circuits) != 3 {
		t.Fatalf("%+v", c)
	}
	s.expect(wire.Connect)
	s.m.Connected(24*ms, wire.ConnectedMessage{Stage: 1, Changed: 1, Clock: 24 * ms})
	s.expect() // no rank has all of its circuits
	s.m.Connected(25*ms, wire.ConnectedMessage{Stage: 2, Changed: 3, Clock: 25 * ms})
	s.expect(wire.Step, wire.Step, wire.Step, wire.Step)
	s.done(26*ms, 2, 0, 1, 2)
	s.done(27*ms, 2, 3)
	for r := range 4 {
		s.m.Result(28*ms, r, wire.ResultMessage{Chunks: 1, Bytes: 400})
	}
	s.expect(wire.Finish)
	s.m.Stats(29*ms, wire.StatsMessage{})
	if o := s.m.Outcome(); !s.m.Over() || o.Fault != nil || o.Steps[0].Total() != 5*ms || o.Steps[1].Total() != 22*ms {
		t.Errorf("%+v", o)
	}
}

func TestAFreeRankMustNotSkipAStep(t *testing.T) {
	s := &script{t, coordinator.New(0, coordinator.Config{
		Program: twoStages(t), Watch: coordinator.Watch{Patience: time.Second, Rendezvous: 5 * time.Second, Settle: 10 * ms}, Asynchronous: true,
	})}
	s.m.Joined(0, fault.Nobody)
	s.m.Ready(0, fault.Nobody)
	for r := range 4 {
		s.m.Ready(0, r)
	}
	s.m.Connected(ms, wire.ConnectedMessage{Stage: 0})
	s.done(2*ms, 2, 1)
	s.m.Tick(20 * ms)
	if f := s.m.Outcome().Fault; f == nil || f.Kind != fault.Garbage || f.Rank != 1 {
		t.Errorf("%+v", f)
	}
}
