package compile_test

import (
	"math"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/compile"
	"github.com/lightpath-net/lightpath/compile/program"
	"github.com/lightpath-net/lightpath/units"
)

// Every target with times states how and why its time differs from the plan's if ranks forward.
// If no rank forwards, the time is the plan's.
func TestTargetsSayWhatForwardingCosts(t *testing.T) {
	forwards := planned(t, collective.AllReduce, "recursive-doubling", "static", 8, 1)
	single := planned(t, collective.AllReduce, "ring", "static", 8, 1)
	for _, target := range compile.Known() {
		f := target.Format()
		if target.Carries() == compile.Circuits {
			continue
		}
		r, err := compile.Compile(t.Context(), forwards, f, nil)
		if err != nil {
			t.Errorf("%s: %v", f, err)
			continue
		}
		if r.Carried == 0 {
			if said := strings.Join(r.Notes, "\n"); !strings.Contains(said, "routes of up to 4 hops cut through the GPUs") {
				t.Errorf("%s: says %q", f, said)
			}
		} else {
			// Three exchanges at distances 1, 2 and 4 there and back; ranks forward 2*(0+1+3) hops
			// of these. Some of those start-ups overlap with what others send; one never does.
			more, alpha := r.Parts.Startup-forwards.Cost.Startup, forwards.Fabric.Alpha.Time()
			if said := strings.Join(r.Causes, "\n"); more < alpha || !strings.Contains(said, "start-up +") {
				t.Errorf("%s: start-ups of forwarded messages take %v more; says %q", f, more, said)
			}
		}
		if r, err = compile.Compile(t.Context(), single, f, nil); err != nil {
			t.Errorf("%s: %v", f, err)
			continue
		}
		// The simulator counts whole nanoseconds.
		if diff := math.Abs(float64(r.Carried - single.Cost.Total())); r.Carried > 0 && diff > float64(single.CountSteps()) {
			t.Errorf("%s: takes %v, the plan %v", f, r.Carried, single.Cost.Total())
		}
		if said := strings.Join(append(r.Notes, r.Causes...), "\n"); strings.Contains(said, "hop") || len(r.Causes) > 0 {
			t.Errorf("%s: says %q of single hops", f, said)
		}
	}
}

// In a broadcast of 32 GPUs down a binomial tree, copies go through other GPUs, and runtimes
// take 2.6 times the plan's time. The times of all targets agree within a hundredth, though one
// target follows the plan's messages and the others the programs' thread blocks. The parts of
// each time add up.
func TestFiguresOfTargetsAgree(t *testing.T) {
	p := planned(t, collective.Broadcast, "binomial", "harvest", 32, 1)
	times := map[compile.Format]units.Time{}
	for _, f := range []compile.Format{compile.MSCCL, compile.RCCL, compile.MSCCLPP, compile.ASTRA} {
		r, err := compile.Compile(t.Context(), p, f, nil)
		if err != nil {
			t.Fatal(err)
		}
		times[f] = r.Carried
		if r.Carried < p.Cost.Total() || len(r.Causes) < 2 {
			t.Errorf("%s: takes %v, the plan %v: %q", f, r.Carried, p.Cost.Total(), r.Causes)
		}
		if sum := r.Parts.Total(); math.Abs(float64(sum/r.Carried)-1) > 1e-12 {
			t.Errorf("%s: parts of %v in all, of %v", f, sum, r.Carried)
		}
		if ratio := float64(times[f] / times[compile.MSCCL]); math.Abs(ratio-1) > 0.01 {
			t.Errorf("%s takes %v, MSCCL %v", f, times[f], times[compile.MSCCL])
		}
	}
}

// For a plan with small messages, a connection of MSCCL has room for two of them. The result
// names the credits as a cause, and LL, which has room for eight, waits less.
func TestWaitingForCreditsIsACause(t *testing.T) {
	p := planned(t, collective.Broadcast, "chain:parts=32", "harvest", 16, 1)
	simple, err := compile.Compile(t.Context(), p, compile.MSCCL, nil)
	if err != nil {
		t.Fatal(err)
	}
	low, err := compile.Compile(t.Context(), p, compile.MSCCL, &compile.XMLOptions{Protocol: program.LL})
	if err != nil {
		t.Fatal(err)
	}
	if said := strings.Join(simple.Causes, "\n"); !strings.Contains(said, "credits +") || simple.Parts.Credits <= low.Parts.Credits || simple.Carried <= low.Carried {
		t.Errorf("Simple waits %v of %v, LL %v of %v: %s", simple.Parts.Credits, simple.Carried, low.Parts.Credits, low.Carried, said)
	}
}
