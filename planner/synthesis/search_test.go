package synthesis

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Search finds the optimum that Exact proves: nearly always with one port, and within a few
// percent with two.
func TestSearchFindsTheOptimumOfSmallIntervals(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	for _, c := range []struct {
		n, ports int
		duplex   bool
		effort   int
		worst    float64
	}{
		{6, 1, false, 2000, 0}, {7, 1, false, 4000, 0}, {5, 2, false, 300, 0.02}, {6, 2, false, 300, 0.05}, {5, 2, true, 300, 0},
	} {
		for k := range 2 {
			p := randomProblem(rng, c.n, c.ports, c.duplex)
			best, err := Exact(t.Context(), p, Options{})
			if err != nil {
				t.Fatal(err)
			}
			r, err := Search(t.Context(), p, nil, Options{Effort: c.effort})
			if err != nil {
				t.Fatal(err)
			}
			checkResult(t, p, r)
			if gap := float64(r.Cost/best.Cost) - 1; gap < -2*provenGap || gap > c.worst+2*provenGap {
				t.Errorf("%d nodes, %d ports, duplex %v, problem %d: %v, the optimum is %v", c.n, c.ports, c.duplex, k, r.Cost, best.Cost)
			}
			if r.Bound > best.Cost*(1+provenGap) {
				t.Errorf("the bound is %v, the optimum %v", r.Bound, best.Cost)
			}
		}
	}
}

// Search returns nothing worse than its starts, even without any effort, and its result fits the
// ports.
func TestSearchIsNeverWorseThanItsStarts(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 18))
	for _, duplex := range []bool{false, true} {
		for _, effort := range []int{1, 60} {
			p := randomProblem(rng, 8, 2, duplex)
			p.Routing = []flow.Policy{flow.Optimal, flow.ShortestSplit}[rng.IntN(2)]
			var starts []*topology.Graph
			if duplex {
				starts = append(starts, topology.Circulant(8, 1), topology.Circulant(8, 3))
			} else {
				starts = append(starts, topology.Circulant(8, 1), topology.GenKautz(2, 8), topology.DirectedCirculant(8, 1, 3))
			}
			least := units.Time(inf)
			for _, g := range starts {
				if r, err := Evaluate(t.Context(), p, g); err == nil {
					least = min(least, r.Cost)
				}
			}
			r, err := Search(t.Context(), p, starts, Options{Effort: effort})
			if err != nil {
				t.Fatal(err)
			}
			checkResult(t, p, r)
			if r.Cost > least || r.Evaluations > effort+len(starts) {
				t.Errorf("%v after %d topologies, the best start takes %v", r.Cost, r.Evaluations, least)
			}
		}
	}
}

// The same seed gives the same topology and the same reports.
func TestSearchIsDeterministic(t *testing.T) {
	run := func(seed uint64) (*Result, []Progress) {
		var reports []Progress
		r, err := Search(t.Context(), swing(16, 2, 1, 4), nil, Options{Effort: 300, Seed: seed, Progress: func(p Progress) {
			reports = append(reports, p)
		}})
		if err != nil {
			t.Fatal(err)
		}
		return r, reports
	}
	first, told := run(1)
	second, again := run(1)
	if !first.Graph.Equal(second.Graph) || first.Cost != second.Cost || first.Evaluations != second.Evaluations || len(told) != len(again) {
		t.Errorf("%v after %d, then %v after %d", first.Cost, first.Evaluations, second.Cost, second.Evaluations)
	}
	for k := 1; k < len(told); k++ {
		if told[k] != again[k] || told[k].Cost > told[k-1].Cost || told[k].Evaluations < told[k-1].Evaluations {
			t.Errorf("report %d is %v after %v, and %v in the second run", k, told[k], told[k-1], again[k])
		}
	}
	if last := told[len(told)-1]; last.Cost != first.Cost || last.Bound != first.Bound || last.Evaluations != first.Evaluations {
		t.Errorf("the last report is %v, the result %v", last, first)
	}
}

// A problem has the same result whether it is given as representatives of a group or in full.
func TestGroupsSaveWritingOnly(t *testing.T) {
	p := recursiveDoubling(5, 2, 1, 3)
	p.Delta = 20 * units.Nanosecond
	if short, full := exactly(t, p), exactly(t, whole(t, p)); !near(short.Cost, full.Cost) {
		t.Errorf("%v with a group, %v without", short.Cost, full.Cost)
	}
}

