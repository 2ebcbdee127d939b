package comparing_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/frontier"
	"github.com/lightpath-net/lightpath/units"
)

// sameTime reports whether the times of the frontier and of a plan agree, up to a different
// order of summation and a corner that is rounded to a picosecond.
func sameTime(a, b units.Time) bool {
	return math.Abs(float64(a-b)) <= 1e-8*float64(b)+0.01
}

// drawFrontier draws a small request whose delays add up.
func drawFrontier(rng *rand.Rand) lightpath.FrontierRequest {
	f := fabric.Default()
	f.Nodes, f.Ports = 2+rng.IntN(11), 1+rng.IntN(3)
	f.Duplex = f.Ports > 1 && rng.IntN(4) == 0
	f.Initial = []string{fabric.InitialFree, fabric.InitialDark, fabric.InitialBase}[rng.IntN(3)]
	f.Sync = units.Duration(rng.IntN(2)*rng.IntN(3000)) * units.Nanosecond
	if rng.IntN(3) == 0 {
		f.Overlap = fabric.Overlap{Kind: fabric.OverlapCompute, Compute: units.Duration(rng.IntN(20_000)) * units.Nanosecond}
	}
	op := collective.Ops()[rng.IntN(len(collective.Ops()))]
	return lightpath.FrontierRequest{Fabric: f, Operation: lightpath.Operation{Op: op, Size: units.Bytes(1) << (4 + rng.IntN(24))}}
}

// For every delay the frontier gives the time of Plan, with all planners and with one, even
// where one plan takes over from another.
func TestFrontierIsThePlanForEveryDelay(t *testing.T) {
	t.Parallel()
	rewires, by := 0, map[string]bool{}
	for seed := range uint64(samples.Draws(16, 40)) {
		if seed == 10 && !samples.Every() {
			continue // a reduction whose plans take a second each
		}
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(13, seed))
			r := drawFrontier(rng)
			if seed%4 == 3 {
				r.Planner = []string{"static", "every-step", "light-bends", "harvest", "joint", "direct-connect", "exchange"}[rng.IntN(7)]
			}
			f, err := lightpath.FindFrontier(t.Context(), r)
			ask := lightpath.PlanRequest{Fabric: r.Fabric, Operations: []lightpath.Operation{r.Operation}, Planner: r.Planner}
			if err != nil {
				if _, planErr := lightpath.Plan(t.Context(), ask, lightpath.WithoutBaselines()); planErr == nil || errors.Is(planErr, planner.ErrInfeasible) != errors.Is(err, planner.ErrInfeasible) {
					t.Fatalf("%v, but a plan: %v", err, planErr)
				}
				return
			}
			delays := []units.Duration{0, units.Duration(1 << rng.IntN(40)), units.Duration(1 << (20 + rng.IntN(20)))}
			for _, p := range f.Points {
				by[p.Planner] = true
				rewires = max(rewires, p.Reconfigurations)
				delays = append(delays, units.Duration(math.Round(float64(p.FromNs)*1000)))
			}
			for _, delay := range delays {
				ask.Fabric.Reconfig.Base = delay
				p, err := lightpath.Plan(t.Context(), ask, lightpath.WithoutBaselines())
				if err != nil {
					t.Fatal(err)
				}
				if got, want := f.At(delay.Time()), p.Cost.Total(); !sameTime(got, want) {
					t.Errorf("%s of %v on %+v at %v: the frontier says %v (%+v), %s with %s takes %v", r.Operation.Op, r.Operation.Size, r.Fabric, delay.Time(), got,
						f.Points, p.Collective.Algorithm, p.Planner, want)
				}
			}
		})
	}
	if rewires < 2 || len(by) < 3 {
		t.Errorf("%d changes, planners %v: the test shows nothing", rewires, by)
	}
}

