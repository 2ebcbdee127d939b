package control_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/lightpath-net/lightpath/control"
	"github.com/lightpath-net/lightpath/control/emulated"
	"github.com/lightpath-net/lightpath/internal/samples"
)

// errKilled is what a process that was killed would not live to see.
var errKilled = errors.New("killed")

// fate kills a process at its n-th contact with the outside: from then on, nothing it does has an
// effect. The contact itself has its effect if late.
type fate struct {
	mu    sync.Mutex
	at, n int // at 0: never
	late  bool
	dead  bool
}

// step counts a contact, and says whether it has an effect and whether the process goes on.
func (f *fate) step() (effect, alive bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.dead {
		return false, false
	}
	f.n++
	if f.n == f.at {
		f.dead = true
		return f.late, false
	}
	return true, true
}

// mortal is a switch as a process that may be killed sees it.
type mortal struct {
	control.Switch
	*fate
}

func (m *mortal) Size(ctx context.Context) (control.Size, error) {
	if _, alive := m.step(); !alive {
		return control.Size{}, errKilled
	}
	return m.Switch.Size(ctx)
}

func (m *mortal) State(ctx context.Context) (control.State, error) {
	if _, alive := m.step(); !alive {
		return nil, errKilled
	}
	return m.Switch.State(ctx)
}

func (m *mortal) Change(ctx context.Context, c control.Change) error {
	effect, alive := m.step()
	if effect {
		err := m.Switch.Change(ctx, c)
		if alive {
			return err
		}
	}
	if !alive {
		return errKilled
	}
	return nil
}

// matching draws cross-connects between ports of a switch: ingress 1..ports, egress after them.
func matching(rng *rand.Rand, ports int) control.State {
	s := control.State{}
	in, out := rng.Perm(ports), rng.Perm(ports)
	for i := range rng.IntN(ports + 1) {
		s[in[i]+1] = ports + out[i] + 1
	}
	return s
}

// between reports a port that has neither what it had before nor what it should have, or that is
// not ours and has changed.
func between(up, before, after control.State) error {
	for _, x := range up.Crosses() {
		if was, there := before[x.Ingress]; there && was == x.Egress {
			continue
		}
		if will, there := after[x.Ingress]; there && will == x.Egress {
			continue
		}
		return fmt.Errorf("%v is neither from before nor wanted", x)
	}
	return nil
}

// TestNoFaultAndNoKillLeavesAWrongOrUnknownState: 400 transactions over two or three switches, each
// with faults of switches, a kill at a random contact with the outside, or both. Whatever happens,
// every port has what it had or what it should have; what a run says is up is up; a run that says
// it is done or undone is; and the next run without faults reaches its goal, forwards or backwards.
func TestNoFaultAndNoKillLeavesAWrongOrUnknownState(t *testing.T) {
	const ports, foreign = 6, 2
	var outcomes = map[control.Outcome]int{}
	kills, resumed := 0, 0
	transactions := samples.Of(400)
	for seed := range uint64(transactions) {
		rng := rand.New(rand.NewPCG(33, seed))
		journal := filepath.Join(t.TempDir(), "journal")
		switches, own := map[string]*emulated.Switch{}, map[string]control.Ports{}
		start, want := map[string]control.State{}, map[string]control.State{}
		for _, name := range []string{"east", "west", "north"}[:2+rng.IntN(2)] {
			faults := map[int]emulated.Fault{}
			for range rng.IntN(4) {
				kind := emulated.Fault(emulated.Faults()[rng.IntN(len(emulated.Faults()))])
				faults[1+rng.IntN(5)] = kind
			}
			if rng.IntN(8) == 0 { // for good
				faults[0] = emulated.Refuse
			}
			s := emulated.New(ports+foreign, 0, faults)
			// Ports of others are connected, and must stay so.
			mine := control.Ports{Ingress: map[int]bool{}, Egress: map[int]bool{}}
			shift := func(m control.State) control.State {
				moved := control.State{}
				for in, out := range m {
					moved[in] = out + foreign
				}
				return moved
			}
			for p := range ports {
				mine.Ingress[p+1], mine.Egress[p+1+ports+foreign] = true, true
			}
			start[name], want[name] = shift(matching(rng, ports)), shift(matching(rng, ports))
			all := maps.Clone(start[name])
			all[ports+1] = 2*ports + foreign + 1
			s.Put(all)
			switches[name], own[name] = s, mine
		}
		ours := func(name string) control.State {
			up, _ := switches[name].State(t.Context())
			if up[ports+1] != 2*ports+foreign+1 {
				t.Fatalf("seed %d: a port of others was touched: %v", seed, up)
			}
			delete(up, ports+1)
			return up
		}
		run := func(f *fate, want map[string]control.State) (*control.Result, error) {
			j, err := control.OpenJournal(journal)
			if err != nil {
				t.Fatal(err)
			}
			defer j.Close()
			c := &control.Controller{Switches: map[string]control.Switch{}, Own: own, Journal: j,
				Patience: control.Patience{Timeout: time.Minute, Attempts: 3},
				Sleep: func(context.Context, time.Duration) error {
					if _, alive := f.step(); !alive {
						return errKilled
					}
					return nil
				}}
			for name, s := range switches {
				c.Switches[name] = &mortal{s, f}
			}
			control.KillJournal(j, f.step)
			return c.Reach(t.Context(), control.Goal{Plan: "p", Stage: 1, Want: want})
		}
		f := &fate{late: rng.IntN(2) == 0}
		if rng.IntN(3) > 0 {
			f.at = 1 + rng.IntN(25)
		}
		got, err := run(f, want)
		for name, s := range switches {
			for _, up := range s.Seen() {
				delete(up, ports+1)
				if err := between(up, start[name], want[name]); err != nil {
					t.Fatalf("seed %d: switch %s: %v", seed, name, err)
				}
			}
		}
		if f.dead {
			kills++
		} else {
			outcomes[got.Outcome]++
			if (err == nil) != (got.Outcome == control.Reached) {
				t.Errorf("seed %d: %s, %v", seed, got.Outcome, err)
			}
			for name := range switches {
				up, known := got.Up[name]
				switch {
				case !known && got.Errors[name] == nil:
					t.Errorf("seed %d: nothing is known of switch %s, and no error says why", seed, name)
				case known && !up.Equal(ours(name)):
					t.Errorf("seed %d: switch %s has %v, not %v as the result says", seed, name, ours(name), up)
				case got.Outcome == control.Reached && !ours(name).Equal(want[name]), got.Outcome == control.Undone && !ours(name).Equal(start[name]):
					t.Errorf("seed %d: %s: switch %s has %v", seed, got.Outcome, name, ours(name))
				}
			}
		}
		// Switches are mended, and the next run goes on; every other one goes back.
		for name := range switches {
			up := ours(name)
			up[ports+1] = 2*ports + foreign + 1
			mended := emulated.New(ports+foreign, 0, nil)
			mended.Put(up)
			switches[name] = mended
		}
		goal := want
		if seed%2 == 1 {
			goal = start
		}
		again, err := run(&fate{}, goal)
		if err != nil || again.Outcome != control.Reached {
			t.Fatalf("seed %d: the next run: %v, %v", seed, again, err)
		}
		if again.Resumed {
			resumed++
		}
		if len(again.Surprises) > 0 && f.dead {
			t.Errorf("seed %d: surprises: %v", seed, again.Surprises)
		}
		for name := range switches {
			if !ours(name).Equal(goal[name]) {
				t.Errorf("seed %d: after the next run, switch %s has %v, want %v", seed, name, ours(name), goal[name])
			}
		}
	}
	for _, o := range []control.Outcome{control.Reached, control.Undone, control.Stuck} {
		if outcomes[o] == 0 {
			t.Errorf("no transaction ended %s: %v", o, outcomes)
		}
	}
	if 4*kills < transactions || 8*resumed < transactions {
		t.Errorf("only %d kills in %d transactions, %d resumed", kills, transactions, resumed)
	}
}

