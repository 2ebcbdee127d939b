package auto_test

import (
	"context"
	"testing"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/auto"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/units"
)

// With an outline a way is laid out only if it may win, and the plan is the same as without: for
// every planner, small and large sizes, and short and long delays.
func TestOutlinesLeaveThePlanAsItIs(t *testing.T) {
	var laid []*bool // by way with an outline
	for _, size := range []units.Bytes{64 * units.KiB, 64 * units.MiB} {
		for _, spec := range []string{"zipf:1", "moe:2", "random"} {
			demand, err := collective.GenerateDemand(spec, 10, size, 3)
			if err != nil {
				t.Fatal(err)
			}
			for _, delay := range []string{"100ns", "1ms"} {
				f := fabric.Default()
				f.Nodes = 10
				f.Ports = 2
				if f.Reconfig, err = fabric.ParseReconfig(delay); err != nil {
					t.Fatal(err)
				}
				for _, p := range append(staged.Planners(), auto.New(staged.Planners())) {
					var with, without []auto.Way
					for _, a := range algorithms.For(collective.AllToAll, collective.Shape{Nodes: 10, Ports: 2, Demand: demand}) {
						w := auto.Way{Planner: p, Lay: func(ctx context.Context) (collective.Sized, error) {
							return algorithms.NewExchange(ctx, a.Name, demand, 2)
						}}
						without = append(without, w)
						if a.Decomposes() {
							o, done := bound.OutlineOf(demand, 2), new(bool)
							laid = append(laid, done)
							w.Outline, w.Lay = &o, func(ctx context.Context) (collective.Sized, error) {
								*done = true
								return algorithms.NewExchange(ctx, a.Name, demand, 2)
							}
						}
						with = append(with, w)
					}
					r := planner.Request{Fabric: f}
					want, err := auto.FastestOf(t.Context(), r, without)
					if err != nil {
						t.Fatal(err)
					}
					got, err := auto.FastestOf(t.Context(), r, with)
					if err != nil {
						t.Fatal(err)
					}
					if got.Cost != want.Cost || got.Collective.Algorithm != want.Collective.Algorithm {
						t.Errorf("%s, %v of %s, %s: %v by %s with outlines, %v by %s without", p.Name(), size, spec, delay,
							got.Cost.Total(), got.Collective.Algorithm, want.Cost.Total(), want.Collective.Algorithm)
					}
				}
			}
		}
	}
	count := 0
	for _, done := range laid {
		if *done {
			count++
		}
	}
	if count < 10 || len(laid)-count < 10 {
		t.Errorf("%d of %d ways are laid out", count, len(laid))
	}
}
