package strategy

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/model/modeltest"
	"github.com/lightpath-net/lightpath/planner/exchange/strategy/powers"
)

// TestEveryStrategyKeepsItsWord: for all numbers of topologies the schedule is proved, in both
// forms; it takes the slots on the curve, and no fewer than the bound of its model; its
// decomposition is the demand; and Auto is never worse.
func TestEveryStrategyKeepsItsWord(t *testing.T) {
	one := map[string]bool{Paper: true, Shifts: true, Exact: true, Direct: true, Static: true, Rings: true}
	for _, c := range []struct{ n, k, each int }{
		{2, 1, 1}, {3, 1, 1}, {3, 2, 1}, {4, 5, 1}, {5, 1, 2}, {8, 1, 1}, {8, 2, 1}, {9, 2, 3}, {11, 2, 1}, {12, 1, 1}, {12, 3, 1}, {15, 2, 1},
	} {
		demand := uniformDemand(t, c.n, c.each)
		best := make(map[int]int)
		for _, strategy := range Names() {
			if strategy == Exact && c.n > 9 {
				continue
			}
			name := fmt.Sprintf("%s n=%d k=%d x%d", strategy, c.n, c.k, c.each)
			p := Problem{Demand: demand, Ports: c.k, R: 1, T: 1, Strategy: strategy}
			curve, err := Curve(context.Background(), p, 0)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for _, point := range curve {
				p.Stages = point.Stages
				s := solved(t, p)
				if err := s.Expand().Check(demand); err != nil {
					t.Errorf("%s: expanded: %v", name, err)
				}
				if err := s.Decompose().Check(demand); err != nil {
					t.Errorf("%s: decomposition: %v", name, err)
				}
				if s.Slots() != point.Slots || len(s.Stages) != point.Stages || s.Strategy != point.Strategy {
					t.Errorf("%s: %s takes %d slots in %d stages, the curve says %v", name, s.Strategy, s.Slots(), len(s.Stages), point)
				}
				hops := model.RelayHops
				if one[s.Strategy] {
					hops = model.LoadHops
				}
				if bound := arithmetic.CeilDiv(hops(c.n, min(c.k, c.n-1), point.Stages)*c.each, min(c.k, c.n-1)); s.Slots() < bound {
					t.Errorf("%s: %d slots in %d stages, below the bound %d", name, s.Slots(), point.Stages, bound)
				}
				if least, ok := best[point.Stages]; strategy == Auto && ok && point.Slots > least {
					t.Errorf("%s: %d slots in %d stages, another strategy has %d", name, point.Slots, point.Stages, least)
				}
				if least, ok := best[point.Stages]; !ok || point.Slots < least {
					best[point.Stages] = point.Slots
				}
			}
		}
	}
}

// TestSolveTakesTheBestNumberOfTopologies compares with all numbers.
func TestSolveTakesTheBestNumberOfTopologies(t *testing.T) {
	for _, c := range []struct{ n, k int }{{8, 1}, {16, 1}, {16, 2}} {
		demand := uniformDemand(t, c.n, 1)
		for _, strategy := range []string{Paper, Shifts, Relay, Auto} {
			p := Problem{Demand: demand, Ports: c.k, R: 1, T: 1, Strategy: strategy}
			curve, err := Curve(context.Background(), p, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, p.R = range []float64{0, 0.5, 1, 3, 10, 40, 300} {
				least, stages := math.Inf(1), 0
				for _, point := range curve {
					if v := model.Cost(point.Stages, point.Slots, p.R, 1); v < least {
						least, stages = v, point.Stages
					}
				}
				if s := solved(t, p); s.Cost(p.R, 1) != least || len(s.Stages) != stages {
					t.Errorf("%s n=%d k=%d R=%v: %v in %d stages, want %v in %d", strategy, c.n, c.k, p.R, s.Cost(p.R, 1), len(s.Stages), least, stages)
				}
			}
		}
	}
}

// TestSameProblemSameSchedule: nothing depends on chance or on maps.
func TestSameProblemSameSchedule(t *testing.T) {
	for _, demand := range []model.Demand{uniformDemand(t, 12, 1), modeltest.Skewed(t, "zipf", 8)} {
		for _, strategy := range Names() {
			p := Problem{Demand: demand, Ports: 2, R: 3, T: 1, Strategy: strategy}
			a, err := Solve(context.Background(), p)
			b, again := Solve(context.Background(), p)
			if (err == nil) != (again == nil) || !reflect.DeepEqual(a, b) {
				t.Errorf("%s: two answers", strategy)
			}
		}
	}
}

// TestSolveStops: a context that is done ends every strategy, and its error comes back.
func TestSolveStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, demand := range []model.Demand{uniformDemand(t, 12, 1), modeltest.Skewed(t, "random", 8)} {
		for _, k := range []int{1, 2} {
			for _, strategy := range Names() {
				p := Problem{Demand: demand, Ports: k, R: 1, T: 1, Strategy: strategy}
				if _, err := Solve(ctx, p); !errors.Is(err, context.Canceled) && !errors.Is(err, ErrInfeasible) {
					t.Errorf("%s: %v", strategy, err)
				}
				if _, err := Curve(ctx, p, 0); err != nil && !errors.Is(err, context.Canceled) {
					t.Errorf("%s: curve: %v", strategy, err)
				}
			}
		}
	}
	if _, err := Ratios(ctx, Shifts, []int{8}); !errors.Is(err, context.Canceled) {
		t.Errorf("ratios: %v", err)
	}
	if next, err := powers.Whole(ctx, 12, []uint64{2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}); next == nil && !errors.Is(err, context.Canceled) {
		t.Errorf("whole powers: %v", err)
	}
}

