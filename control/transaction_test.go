package control_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/lightpath-net/lightpath/control"
	"github.com/lightpath-net/lightpath/control/emulated"
	"github.com/lightpath-net/lightpath/internal/samples"
)

// errKilled stands for everything after the kill of a process.
var errKilled = errors.New("killed")

// fate kills a process at its n-th contact with the outside: from then on, its actions have no
// effect. The contact itself still has an effect if late is set.
type fate struct {
	mu    sync.Mutex
	at, n int // at 0: never
	late  bool
	dead  bool
}

// step counts a contact, and reports whether it has an effect and whether the process continues.
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

// mortal is the view of a switch by a process that may be killed.
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

// among reports a cross-connect that is in none of the given states.
func among(up control.State, states []control.State) error {
	for _, x := range up.Crosses() {
		known := false
		for _, s := range states {
			out, there := s[x.Ingress]
			known = known || there && out == x.Egress
		}
		if !known {
			return fmt.Errorf("%v was never wanted", x)
		}
	}
	return nil
}

// trial is a sequence of runs of a controller on the same switches and the same journal.
type trial struct {
	t        *testing.T
	seed     uint64
	rng      *rand.Rand
	journal  string
	switches map[string]*emulated.Switch
	own      map[string]control.Ports
	// wanted are the states that runs have asked for, by switch; the first was up in the beginning.
	wanted map[string][]control.State
	// whole is what all switches had when a change last ended.
	whole map[string]control.State
}

// Ports of a switch in a trial: our ports, and one port of others that is connected and must stay
// connected.
const (
	ours    = 6
	foreign = 1
	total   = ours + foreign
)

// draw makes a state of our ports.
func (r *trial) draw() control.State {
	s := control.State{}
	for in, out := range matching(r.rng, ours) {
		s[in] = out + foreign
	}
	return s
}

// up returns the state of our ports.
func (r *trial) up(name string) control.State {
	up, _ := r.switches[name].State(r.t.Context())
	if up[total] != 2*total {
		r.t.Fatalf("seed %d: a port of others was touched: %v", r.seed, up)
	}
	delete(up, total)
	return up
}

// names lists the switches.
func (r *trial) names() []string { return slices.Sorted(maps.Keys(r.switches)) }

func newTrial(t *testing.T, seed uint64) *trial {
	r := &trial{t: t, seed: seed, rng: rand.New(rand.NewPCG(33, seed)), journal: filepath.Join(t.TempDir(), "journal"),
		switches: map[string]*emulated.Switch{}, own: map[string]control.Ports{}, wanted: map[string][]control.State{}, whole: map[string]control.State{}}
	for _, name := range []string{"east", "west", "north"}[:2+r.rng.IntN(2)] {
		mine := control.Ports{Ingress: map[int]bool{}, Egress: map[int]bool{}}
		for p := range ours {
			mine.Ingress[p+1], mine.Egress[total+p+1] = true, true
		}
		first := r.draw()
		all := maps.Clone(first)
		all[total] = 2 * total
		s := emulated.New(total, 0, nil)
		s.Put(all)
		r.switches[name], r.own[name], r.wanted[name], r.whole[name] = s, mine, []control.State{first}, first
	}
	return r
}

// run lets a process with a fate reach a goal. Without a goal, it undoes an interrupted change.
func (r *trial) run(f *fate, want map[string]control.State) (*control.Result, error) {
	r.t.Helper()
	j, err := control.OpenJournal(r.journal)
	if err != nil {
		r.t.Fatalf("seed %d: %v", r.seed, err)
	}
	defer j.Close()
	c := &control.Controller{Switches: map[string]control.Switch{}, Own: r.own, Journal: j,
		Patience: control.Patience{Timeout: time.Minute, Attempts: 3},
		Sleep: func(context.Context, time.Duration) error {
			if _, alive := f.step(); !alive {
				return errKilled
			}
			return nil
		}}
	for name, s := range r.switches {
		c.Switches[name] = &mortal{s, f}
	}
	control.KillJournal(j, f.step)
	if want == nil {
		return c.Undo(r.t.Context())
	}
	for name, s := range want {
		r.wanted[name] = append(r.wanted[name], s)
	}
	return c.Reach(r.t.Context(), control.Goal{Plan: "p", Stage: len(r.wanted["east"]), Want: want})
}