// TestADifferenceIsTheLeastThatChangesAndNeedsNoBusyPort against enumeration: of all changes that
// lead from one state to another, none is shorter; carried out in its order it is never refused.
func TestADifferenceIsTheLeastThatChangesAndNeedsNoBusyPort(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 33))
	for range 2000 {
		from, to := matching(rng, 5), matching(rng, 5)
		c := control.Difference(from, to)
		stays := 0
		for in, out := range from {
			if to[in] == out {
				stays++
			}
		}
		if len(c.Disconnect) != len(from)-stays || len(c.Connect) != len(to)-stays {
			t.Fatalf("from %v to %v: %v", from, to, c)
		}
		up := maps.Clone(from)
		if err := c.Apply(up); err != nil || !up.Equal(to) {
			t.Fatalf("from %v to %v by %v: %v, %v", from, to, c, up, err)
		}
	}
}

// TestPortsOfOthersAreNeverJoinedWithOurs: a cross-connect from a port of ours to one of others is
// reported, and nothing changes.
func TestPortsOfOthersAreNeverJoinedWithOurs(t *testing.T) {
	s := emulated.New(4, 0, nil)
	s.Put(control.State{1: 8})
	c := &control.Controller{Switches: map[string]control.Switch{"a": s}, Journal: control.JournalInMemory(), Patience: control.Patience{Timeout: time.Minute},
		Own: map[string]control.Ports{"a": {Ingress: map[int]bool{1: true, 2: true}, Egress: map[int]bool{5: true, 6: true}}}}
	_, err := c.Reach(t.Context(), control.Goal{Want: map[string]control.State{"a": {1: 5}}})
	if err == nil || len(s.Seen()) > 0 {
		t.Error(err)
	}
	if _, err := c.Reach(t.Context(), control.Goal{Want: map[string]control.State{"b": {1: 5}}}); err == nil {
		t.Error("a switch that nobody knows")
	}
	s.Put(nil)
	for _, want := range []control.State{{3: 5}, {1: 7}, {1: 1}, {9: 5}} {
		if _, err := c.Reach(t.Context(), control.Goal{Want: map[string]control.State{"a": want}}); err == nil || len(s.Seen()) > 0 {
			t.Errorf("%v: %v", want, err)
		}
	}
}

// TestOneProcessControlsSwitches: a second one is told so, until the first ends.
func TestOneProcessControlsSwitches(t *testing.T) {
	name := filepath.Join(t.TempDir(), "journal")
	first, err := control.OpenJournal(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := control.OpenJournal(name); err == nil {
		t.Error("two processes")
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second, err := control.OpenJournal(name)
	if err != nil {
		t.Fatal(err)
	}
	second.Close()
}
