package auto_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/auto"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/units"
)

// fixed is a planner whose plan takes a given time, or that fails.
type fixed struct {
	name string
	time units.Time
	err  error
}

func (f fixed) Name() string  { return f.name }
func (f fixed) About() string { return "made up" }

func (f fixed) Plan(context.Context, planner.Request) (*plan.Plan, error) {
	if f.err != nil {
		return nil, f.err
	}
	return &plan.Plan{Provenance: plan.Provenance{Planner: f.name}, Cost: plan.Cost{Startup: f.time}}, nil
}

func TestAutoTakesTheFastest(t *testing.T) {
	infeasible := fmt.Errorf("%w: too dark", planner.ErrInfeasible)
	broken := errors.New("broken")
	for _, c := range []struct {
		name     string
		planners []planner.Planner
		want     string
		err      error
	}{
		{"the fastest", []planner.Planner{fixed{"a", 3, nil}, fixed{"b", 1, nil}, fixed{"c", 2, nil}}, "b", nil},
		{"a tie goes to the first", []planner.Planner{fixed{"a", 2, nil}, fixed{"b", 1, nil}, fixed{"c", 1, nil}}, "b", nil},
		{"all tie", []planner.Planner{fixed{"a", 1, nil}, fixed{"b", 1, nil}}, "a", nil},
		{"an infeasible one is passed over", []planner.Planner{fixed{"a", 0, infeasible}, fixed{"b", 9, nil}}, "b", nil},
		{"also at the end", []planner.Planner{fixed{"a", 9, nil}, fixed{"b", 0, infeasible}}, "a", nil},
		{"all infeasible", []planner.Planner{fixed{"a", 0, infeasible}, fixed{"b", 0, planner.ErrInfeasible}}, "", infeasible},
		{"a fault is not", []planner.Planner{fixed{"a", 9, nil}, fixed{"b", 0, broken}}, "", broken},
	} {
		p, err := auto.New(c.planners).Plan(t.Context(), planner.Request{})
		if !errors.Is(err, c.err) {
			t.Errorf("%s: %v, want %v", c.name, err, c.err)
		}
		switch {
		case (p == nil) != (c.err != nil):
			t.Errorf("%s: a plan: %v; error %v", c.name, p != nil, err)
		case p != nil && p.Planner != c.want:
			t.Errorf("%s: took %s, want %s", c.name, p.Planner, c.want)
		}
	}
}

func TestAutoIsAPlanner(t *testing.T) {
	p := auto.New(nil)
	if p.Name() != "auto" || p.About() == "" || strings.Contains(p.About(), "\n") {
		t.Errorf("%q: %q", p.Name(), p.About())
	}
}

