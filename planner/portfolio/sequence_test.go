package portfolio

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/capped"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/auto"
	"github.com/lightpath-net/lightpath/planner/idle"
	"github.com/lightpath-net/lightpath/units"
)

// plainSequence is fastestSequence without any limit.
func plainSequence(ctx context.Context, r *Request, p planner.Planner, s *Search) (*plan.Plan, error) {
	var best *plan.Plan
	chain := func(r *Request) (*plan.Plan, error) {
		whole, err := plainWhole(ctx, r, p, s)
		joined, otherErr := r.joined(ctx, p, s)
		return faster(whole, err, joined, otherErr)
	}
	best, reason := chain(r)
	for _, less := range s.Less(r) {
		other := *r
		other.Fabric = less.On(r.Fabric)
		made, err := chain(&other)
		if err == nil {
			err = idle.Widen(ctx, made, &r.Fabric)
		}
		if err == nil && (best == nil || made.Cost.Total() < best.Cost.Total()) {
			best, reason = made, nil
		}
	}
	return best, reason
}

// plainWhole is sequence with every way planned alone and every combination tried.
func plainWhole(ctx context.Context, r *Request, p planner.Planner, s *Search) (*plan.Plan, error) {
	request := s.Ask(r.Fabric)
	keep := 1
	for capped.Power(keep+1, len(r.Operations), maxSequences+1) <= maxSequences {
		keep++
	}
	combinations := 1
	options := make([][]collective.Sized, len(r.Operations))
	for i := range options {
		ways, err := r.ways(i, p, s)
		if err != nil {
			return nil, err
		}
		type timed struct {
			collective.Sized
			alone units.Time
		}
		var made []timed
		for _, w := range ways {
			if planner.TraitsOf(w.Planner).Composes != nil {
				continue
			}
			laid, err := w.Lay(ctx)
			if err != nil {
				return nil, err
			}
			request.Collective, request.Size, request.Bare = laid.Collective, laid.Size, true
			alone, err := w.Planner.Plan(ctx, request)
			if errors.Is(err, planner.ErrInfeasible) {
				continue
			}
			if err != nil {
				return nil, err
			}
			if len(laid.Steps) == 0 {
				if laid, err = w.As(ctx, alone.Collective.Algorithm); err != nil {
					return nil, err
				}
			}
			made = append(made, timed{laid, alone.Cost.Total()})
		}
		if len(made) > keep {
			slices.SortStableFunc(made, func(a, b timed) int { return cmp.Compare(a.alone, b.alone) })
			made = made[:keep]
		}
		for _, m := range made {
			options[i] = append(options[i], m.Sized)
		}
		combinations *= len(options[i])
	}
	return auto.Fastest(ctx, s.Ask(r.Fabric), combinations, func(k int) (planner.Planner, collective.Sized, error) {
		parts := make([]collective.Sized, len(options))
		for i, o := range options {
			parts[i] = o[k%len(o)]
			k /= len(o)
		}
		all, err := collective.InSequence(parts...)
		return p, all, err
	})
}

// Limits never give up what would have been the plan of a sequence.
func TestLimitsChangeNoSequence(t *testing.T) {
	for i, c := range []struct {
		name   string
		ops    []collective.Op
		change func(f *fabric.Fabric)
	}{
		{"one port", []collective.Op{collective.AllGather, collective.AllReduce}, func(f *fabric.Fabric) { f.Nodes = 5 }},
		{"per circuit", []collective.Op{collective.Scatter, collective.AllReduce}, func(f *fabric.Fabric) {
			f.Nodes, f.Ports, f.Initial = 4, 2, "base"
			f.Reconfig = fabric.Reconfig{Model: fabric.PerCircuit, Base: units.Microsecond, Each: 100 * units.Nanosecond}
		}},
		{"three", []collective.Op{collective.AllToAll, collective.AllGather, collective.Gather}, func(f *fabric.Fabric) { f.Nodes, f.Ports, f.Reconfig.Base = 4, 2, 0 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			sizes := []units.Bytes{units.KiB, 4 * units.MiB}
			if !samples.Every() {
				sizes = sizes[i%2:][:1] // in turn
			}
			for _, size := range sizes {
				r := Request{Fabric: fabric.Default()}
				c.change(&r.Fabric)
				for _, op := range c.ops {
					r.Operations = append(r.Operations, collective.Operation{Op: op, Size: size})
				}
				s := NewSearch(Options{Planners: Planners(), Bare: true})
				p, err := s.Planners().Lookup(collective.Auto)
				if err != nil {
					t.Fatal(err)
				}
				got, err := r.fastestSequence(t.Context(), p, s)
				if err != nil {
					t.Fatal(err)
				}
				want, err := plainSequence(t.Context(), &r, p, s)
				if err != nil {
					t.Fatal(err)
				}
				if got.Cost != want.Cost || got.Collective.Algorithm != want.Collective.Algorithm || got.Planner != want.Planner || !reflect.DeepEqual(got.Stages, want.Stages) {
					t.Errorf("%v: %s by %s takes %v; without limits %s by %s, %v", size, got.Collective.Algorithm, got.Planner, got.Cost.Total(), want.Collective.Algorithm, want.Planner, want.Cost.Total())
				}
			}
		})
	}
}
