package compile_test

import (
	"math"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/compile"
	"github.com/lightpath-net/lightpath/units"
)

// Every target that has times says how they differ from the plan's where ranks forward; those
// of a runtime and of the simulator then are about the same.
func TestTargetsSayWhatForwardingCosts(t *testing.T) {
	forwards := planned(t, collective.AllReduce, "recursive-doubling", "static", 8, 1)
	single := planned(t, collective.AllReduce, "ring", "static", 8, 1)
	carried := map[compile.Format]units.Time{}
	for _, target := range compile.Known() {
		f := target.Format()
		if f == compile.Dot || f == compile.Edges {
			continue // which have no times
		}
		r, err := compile.Compile(t.Context(), forwards, f, nil)
		if err != nil {
			t.Errorf("%s: %v", f, err)
			continue
		}
		carried[f] = r.Carried
		if said := strings.Join(r.Notes, "\n"); r.Carried == 0 && !strings.Contains(said, "routes of up to 4 hops cut through the GPUs") {
			t.Errorf("%s: says %q", f, said)
		}
		if r, err = compile.Compile(t.Context(), single, f, nil); err != nil {
			t.Errorf("%s: %v", f, err)
			continue
		}
		// The simulator counts whole nanoseconds.
		if diff := math.Abs(float64(r.Carried - single.Cost.Total())); r.Carried > 0 && diff > float64(single.CountSteps()) {
			t.Errorf("%s: takes %v, the plan %v", f, r.Carried, single.Cost.Total())
		}
		if said := strings.Join(r.Notes, "\n"); strings.Contains(said, "hops") || strings.Contains(r.How, "start-ups") {
			t.Errorf("%s: says %q, %q of single hops", f, said, r.How)
		}
	}
	// Three exchanges at distances 1, 2 and 4 there and back: 2*(0+1+3) hops more.
	lowered, err := compile.Compile(t.Context(), forwards, compile.MSCCL, nil)
	if err != nil {
		t.Fatal(err)
	}
	more := carried[compile.MSCCL] - lowered.Lowered.Cost.Total()
	if want := 8 * forwards.Fabric.Alpha.Time(); math.Abs(float64(more-want)) > 1e-6 || !strings.Contains(lowered.How, "8 more start-ups") {
		t.Errorf("start-ups of forwarded messages take %v, want %v; %s", more, want, lowered.How)
	}
	if ratio := float64(carried[compile.MSCCL] / carried[compile.ASTRA]); math.Abs(ratio-1) > 0.01 {
		t.Errorf("MSCCL takes %v, ASTRA-sim %v", carried[compile.MSCCL], carried[compile.ASTRA])
	}
}
