package crossbar_test

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/lightpath-net/lightpath/emulate/crossbar"
	"github.com/lightpath-net/lightpath/emulate/wire"
)

const us = time.Microsecond

// ring is a one-way ring of n nodes over port 0.
func ring(n, jump int) []wire.Circuit {
	var list []wire.Circuit
	for u := range n {
		list = append(list, wire.Circuit{From: u, To: (u + jump) % n})
	}
	return list
}

func kind(t *testing.T, err error) string {
	t.Helper()
	var f *crossbar.Fault
	if !errors.As(err, &f) {
		t.Fatalf("not a fault: %v", err)
	}
	return f.Kind
}

// TestBytesComeOutWhenRateAndPropagationAllow: 1000 bytes at 1 ns each occupy the circuit for 1
// us, and reach its end 5 us later. The next bytes wait until the circuit is free.
func TestBytesComeOutWhenRateAndPropagationAllow(t *testing.T) {
	s := crossbar.NewState(4, 2, 1000, 5*us, nil)
	changed, up, err := s.Connect(0, ring(4, 1), 10*us)
	if err != nil || changed != 4 || up != 10*us {
		t.Fatal(changed, up, err)
	}
	for i, c := range []struct {
		now     time.Duration
		through bool
		want    crossbar.Delivery
	}{
		{10 * us, false, crossbar.Delivery{Port: 2, At: 16 * us, Free: 11 * us}},
		{10 * us, false, crossbar.Delivery{Port: 2, At: 17 * us, Free: 12 * us}},
		{11 * us, true, crossbar.Delivery{Port: 2, At: 17 * us, Free: 13 * us}}, // its first bit
		{20 * us, false, crossbar.Delivery{Port: 2, At: 26 * us, Free: 21 * us}},
	} {
		if d, err := s.Send(c.now, 0, 1000, 1, c.through); err != nil || d != c.want {
			t.Errorf("%d: %+v, %v; want %+v", i, d, err, c.want)
		}
	}
	if want := [][3]int64{{0, 1, 4000}}; !reflect.DeepEqual(s.Carried(), want) {
		t.Errorf("carried %v", s.Carried())
	}
}

func TestBytesIntoADarkPortAreAFault(t *testing.T) {
	s := crossbar.NewState(4, 2, 0, 0, nil)
	if _, err := s.Send(0, 0, 1, 1, false); kind(t, err) != crossbar.Dark {
		t.Error("before any circuit")
	}
	s.Connect(0, ring(4, 1), 10*us)
	if _, err := s.Send(10*us-1, 0, 1, 1, false); kind(t, err) != crossbar.Dark {
		t.Error("while the circuit is being set")
	}
	if _, err := s.Send(10*us, 1, 1, 1, false); kind(t, err) != crossbar.Dark {
		t.Error("into a port without circuit")
	}
	if _, err := s.Send(10*us, 0, 1, 1, false); err != nil {
		t.Error(err)
	}
	// Node 0's circuit stays, those of the others go.
	s.Connect(20*us, ring(4, 1)[:1], 10*us)
	if _, err := s.Send(20*us, 0, 1, 1, false); err != nil {
		t.Errorf("a circuit that stays: %v", err)
	}
	if _, err := s.Send(40*us, 2, 1, 1, false); kind(t, err) != crossbar.Dark {
		t.Error("a circuit that has gone")
	}
}

func TestACircuitMustNotChangeWhileBytesAreUnderWay(t *testing.T) {
	s := crossbar.NewState(4, 1, 1000, 5*us, nil)
	s.Connect(0, ring(4, 1), 0)
	d, err := s.Send(0, 0, 1000, 1, true)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Connect(d.At, ring(4, 2), 0); kind(t, err) != crossbar.Torn {
		t.Error("the last bit was still under way")
	}
	if _, _, err := s.Connect(6*us, ring(4, 2), 0); err != nil {
		t.Error(err)
	}
}

func TestACutCircuitCarriesNothing(t *testing.T) {
	cuts := []wire.Harm{{From: 0, To: 1, Step: 3}, {From: 1, To: 2, At: 10 * us}}
	s := crossbar.NewState(4, 1, 1000, 5*us, cuts)
	s.Connect(100*us, ring(4, 1), 0)
	if _, err := s.Send(100*us, 0, 1, 2, false); err != nil {
		t.Error(err)
	}
	if _, err := s.Send(100*us, 0, 1, 3, false); kind(t, err) != crossbar.Broken {
		t.Error("in the step of the cut")
	}
	if _, err := s.Send(100*us, 1, 1000, 1, false); err != nil { // arrives at 106
		t.Error(err)
	}
	if _, err := s.Send(104*us, 1, 1000, 1, false); kind(t, err) != crossbar.Broken {
		t.Error("what is under way when the circuit is cut does not arrive")
	}
	if _, err := s.Send(200*us, 2, 1, 9, false); err != nil {
		t.Errorf("another circuit: %v", err)
	}
}

func TestACircuitCanBeSlowOrChangeBytes(t *testing.T) {
	harms := []wire.Harm{{From: 0, To: 1, Step: 3, Slow: 4}, {From: 1, To: 2, At: 10 * us, Corrupt: true}}
	s := crossbar.NewState(4, 1, 1000, 5*us, harms)
	s.Connect(100*us, ring(4, 1), 0)
	for step := 2; step < 5; step++ {
		takes, now := time.Duration(4), time.Duration(step)*time.Millisecond
		if step == 2 {
			takes = 1
		}
		d, err := s.Send(now, 0, 1000, step, false)
		if err != nil || d.Free != now+takes*us || d.At != d.Free+5*us {
			t.Errorf("step %d: %+v, %v", step, d, err)
		}
	}
	for at, want := range map[time.Duration]bool{109 * us: false, 110 * us: true, 111 * us: true} {
		if s.Corrupts(1, 2, 1, at) != want || s.Corrupts(2, 1, 1, at) || s.Corrupts(0, 1, 3, at) {
			t.Errorf("at %v", at)
		}
	}
	if _, err := s.Send(200*us, 1, 1, 1, false); err != nil {
		t.Error(err)
	}
}

func TestCircuitsThatCannotBeAreRefused(t *testing.T) {
	for _, circuits := range [][]wire.Circuit{
		{{From: 4, To: 0}},
		{{From: 0, To: -1}},
		{{From: 0, FromPort: 2, To: 1}},
		{{From: 0, To: 1, ToPort: -1}},
		{{From: 0, To: 1}, {From: 0, To: 2}},
		{{From: 0, To: 1}, {From: 2, To: 1}},
	} {
		s := crossbar.NewState(4, 2, 0, 0, nil)
		if _, _, err := s.Connect(0, circuits, 0); kind(t, err) != crossbar.Invalid {
			t.Errorf("%v", circuits)
		}
	}
}