// Search uses the symmetry of the steps: with all rotations it finds circulants, and with
// the XOR masks hypercubes, also for systems too large for anything else.
func TestSearchFindsSymmetricTopologies(t *testing.T) {
	p := recursiveDoubling(32, 2, 2, 3)
	r, err := Search(t.Context(), p, nil, Options{Effort: 20})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := r.Graph.Jumps(); !ok || r.Cost > 0.375*message*(1+provenGap) { // a port for each step
		t.Errorf("%s takes %v", r.Graph.Name(), r.Cost)
	}
	cube := Problem{Nodes: 16, Ports: 4, Duplex: true, Delta: units.Microsecond, Bandwidth: byteRate}
	for mask := 1; mask < 16; mask *= 2 {
		cube.Steps = append(cube.Steps, Step{
			Demands: []flow.Demand{{Src: 0, Dst: mask, Amount: 8}}, Group: topology.Translation(2, 2, 2, 2),
		})
	}
	if r, err = Search(t.Context(), cube, nil, Options{Effort: 40}); err != nil {
		t.Fatal(err)
	}
	if !r.Graph.Equal(topology.Hypercube(4)) {
		t.Errorf("%s takes %v, the bound is %v", r.Graph.Name(), r.Cost, r.Bound)
	}
}

// Search tries all Cayley graphs of small groups: no circulant is better than its result.
func TestSearchTriesAllCirculants(t *testing.T) {
	for _, duplex := range []bool{false, true} {
		p := recursiveDoubling(9, 2, 1, 4)
		p.Duplex, p.Delta = duplex, 30*units.Nanosecond
		r, err := Search(t.Context(), p, nil, Options{Effort: 200})
		if err != nil {
			t.Fatal(err)
		}
		for a := 1; a < 9; a++ {
			for b := a; b < 9; b++ {
				if duplex && a+b != 9 {
					continue
				}
				if c, err := Evaluate(t.Context(), p, topology.DirectedCirculant(9, a, b)); err == nil && c.Cost < r.Cost*(1-provenGap) {
					t.Errorf("%s takes %v, the result %v", c.Graph.Name(), c.Cost, r.Cost)
				}
			}
		}
	}
}

// Changes keep wirings within the ports, and a wiring is the same graph under any group.
func TestChangesKeepToThePorts(t *testing.T) {
	for _, duplex := range []bool{false, true} {
		for _, group := range []topology.Translations{{}, topology.Rotations(12, 4), topology.Rotations(12, 1), topology.Translation(3, 4)} {
			p := recursiveDoubling(12, 3, 1, 4)
			p.Duplex = duplex
			iv := prepared(t, p)
			s := newSeeker(iv, Options{}, &bounds{counted: iv.count()})
			sp := newSpace(iv, group)
			w := s.round(sp, 0)
			for range 200 {
				if next := s.change(w); next != nil {
					s.taken(w)
					w = next
				}
				g := w.graph("")
				if err := iv.fits(g); err != nil {
					t.Fatalf("group %v: %v", group, err)
				}
				if !group.Invariant(g) || !sp.wire(g).graph("").Equal(g) || w.fingerprint() != g.Fingerprint() {
					t.Fatalf("group %v: %v is not what it was laid as", group, w.circuits)
				}
			}
		}
	}
}

func TestTheContextEndsBoth(t *testing.T) {
	p := swing(10, 2, 1, 4)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Exact(ended, p, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Exact: %v", err)
	}
	if _, err := Search(ended, p, nil, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Search: %v", err)
	}
	stop := func(cost *units.Time) (context.Context, func(Progress)) {
		ctx, cancel := context.WithCancel(t.Context())
		return ctx, func(report Progress) {
			if *cost = report.Cost; report.Cost < units.Time(inf) {
				cancel()
			}
		}
	}
	var cost units.Time
	ctx, report := stop(&cost)
	r, err := Exact(ctx, p, Options{Progress: report})
	if err != nil {
		t.Fatal(err)
	}
	checkResult(t, p, r)
	if r.Proven || r.Cost > cost || r.Bound <= 0 {
		t.Errorf("Exact was stopped at %v and returns %v, bound %v", cost, r.Cost, r.Bound)
	}
	ctx, report = stop(&cost)
	if r, err = Search(ctx, p, nil, Options{Progress: report}); err != nil {
		t.Fatal(err)
	}
	checkResult(t, p, r)
	if r.Cost > cost || r.Evaluations > 3 {
		t.Errorf("Search was stopped at %v and returns %v after %d topologies", cost, r.Cost, r.Evaluations)
	}
}

