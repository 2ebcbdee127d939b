package train

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// randomTrace has a few layers, some of them with gradients and experts.
func randomTrace(random *rand.Rand) *Trace {
	t := &Trace{Name: "random"}
	for i := range 1 + random.IntN(3) {
		l := Layer{Name: fmt.Sprint("l", i), Forward: units.Duration(random.IntN(20)) * units.Microsecond, Backward: units.Duration(random.IntN(40)) * units.Microsecond}
		if random.IntN(4) > 0 {
			l.Bytes = units.Bytes(1 + random.IntN(5))
		}
		if random.IntN(3) == 0 {
			l.Exchange = units.Bytes(1 + random.IntN(3))
		}
		t.Layers = append(t.Layers, l)
	}
	return t
}

// TestFastestIsTheBestOfAllChoices: no combination of plans for the collectives of a lineup is
// faster, by a simulation of all combinations that does not use states.
func TestFastestIsTheBestOfAllChoices(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	f := fabric.Default()
	f.Nodes = 4
	graphs := make([]*topology.Graph, 3)
	for i, expr := range []string{"DC(4;1)", "DC(4;2)", "DC(4;3)"} {
		parsed, err := topology.ParseExpr(expr)
		if err != nil {
			t.Fatal(err)
		}
		if graphs[i], err = parsed.Build(); err != nil {
			t.Fatal(err)
		}
	}
	cases := 0
	for cases < 400 {
		trace := randomTrace(random)
		f.Reconfig.Base = units.Duration(random.IntN(30)) * units.Microsecond
		r, err := Simulate(t.Context(), trace, func(_ context.Context, _ collective.Op, size units.Bytes) (units.Time, error) {
			return units.Time(1000 * size), nil
		}, Options{AllToAllFirst: random.IntN(2) == 0})
		if err != nil {
			t.Fatal(err)
		}
		u := lineupOf(trace, r)
		if len(u.items) == 0 || len(u.items) > 8 {
			continue
		}
		cases++
		known := map[planKey][]Choice{}
		choices := func(op collective.Op, size units.Bytes) []Choice {
			key := planKey{op, size}
			for len(known[key]) < 3 {
				first, last := random.IntN(3), random.IntN(3)
				c := Choice{First: graphs[first], Last: graphs[last], Time: units.Time(random.IntN(50_000))}
				if first != last {
					c.Changes = 1
				}
				known[key] = append(known[key], c)
			}
			return known[key]
		}
		c := newCircuits(&f)
		initial := random.IntN(3) - 1
		if initial >= 0 {
			initial = c.of(graphs[initial])
		}
		last, err := u.fastest(t.Context(), c, initial, choices)
		if err != nil {
			t.Fatal(err)
		}
		best := math.Inf(1)
		picks := make([]Choice, len(u.items))
		var pick func(i int)
		pick = func(i int) {
			if i == len(picks) {
				best = min(best, carriedOut(trace, u, picks, c, initial))
				return
			}
			for _, choice := range choices(u.items[i].Op, units.Bytes(u.items[i].Bytes)) {
				picks[i] = choice
				pick(i + 1)
			}
		}
		pick(0)
		got := u.result(last)
		if math.Abs(float64(got.MinibatchNs)-best) > 1e-6*best {
			t.Fatalf("%v, but %v is possible: %+v", got.MinibatchNs, best, trace)
		}
		if exposed := got.MinibatchNs - got.ComputeNs; math.Abs(float64(got.ExposedNs-exposed)) > 1e-6*best || float64(got.ExposedNs-got.CommunicationNs) > 1e-6*best {
			t.Fatalf("exposed %v of %v, the minibatch is longer by %v", got.ExposedNs, got.CommunicationNs, exposed)
		}
	}
}

// carriedOut walks through the trace and hands the network the ready collectives, in the order
// of a lineup.
func carriedOut(trace *Trace, u *lineup, picks []Choice, c *circuits, up int) float64 {
	var now, free float64
	next := 0
	released := 0 // layers with gradients
	var readyAt []float64
	sent := 0
	carry := func(ready float64) {
		wait := 0.0
		if first := c.of(picks[next].First); up >= 0 {
			wait = float64(c.wait(up, first))
		}
		up = c.of(picks[next].Last)
		free = max(free+wait, ready) + float64(picks[next].Time)
		next++
	}
	gradients := func() { // those that come before the next all-to-all
		for next < len(u.items) && u.items[next].Op == collective.AllReduce && sent+u.items[next].Layers <= released {
			sent += u.items[next].Layers
			carry(readyAt[sent-1])
		}
	}
	exchange := func(l *Layer) {
		if l.Exchange == 0 {
			return
		}
		gradients()
		carry(now)
		now = free
	}
	layer := func(l *Layer, compute units.Duration) {
		exchange(l)
		now += float64(compute.Time())
		exchange(l)
	}
	for i := range trace.Layers {
		layer(&trace.Layers[i], trace.Layers[i].Forward)
	}
	for i := len(trace.Layers) - 1; i >= 0; i-- {
		l := &trace.Layers[i]
		layer(l, l.Backward)
		if l.Bytes > 0 {
			released++
			readyAt = append(readyAt, now)
		}
	}
	gradients()
	return max(now, free)
}

// A longer delay has fewer of the delays for which plans are made.
func TestDelaysOfPlansAreNested(t *testing.T) {
	for _, d := range []units.Duration{0, 1, units.Microsecond, 15 * units.Microsecond, 30 * units.Microsecond, 2 * units.Millisecond, 10 * units.Second} {
		all := delaysFrom(d)
		if len(all) == 0 || all[0] > d || len(all) > 1 && all[1] <= d {
			t.Errorf("%v: %v", d, all)
		}
	}
}