// check compares the state with the result and the journal.
func (r *trial) check(got *control.Result, err error, killed bool) {
	r.t.Helper()
	known, recalled := control.Recall(r.journal)
	if recalled != nil {
		r.t.Fatalf("seed %d: %v", r.seed, recalled)
	}
	for name, s := range r.switches {
		for _, up := range s.Seen() {
			delete(up, total)
			if err := among(up, r.wanted[name]); err != nil {
				r.t.Fatalf("seed %d: switch %s: %v", r.seed, name, err)
			}
		}
		now := r.up(name)
		switch {
		case known.After == nil: // nothing has begun yet
			if !now.Equal(r.whole[name]) {
				r.t.Errorf("seed %d: switch %s has changed before the journal knew: %v", r.seed, name, now)
			}
		case known.Open && !known.Before[name].Equal(r.whole[name]):
			r.t.Errorf("seed %d: switch %s goes back to %v, not to %v, which was whole", r.seed, name, known.Before[name], r.whole[name])
		case !known.Open && !now.Equal(known.After[name]):
			r.t.Errorf("seed %d: the journal says that all is well, but switch %s has %v, not %v", r.seed, name, now, known.After[name])
		}
		if killed {
			continue
		}
		up, answered := got.Up[name]
		switch goal := r.wanted[name][len(r.wanted[name])-1]; {
		case !answered && got.Errors[name] == nil:
			r.t.Errorf("seed %d: nothing is known of switch %s, and no error says why", r.seed, name)
		case answered && !up.Equal(now):
			r.t.Errorf("seed %d: switch %s has %v, not %v as the result says", r.seed, name, now, up)
		case got.Outcome == control.Reached && !now.Equal(goal), got.Outcome == control.Undone && !now.Equal(r.whole[name]):
			r.t.Errorf("seed %d: %s: switch %s has %v", r.seed, got.Outcome, name, now)
		}
	}
	if !killed && (err == nil) != (got.Outcome == control.Reached) {
		r.t.Errorf("seed %d: %s, %v", r.seed, got.Outcome, err)
	}
	if known.After != nil && !known.Open {
		r.whole = known.After
	}
}

// TestNoFaultAndNoKillLeavesAWrongOrUnknownState: 250 trials of up to four runs over two or
// three switches, each run with faults of switches, a kill at a random contact with the outside,
// or both. Whatever happens, no port has an unwanted cross-connect; ports of others stay; the
// circuits that a run reports are up; a change that has ended by the journal has ended on all
// switches, and an unfinished change is rolled back to the last complete state; and a run
// without faults reaches its goal.
func TestNoFaultAndNoKillLeavesAWrongOrUnknownState(t *testing.T) {
	outcomes := map[control.Outcome]int{}
	kills, resumed, faulty := 0, 0, 0
	trials := samples.Of(250)
	for seed := range uint64(trials) {
		r := newTrial(t, seed)
		for range 1 + r.rng.IntN(3) {
			want := map[string]control.State{}
			for _, name := range r.names() {
				faults := map[int]emulated.Fault{}
				for range r.rng.IntN(4) {
					faults[1+r.rng.IntN(5)] = emulated.Fault(emulated.Faults()[r.rng.IntN(len(emulated.Faults()))])
				}
				if r.rng.IntN(8) == 0 { // for good
					faults[0] = emulated.Refuse
				}
				faulty += len(faults)
				r.switches[name].Ail(faults)
				want[name] = r.draw()
			}
			f := &fate{late: r.rng.IntN(2) == 0}
			if r.rng.IntN(3) > 0 {
				f.at = 1 + r.rng.IntN(25)
			}
			got, err := r.run(f, want)
			if f.dead {
				kills++
			} else {
				outcomes[got.Outcome]++
			}
			r.check(got, err, f.dead)
		}
		want := map[string]control.State{}
		for _, name := range r.names() { // are mended
			r.switches[name].Ail(nil)
			if want[name] = r.draw(); seed%2 == 1 {
				want[name] = r.whole[name] // back
			}
		}
		if seed%3 == 0 {
			got, err := r.run(&fate{}, nil)
			if err != nil || got.Outcome == control.Stuck {
				t.Errorf("seed %d: undoing: %+v, %v", seed, got, err)
			}
			for name := range r.switches {
				if !r.up(name).Equal(r.whole[name]) {
					t.Errorf("seed %d: undone, switch %s has %v, not %v", seed, name, r.up(name), r.whole[name])
				}
			}
		}
		got, err := r.run(&fate{}, want)
		if err != nil || got.Outcome != control.Reached || len(got.Surprises) > 0 {
			t.Errorf("seed %d: without faults: %+v, %v", seed, got, err)
		}
		if got.Resumed {
			resumed++
		}
		r.check(got, err, false)
	}
	for _, o := range []control.Outcome{control.Reached, control.Undone, control.Stuck} {
		if outcomes[o] == 0 {
			t.Errorf("no transaction ended %s: %v", o, outcomes)
		}
	}
	t.Logf("%d faults, %d kills, %d trials end with a change to resume, outcomes %v", faulty, kills, resumed, outcomes)
	if kills < trials/2 || resumed < trials/8 {
		t.Errorf("only %d kills in %d trials, %d to resume", kills, trials, resumed)
	}
}

// TestADifferenceIsTheLeastThatChangesAndNeedsNoBusyPort: by enumeration, no change between the
// two states is shorter. Executed in its order, the difference is never refused.
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

// TestOneProcessControlsSwitches: a second process is refused until the first ends.
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