func TestFrontierOfOnePlannerIsNeverBelowThatOfAll(t *testing.T) {
	t.Parallel()
	for seed := range uint64(samples.Draws(2, 6)) {
		r := drawFrontier(rand.New(rand.NewPCG(14, seed)))
		all, err := lightpath.FindFrontier(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range lightpath.Planners() {
			if r.Planner = p.Name(); r.Planner == lightpath.Auto {
				continue // which is all of them
			}
			one, err := lightpath.FindFrontier(t.Context(), r)
			if err != nil {
				continue // this planner cannot
			}
			if slices.ContainsFunc(one.Points, func(x frontier.Point) bool { return x.Planner != p.Name() }) {
				t.Errorf("planner %s: %+v", p.Name(), one.Points)
			}
			for _, delay := range []units.Time{0, 100, 10_000, 1e6, 1e9} {
				if a, b := all.At(delay), one.At(delay); a > b && !sameTime(a, b) {
					t.Errorf("%s on %+v at %v: all planners %v, %s %v", r.Operation.Op, r.Fabric, delay, a, p.Name(), b)
				}
			}
		}
	}
}

// On layouts of switches and around failures, plans that planning makes beside the contest of
// algorithms and planners are on the frontier, too.
func TestFrontierHasWhatPlanningTriesOnSwitchesAndAroundFailures(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ switches, avoid string }{{"2x3", ""}, {"2x3", "gpu:3"}, {"rails", "link:0-1"}} {
		f := fabric.Default()
		f.Nodes, f.Ports = 6, 2
		for name, value := range map[string]string{"switches": c.switches, "avoid": c.avoid} {
			if err := f.Set(name, value); value != "" && err != nil {
				t.Fatal(err)
			}
		}
		o := lightpath.Operation{Op: collective.AllReduce, Size: units.KiB}
		found, err := lightpath.FindFrontier(t.Context(), lightpath.FrontierRequest{Fabric: f, Operation: o})
		if err != nil {
			t.Fatal(err)
		}
		for _, delay := range []units.Duration{0, 300 * units.Nanosecond, 2 * units.Microsecond, units.Millisecond} {
			f.Reconfig.Base = delay
			p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{Fabric: f, Operations: []lightpath.Operation{o}}, lightpath.WithoutBaselines())
			if err != nil {
				t.Fatal(err)
			}
			if got := found.At(delay.Time()); !sameTime(got, p.Cost.Total()) {
				t.Errorf("%s without %s at %v: the frontier has %v, the plan takes %v", c.switches, c.avoid, delay, got, p.Cost.Total())
			}
		}
	}
}

func TestFrontierRefusesDelaysThatDoNotAddUp(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path   string
		change func(*fabric.Fabric)
	}{
		{"fabric.overlap", func(f *fabric.Fabric) { f.Overlap.Kind = fabric.OverlapPorts }},
		{"fabric.overlap", func(f *fabric.Fabric) { f.Overlap.Kind = fabric.OverlapCircuits }},
		{"fabric.overlap", func(f *fabric.Fabric) {
			f.Overlap = fabric.Overlap{Kind: fabric.OverlapCompute, Compute: units.Microsecond}
			f.Reconfig = fabric.Reconfig{Model: fabric.PerPort, Each: units.Nanosecond}
		}},
		{"fabric.island", func(f *fabric.Fabric) { f.Island = fabric.Island{Size: 2, Bandwidth: f.Bandwidth} }},
		{"fabric.fixed", func(f *fabric.Fabric) {
			if err := f.Set("fixed", "Ring(4)"); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		f := fabric.Default()
		f.Nodes = 4
		c.change(&f)
		var named *lightpath.FieldError
		_, err := lightpath.FindFrontier(t.Context(), lightpath.FrontierRequest{Fabric: f, Operation: lightpath.Operation{Op: collective.AllReduce}})
		if !errors.As(err, &named) || named.Path != c.path {
			t.Errorf("%s: %v", c.path, err)
		}
	}
}