func TestProblemsThatMakeNoSense(t *testing.T) {
	good := Problem{Demand: uniformDemand(t, 8, 1), Ports: 1, R: 1, T: 1}
	for want, change := range map[string]func(p *Problem){
		"none is given; use Uniform or Counts": func(p *Problem) { p.Demand = model.Demand{} },
		"ports: 0, want 1 or more":             func(p *Problem) { p.Ports = 0 },
		"reconfiguration: -1, want":            func(p *Problem) { p.R = -1 },
		"reconfiguration: NaN, want":           func(p *Problem) { p.R = math.NaN() },
		"reconfiguration: +Inf, want":          func(p *Problem) { p.R = math.Inf(1) },
		"slot: 0, want more than 0":            func(p *Problem) { p.T = 0 },
		"slot: +Inf, want":                     func(p *Problem) { p.T = math.Inf(1) },
		"stages: -1, want":                     func(p *Problem) { p.Stages = -1 },
		`strategy: "magic", want direct, `:     func(p *Problem) { p.Strategy = "magic" },
		"no schedule: strategy relay has none for this demand of 8 nodes with 1 port and 8 topologies": func(p *Problem) { p.Stages, p.Strategy = 8, Relay },
		"strategy birkhoff has none for this demand of 8 nodes with 1 port and any number":             func(p *Problem) { p.Strategy = Birkhoff },
		"strategy direct has none for this demand of 8 nodes with 2 ports and 1 topology":              func(p *Problem) { p.Ports, p.Stages, p.Strategy = 2, 1, Direct },
	} {
		p := good
		change(&p)
		if _, err := Solve(context.Background(), p); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := Ratios(context.Background(), Relay, []int{8}); err == nil {
		t.Error("ratios of relay")
	}
	if _, err := Ratios(context.Background(), Shifts, []int{1}); err == nil {
		t.Error("ratios of one node")
	}
}

// TestProgressIsReported from the start of each part of the work.
func TestProgressIsReported(t *testing.T) {
	last, total := -1, 0
	p := Problem{Demand: uniformDemand(t, 8, 1), Ports: 1, R: 1, T: 1, Progress: func(done, of int) { last, total = done, of }}
	solved(t, p)
	if last < 0 || last >= total {
		t.Errorf("%d of %d", last, total)
	}
	last = -1
	if _, err := Curve(context.Background(), p, 3); err != nil || last != 2 || total != 3 {
		t.Errorf("%d of %d, %v", last, total, err)
	}
}

func TestNamesEndWithAuto(t *testing.T) {
	names := Names()
	if names[len(names)-1] != Auto || !slices.Contains(names, Relay) {
		t.Errorf("%v", names)
	}
}

// TestPhaseStructures: Bruck's digits and ReTri's signed ones take what the papers say.
func TestPhaseStructures(t *testing.T) {
	for _, c := range []struct {
		strategy             string
		n, k, stages, expect int
	}{
		{Bruck, 8, 1, 3, 3 * 4},   // three phases of n/2 chunks
		{Bruck, 64, 1, 6, 6 * 32}, // six of them
		{Bruck, 9, 2, 2, 2 * 3},   // radix 3 over two ports: n/3 chunks over each in each phase
		{Retri, 9, 2, 2, 2 * 3},   // the same with digits -1, 0 and 1
		{Retri, 27, 2, 3, 3 * 9},
		{Retri, 81, 2, 4, 4 * 27},
		{Retri, 25, 2, 2, 2 * 15}, // digits up to 2: 5 chunks each with 1 and 2 hops over each port
	} {
		s := solved(t, Problem{Demand: uniformDemand(t, c.n, 1), Ports: c.k, R: 1, T: 1, Strategy: c.strategy, Stages: c.stages})
		if s.Slots() != c.expect {
			t.Errorf("%s n=%d k=%d d=%d: %d slots, want %d", c.strategy, c.n, c.k, c.stages, s.Slots(), c.expect)
		}
	}
}

// TestLargeExchanges: thousands of nodes are planned and proved from the view of node 0.
func TestLargeExchanges(t *testing.T) {
	for _, c := range []struct {
		strategy     string
		n, k, stages int
	}{{Paper, 4096, 1, 64}, {Direct, 4096, 1, 0}, {Bruck, 4096, 3, 6}, {Relay, 512, 1, 3}, {Relay, 256, 2, 2}, {Paper, 1024, 2, 2}} {
		p := Problem{Demand: uniformDemand(t, c.n, 1), Ports: c.k, R: 1, T: 1, Strategy: c.strategy, Stages: c.stages}
		if s := solved(t, p); !s.Symmetric() {
			t.Errorf("%s n=%d lists all chunks", c.strategy, c.n)
		}
	}
}
