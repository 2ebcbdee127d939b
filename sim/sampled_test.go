package sim_test

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/units"
)

// TestSampledRatesAreClose: if exact rates would take longer than packets, messages take almost
// as long as with exact ones: all together within 2%, each within 4% in the mean. That is less
// than half of the mean difference between exact rates and packets.
func TestSampledRatesAreClose(t *testing.T) {
	for _, c := range []struct {
		expr         string
		nodes, count int
	}{{"GenKautz(4,64)", 64, 30_000}, {"Torus(8,8)", 64, 40_000}} {
		p := &sim.Phase{Network: network(t, c.expr), Flows: smallMessages(c.nodes, c.count)}
		exact := run(t, sim.FlowLevel, p, sim.Options{FlowTimes: true, Exact: true})
		got := run(t, sim.FlowLevel, p, sim.Options{FlowTimes: true})
		packets := run(t, sim.PacketLevel, p, sim.Options{FlowTimes: true})
		if exact.RatesKept != 0 || got.RatesKept == 0 || got.RatesKept > 2*units.Microsecond {
			t.Errorf("%s: rates kept for %v, and %v with Exact", c.expr, got.RatesKept, exact.RatesKept)
		}
		var sum, all, off, model float64
		for i, at := range exact.Phases[0].Flows {
			start := p.Flows[i].Start
			want := float64(at - start)
			took := float64(got.Phases[0].Flows[i] - start)
			sum, all = sum+took, all+want
			off += math.Abs(took-want) / want
			model += math.Abs(float64(packets.Phases[0].Flows[i]-start)-want) / want
		}
		n := float64(c.count)
		if math.Abs(sum/all-1) > 0.02 || off/n > 0.04 || off > model/2 {
			t.Errorf("%s: messages take %.4f of what they should, %.4f off in the mean; packets %.4f", c.expr, sum/all, off/n, model/n)
		}
		for l := range exact.Links {
			if got.Links[l].Bytes != exact.Links[l].Bytes {
				t.Fatalf("%s: link %d carries %d bytes, not %d", c.expr, l, got.Links[l].Bytes, exact.Links[l].Bytes)
			}
		}
		if again := run(t, sim.FlowLevel, p, sim.Options{FlowTimes: true}); !slices.Equal(again.Phases[0].Flows, got.Phases[0].Flows) {
			t.Errorf("%s: not the same again", c.expr)
		}
	}
}

// TestSampledRatesSeeFailures: a failing circuit stops its messages even while rates are kept.
func TestSampledRatesSeeFailures(t *testing.T) {
	p := &sim.Phase{Network: network(t, "GenKautz(4,64)"), Flows: smallMessages(64, 30_000)}
	p.Failures = []sim.Failure{{At: 90 * units.Microsecond, From: 0, To: 63}}
	_, err := sim.Run(t.Context(), sim.FlowLevel, sim.Sequence(p), sim.Options{})
	if !errors.Is(err, sim.ErrFailed) {
		t.Errorf("%v, want %v", err, sim.ErrFailed)
	}
}

// TestOrderOfFlowsDoesNotMatter: flows listed in another order take as long. There are too many
// for a comparison sort.
func TestOrderOfFlowsDoesNotMatter(t *testing.T) {
	flows := smallMessages(64, 3000)
	p := &sim.Phase{Network: network(t, "Torus(8,8)"), Flows: flows}
	want := run(t, sim.FlowLevel, p, sim.Options{FlowTimes: true}).Phases[0].Flows
	order := rand.New(rand.NewPCG(5, 0)).Perm(len(flows))
	slices.SortStableFunc(order[:1000], func(i, j int) int { return cmp.Compare(flows[i].Start, flows[j].Start) })
	mixed := make([]sim.Flow, len(flows))
	for i, j := range order {
		mixed[i] = flows[j]
	}
	got := run(t, sim.FlowLevel, &sim.Phase{Network: p.Network, Flows: mixed}, sim.Options{FlowTimes: true}).Phases[0].Flows
	for i, j := range order {
		if d := got[i] - want[j]; d < -1 || d > 1 { // sums of rates in another order
			t.Fatalf("flow %d is complete at %v, and at %v in another order", j, want[j], got[i])
		}
	}
}