func TestBadInputIsRefused(t *testing.T) {
	good := func() Problem { return recursiveDoubling(4, 1, 1, 2) }
	for _, c := range []struct {
		name, want string
		change     func(p *Problem)
	}{
		{"no nodes", "0 nodes", func(p *Problem) { p.Nodes = 0 }},
		{"no ports", "0 ports", func(p *Problem) { p.Ports = 0 }},
		{"negative delta", "negative", func(p *Problem) { p.Delta = -1 }},
		{"no bandwidth", "bandwidth", func(p *Problem) { p.Bandwidth = 0 }},
		{"no steps", "no steps", func(p *Problem) { p.Steps = nil }},
		{"forwarding", "carrier pigeon", func(p *Problem) { p.Forwarding = "carrier pigeon" }},
		{"routing", "north", func(p *Problem) { p.Routing = "north" }},
		{"group", "sides", func(p *Problem) { p.Steps[0].Group = topology.Rotations(5, 1) }},
		{"node", "nodes are 0..3", func(p *Problem) { p.Steps[1].Demands = []flow.Demand{{Src: 0, Dst: 4, Amount: 1}} }},
		{"itself", "to itself", func(p *Problem) { p.Steps[1].Demands = []flow.Demand{{Src: 2, Dst: 2, Amount: 1}} }},
		{"amount", "want at least", func(p *Problem) { p.Steps[1].Demands = []flow.Demand{{Src: 2, Dst: 1}} }},
		{"infinite", "+Inf", func(p *Problem) { p.Steps[1].Demands = []flow.Demand{{Src: 2, Dst: 1, Amount: inf}} }},
	} {
		p := good()
		c.change(&p)
		_, exact := Exact(t.Context(), p, Options{})
		_, search := Search(t.Context(), p, nil, Options{})
		_, evaluate := Evaluate(t.Context(), p, topology.DirectedCirculant(4, 1))
		for _, err := range []error{exact, search, evaluate} {
			if !errors.Is(err, ErrProblem) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: %v", c.name, err)
			}
		}
	}
	for _, g := range []*topology.Graph{topology.DirectedCirculant(5, 1), topology.Circulant(4, 1)} {
		if _, err := Search(t.Context(), good(), []*topology.Graph{g}, Options{}); !errors.Is(err, ErrProblem) {
			t.Errorf("starting from %s: %v", g.Name(), err)
		}
	}
	if _, err := Search(t.Context(), good(), nil, Options{Effort: -1}); !errors.Is(err, ErrProblem) {
		t.Errorf("negative effort: %v", err)
	}
	if _, err := Exact(t.Context(), recursiveDoubling(128, 1, 1, 2), Options{}); !errors.Is(err, ErrProblem) {
		t.Errorf("too many nodes: %v", err)
	}
}

// Two matchings do not fit one two-way port, and no topology serves both steps.
func TestWhatNoTopologyCarriesIsInfeasible(t *testing.T) {
	p := swing(8, 1, 1, 2)
	p.Duplex = true
	if _, err := Exact(t.Context(), p, Options{}); !errors.Is(err, ErrInfeasible) {
		t.Errorf("Exact: %v", err)
	}
	if _, err := Search(t.Context(), p, nil, Options{Effort: 50}); !errors.Is(err, ErrInfeasible) {
		t.Errorf("Search: %v", err)
	}
	if _, err := Evaluate(t.Context(), p, topology.DirectedCirculant(8, 4)); !errors.Is(err, ErrInfeasible) {
		t.Errorf("Evaluate: %v", err)
	}
}

// Steps that send nothing cost only their start-up, on any topology.
func TestIdleStepsCostTheirStartUp(t *testing.T) {
	p := Problem{Nodes: 4, Ports: 2, Alpha: units.Microsecond, Delta: units.Microsecond, Bandwidth: byteRate, Steps: make([]Step, 3)}
	if r := exactly(t, p); r.Cost != 3000 {
		t.Errorf("%v, want 3us", r.Cost)
	}
	p.Forwarding = fabric.StoreAndForward
	if r, err := Search(t.Context(), p, nil, Options{}); err != nil || r.Cost != 3000 || !r.Proven {
		t.Errorf("%v, %v, want 3us", r, err)
	}
}