// On random requests auto takes the least time of all planners, and its plan is correct.
func TestAutoEqualsTheBestPlanner(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	for range samples.Draws(20, 40) {
		f := fabric.Default()
		f.Nodes = 2 << rng.IntN(4)
		f.Reconfig.Base = units.Duration(1<<rng.IntN(20)) * units.Nanosecond
		f.Initial = [...]string{"free", "dark", "base"}[rng.IntN(3)]
		op := collective.Ops()[rng.IntN(5)]
		able := algorithms.For(op, collective.Shape{Nodes: f.Nodes, Ports: f.Ports})
		r := request(t, f, op, able[rng.IntN(len(able))].Name)
		r.Size = units.Bytes(1) << rng.IntN(28)
		got, err := auto.New(staged.Planners()).Plan(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range staged.Planners() {
			other, err := p.Plan(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			if other.Cost.Total() < got.Cost.Total() {
				t.Errorf("auto took %s with %v, %s takes %v", got.Planner, got.Cost.Total(), p.Name(), other.Cost.Total())
			}
		}
		if report, err := verify.Plan(t.Context(), got); err != nil || !report.OK {
			t.Errorf("%v, %v", report.First(), err)
		}
	}
}

func request(t *testing.T, f fabric.Fabric, op collective.Op, algorithm string) planner.Request {
	t.Helper()
	c, err := algorithms.New(op, algorithm, f.Nodes, f.Ports)
	if err != nil {
		t.Fatal(err)
	}
	return planner.Request{Fabric: f, Collective: c, Size: units.MiB}
}

// A duplex fabric with one port has no base topology, so static and light-bends have no plan; the
// others do.
func TestAutoPassesOverPlannersWithoutABase(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Duplex = 8, true
	p, err := auto.New(staged.Planners()).Plan(t.Context(), request(t, f, collective.AllReduce, "halving-doubling"))
	if err != nil {
		t.Fatal(err)
	}
	if report, err := verify.Plan(t.Context(), p); err != nil || !report.OK {
		t.Errorf("%v, %v", report.First(), err)
	}
}

// every plans with every algorithm that can do op.
func every(ctx context.Context, p planner.Planner, r planner.Request, op collective.Op) (*plan.Plan, error) {
	able := algorithms.For(op, collective.Shape{Nodes: r.Fabric.Nodes, Ports: r.Fabric.Ports})
	return auto.Fastest(ctx, r, len(able), func(i int) (planner.Planner, collective.Sized, error) {
		c, err := algorithms.New(op, able[i].Name, r.Fabric.Nodes, r.Fabric.Ports)
		return p, collective.Sized{Collective: c, Size: r.Size}, err
	})
}

func TestFastestIsTheFirstOfTheBestAlgorithms(t *testing.T) {
	harvest, err := planner.Registry(staged.Planners()).Lookup("harvest")
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range []int{6, 8} {
		for j, op := range collective.Ops() {
			if (i+j)%2 > 0 && !samples.Every() {
				continue // in turn
			}
			f := fabric.Default()
			f.Nodes = n
			r := planner.Request{Fabric: f, Size: units.MiB}
			got, err := every(t.Context(), harvest, r, op)
			if err != nil {
				t.Fatal(err)
			}
			first := ""
			for _, a := range algorithms.For(op, collective.Shape{Nodes: n, Ports: 1}) {
				p, err := harvest.Plan(t.Context(), request(t, f, op, a.Name))
				if err != nil {
					t.Fatal(err)
				}
				if p.Cost.Total() < got.Cost.Total() {
					t.Errorf("%s on %d: took %s, %s is faster", op, n, got.Collective.Algorithm, a.Name)
				}
				if first == "" && p.Cost.Total() == got.Cost.Total() {
					first = a.Name
				}
			}
			if got.Collective.Op != op || got.Collective.Algorithm != first {
				t.Errorf("%s on %d: took %s, the first of the fastest is %s", op, n, got.Collective.Algorithm, first)
			}
		}
	}
}

// Progress over several algorithms grows from 0 towards the whole.
func TestFastestReportsProgress(t *testing.T) {
	f := fabric.Default()
	f.Nodes = 8
	last := -1.0
	r := planner.Request{Fabric: f, Size: units.MiB, Progress: nil}
	r.Progress = func(done, total int) {
		part := float64(done) / float64(total)
		if part < last || part > 1 {
			t.Errorf("%d of %d after %v", done, total, last)
		}
		last = part
	}
	static := staged.Planners()[0]
	if _, err := every(t.Context(), static, r, collective.AllReduce); err != nil {
		t.Fatal(err)
	}
	if last <= 0 { // ways that cannot win are not planned, so it may end early
		t.Errorf("ended at %v", last)
	}
}

func TestAutoReturnsTheContextsError(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f := fabric.Default()
	f.Nodes = 8
	all := auto.New(staged.Planners())
	if p, err := all.Plan(ctx, request(t, f, collective.AllReduce, "ring")); p != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", p, err)
	}
	if p, err := every(ctx, all, planner.Request{Fabric: f, Size: 1}, collective.AllReduce); p != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", p, err)
	}
}
