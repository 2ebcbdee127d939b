package exchange

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/strategy"
	"github.com/lightpath-net/lightpath/units"
)

// setting is a request in words.
type setting struct {
	nodes, ports int
	size         units.Bytes
	demand       string // "" if all pairs have the same
	members      []int
	set          map[string]string // settings of the fabric
}

func (s setting) String() string {
	return fmt.Sprintf("%d nodes, %d ports, %v %q, members %v, %v", s.nodes, s.ports, s.size, s.demand, s.members, s.set)
}

// request returns the request for a planner.
func (s setting) request(t testing.TB) planner.Request {
	t.Helper()
	f := fabric.Default()
	f.Nodes, f.Ports = s.nodes, s.ports
	for name, value := range s.set {
		if err := f.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	r := planner.Request{Fabric: f, Size: s.size}
	space := collective.SpaceOf(collective.AllToAll, s.nodes, 1)
	space.Members = s.members
	if s.demand != "" {
		sizes, err := collective.GenerateDemand(s.demand, space.MembersCount(), s.size, 1)
		if err != nil {
			t.Fatal(err)
		}
		space.Sizes, r.Size = sizes, sizes.Size()
	}
	r.Collective = &collective.Collective{Op: collective.AllToAll, Algorithm: Name, Nodes: s.nodes, Space: space}
	return r
}

// planned returns a proven plan, or nil if there is none.
func (s setting) planned(t testing.TB, o Options) *plan.Plan {
	t.Helper()
	p, err := New(o).Plan(context.Background(), s.request(t))
	if errors.Is(err, planner.ErrInfeasible) {
		return nil
	}
	if err != nil {
		t.Fatalf("%v, %+v: %v", s, o, err)
	}
	report, err := verify.Plan(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	if bad := report.First(); bad != nil {
		t.Fatalf("%v, %+v: %s: %s", s, o, bad.Name, bad.Detail)
	}
	return p
}

// settings are random requests.
func settings(count int, seed uint64) []setting {
	random := rand.New(rand.NewPCG(seed, 1))
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	var all []setting
	for range count {
		n := 2 + random.IntN(7)
		s := setting{
			nodes: n, ports: 1 + random.IntN(3), size: units.Bytes(1) << (10 + random.IntN(15)),
			demand: pick("", "zipf:1", "random", "moe:2"),
			set: map[string]string{
				"reconfig": pick("100ns", "1us", "10us", "per-port:1us+200ns", "per-circuit:1us+100ns"),
				"initial":  pick("free", "dark"), "overlap": pick("none", "none", "ports", "compute:500ns"),
			},
		}
		if n > 4 && random.IntN(4) == 0 {
			s.members = random.Perm(n)[:n-2]
		}
		all = append(all, s)
	}
	return all
}

// notSlower reports a plan that takes longer than another, rounding apart.
func notSlower(a, b *plan.Plan) bool { return a.Cost.Total() <= b.Cost.Total()*(1+1e-9) }

// TestAutoIsNeverWorse than any strategy, any number of topologies and any chunk size by
// name, under every delay model.
func TestAutoIsNeverWorse(t *testing.T) {
	for _, s := range settings(8, 1) {
		best := s.planned(t, Options{})
		if best == nil {
			t.Fatalf("%v: no plan", s)
		}
		for _, name := range strategy.Names() {
			if p := s.planned(t, Options{Strategy: Strategy(name)}); p != nil && !notSlower(best, p) {
				t.Errorf("%v: auto takes %v, %s %v", s, best.Cost.Total(), name, p.Cost.Total())
			}
		}
		for d := 1; d < s.nodes; d++ {
			if p := s.planned(t, Options{Stages: d}); p != nil && (!notSlower(best, p) || len(p.Stages) != d) {
				t.Errorf("%v: auto takes %v, %d topologies %v, and %d stages", s, best.Cost.Total(), d, p.Cost.Total(), len(p.Stages))
			}
		}
		if p := s.planned(t, Options{Chunk: max(1, s.size/64)}); p == nil || !notSlower(best, p) {
			t.Errorf("%v: chunks make it slower", s)
		}
	}
}

// TestAutoIsNeverWorseOnCircuitsThatDiffer or have failed: the best strategy for equal circuits
// need not be the best there.
func TestAutoIsNeverWorseOnCircuitsThatDiffer(t *testing.T) {
	all := []setting{{nodes: 6, ports: 2, size: 16 * units.MiB, set: map[string]string{"reconfig": "10us", "avoid": "link:2>3"}}}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 5 {
		s := setting{nodes: 4 + random.IntN(4), ports: 1 + random.IntN(2), size: units.MiB << random.IntN(5)}
		from := random.IntN(s.nodes - 1)
		s.set = map[string]string{"reconfig": fmt.Sprintf("%dns", 100<<random.IntN(8))}
		if i%2 == 0 {
			s.set["links"] = fmt.Sprintf("%d>%d:%dGbps", from, from+1, 100<<random.IntN(3))
		} else {
			s.set["avoid"] = fmt.Sprintf("link:%d>%d", from, from+1)
		}
		all = append(all, s)
	}
	for _, s := range all {
		best := s.planned(t, Options{})
		if best == nil {
			t.Fatalf("%v: no plan", s)
		}
		for _, name := range strategy.Names() {
			if p := s.planned(t, Options{Strategy: Strategy(name)}); p != nil && !notSlower(best, p) {
				t.Errorf("%v: auto takes %v, %s %v", s, best.Cost.Total(), name, p.Cost.Total())
			}
		}
	}
}

// TestNoPlanBeatsTheTimeBound of the model, on random requests, whatever the strategy.
func TestNoPlanBeatsTheTimeBound(t *testing.T) {
	for _, s := range settings(10, 3) {
		r := s.request(t)
		task, err := newTask(&r, Options{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		f := &r.Fabric
		c := model.Costs{
			Nodes: f.Nodes, Ports: f.Ports, Change: float64(f.LeastWait()), Startup: float64(f.Alpha.Time()),
			Hop: float64(f.Delta.Time()), Byte: float64(f.Bandwidth.Transmit(1)),
		}
		if f.Initial == fabric.InitialDark {
			c.First = c.Change
		}
		bound := model.UniformTimeBound(task.nodes, task.pair, c)
		if s.demand != "" {
			demand, err := task.counts(1, model.Amounts)
			if err != nil {
				t.Fatal(err)
			}
			bound = model.DemandTimeBound(demand, c)
		}
		for _, name := range strategy.Names() {
			if p := s.planned(t, Options{Strategy: Strategy(name)}); p != nil && float64(p.Cost.Total()) < bound.Total()*(1-1e-9) {
				t.Errorf("%v: %s takes %v, the bound is %+v", s, name, p.Cost.Total(), bound)
			}
		}
	}
}

// TestSmallerDelayIsNeverWorse, nor is a fabric that hides a part of it.
func TestSmallerDelayIsNeverWorse(t *testing.T) {
	for _, s := range []setting{
		{nodes: 9, ports: 2, size: 4 << 20, demand: "random"}, {nodes: 7, ports: 1, size: 1 << 20, demand: "zipf:1"},
		{nodes: 9, ports: 3, size: 1 << 22}, {nodes: 8, ports: 2, size: 1 << 18, demand: "moe:2"},
	} {
		var last *plan.Plan
		for _, delay := range []string{"0ns", "1us", "10us", "100us", "1ms"} {
			s.set = map[string]string{"reconfig": delay}
			p := s.planned(t, Options{})
			if last != nil && !notSlower(last, p) {
				t.Errorf("%v: %v with %s, more before", s, p.Cost.Total(), delay)
			}
			last = p
		}
	}
}

// TestPricesAreThoseOfPlans: candidates are compared by a time that is computed from loads;
// it is the time of the plan.
func TestPricesAreThoseOfPlans(t *testing.T) {
	for _, s := range settings(12, 2) {
		r := s.request(t)
		task, p, unit := fluid(t, &r)
		seen := 0
		err := strategy.Search(t.Context(), p, func(int, int) bool { return true }, func(c *strategy.Candidate) error {
			route, err := c.Route(t.Context())
			if err != nil {
				return err
			}
			price, ok, err := task.price(t.Context(), route, unit)
			if err != nil || !ok {
				return err
			}
			made, err := task.whole(t.Context(), route, c.Strategy)
			if err != nil {
				return err
			}
			if err := made.Price(); err != nil {
				return err
			}
			if seen++; math.Abs(float64(price-made.Cost.Total())) > 1e-6*float64(price) || len(made.Stages) != c.Stages {
				t.Errorf("%v, %s with %d stages: %v, the plan takes %v in %d", s, c.Strategy, c.Stages, price, made.Cost.Total(), len(made.Stages))
			}
			floor := task.charges(c.Stages) + units.Time(c.Stages)*(r.Fabric.Alpha.Time()+r.Fabric.Delta.Time())
			if made.Cost.Total() < floor {
				t.Errorf("%v, %s: %v, less than the floor %v", s, c.Strategy, made.Cost.Total(), floor)
			}
			return nil
		})
		if err != nil || seen == 0 {
			t.Fatalf("%v: %d candidates, %v", s, seen, err)
		}
	}
}

// TestStoredPlans: on a fabric that stores and forwards, every strategy has proven plans,
// auto is the fastest of them, and a larger limit on chunks is never slower.
func TestStoredPlans(t *testing.T) {
	for _, s := range []setting{
		{nodes: 8, ports: 1, size: 1 << 20}, {nodes: 7, ports: 2, size: 1 << 22}, {nodes: 6, ports: 1, size: 1 << 20, demand: "zipf:1"},
		{nodes: 8, ports: 2, size: 1 << 21, demand: "random", members: []int{1, 3, 4, 5, 7}},
	} {
		s.set = map[string]string{"forwarding": "store-and-forward", "reconfig": "5us"}
		best := s.planned(t, Options{})
		for _, name := range strategy.Names() {
			if p := s.planned(t, Options{Strategy: Strategy(name)}); p != nil && !notSlower(best, p) {
				t.Errorf("%v: auto takes %v, %s %v", s, best.Cost.Total(), name, p.Cost.Total())
			}
		}
		last := best
		for chunk := s.size; chunk > s.size/128; chunk /= 2 {
			p := s.planned(t, Options{Chunk: chunk})
			if !notSlower(last, p) {
				t.Errorf("%v: %v with chunks of %v, more with larger ones", s, p.Cost.Total(), chunk)
			}
			last = p
		}
	}
}

// TestPlansAroundFailures are proven, which includes that they use nothing that has failed.
func TestPlansAroundFailures(t *testing.T) {
	for _, avoid := range []string{"link:0-1", "link:2>5,link:5>3", "port:3", "port:3,port:4,link:1-2"} {
		for _, duplex := range []string{"false", "true"} {
			for _, demand := range []string{"", "zipf:1"} {
				s := setting{nodes: 8, ports: 2, size: 1 << 20, demand: demand, set: map[string]string{"avoid": avoid, "duplex": duplex}}
				if s.planned(t, Options{}) == nil {
					t.Errorf("%v: no plan", s)
				}
			}
		}
	}
	alive := setting{nodes: 8, ports: 1, size: 1 << 20, members: []int{0, 1, 2, 4, 5, 6, 7}, set: map[string]string{"avoid": "gpu:3"}}
	if alive.planned(t, Options{}) == nil {
		t.Error("no plan without GPU 3")
	}
	for _, s := range []setting{
		{nodes: 8, ports: 1, size: 1 << 20, set: map[string]string{"avoid": "gpu:3"}},
		{nodes: 8, ports: 1, size: 1 << 20, set: map[string]string{"avoid": "port:3"}},
	} {
		if s.planned(t, Options{}) != nil {
			t.Errorf("%v: a plan over what is not there", s)
		}
	}
}

// TestCostDoesNotGrowWithSize: the plan for a petabyte, or 8 terabytes, has as many transfers
// as that for a gigabyte, even if all pairs differ.
func TestCostDoesNotGrowWithSize(t *testing.T) {
	for _, demand := range []string{"", "zipf:1"} {
		for _, forwarding := range []string{"cut-through", "store-and-forward"} {
			count := func(size units.Bytes) int {
				s := setting{nodes: 8, ports: 1, size: size, demand: demand, set: map[string]string{"forwarding": forwarding, "reconfig": "1us"}}
				sum := 0
				for _, step := range s.planned(t, Options{}).Steps() {
					sum += len(step.Base)
				}
				return sum
			}
			huge := units.Bytes(1000) << 40
			if demand != "" {
				huge = 8 << 40 // the most that a demand may have
			}
			small, large := count(units.Bytes(1)<<30), count(huge)
			if large > 2*small {
				t.Errorf("%q, %s: %d transfers, %d for less", demand, forwarding, large, small)
			}
		}
	}
	s := setting{nodes: 8, ports: 1, size: 1000 << 40, set: map[string]string{"forwarding": "store-and-forward"}}
	if _, err := New(Options{Chunk: units.MB}).Plan(t.Context(), s.request(t)); err == nil || errors.Is(err, planner.ErrInfeasible) {
		t.Errorf("%v, want that chunks are too small", err)
	}
}

// TestPlanStops soon after it is told to.
func TestPlanStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, s := range []setting{{nodes: 64, ports: 2, size: 1 << 22, demand: "zipf:1"}, {nodes: 512, ports: 4, size: 1 << 22}} {
		if _, err := New(Options{}).Plan(ctx, s.request(t)); !errors.Is(err, context.Canceled) {
			t.Errorf("%v: %v", s, err)
		}
	}
}

// TestBadOptionsAreRefused in one line that names the option.
func TestBadOptionsAreRefused(t *testing.T) {
	s := setting{nodes: 4, ports: 1, size: 1 << 10}
	for want, o := range map[string]Options{"strategy": {Strategy: "best"}, "stages": {Stages: -1}, "chunk": {Chunk: -1}} {
		if _, err := New(o).Plan(t.Context(), s.request(t)); err == nil || len(err.Error()) < len(want) || err.Error()[:len(want)] != want {
			t.Errorf("%+v: %v, want an error of %s", o, err, want)
		}
	}
}

// fluid is the problem of a request whose data may be divided at will, and its unit.
func fluid(t *testing.T, r *planner.Request) (*task, strategy.Problem, float64) {
	t.Helper()
	task, err := newTask(r, Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	demand, unit, err := task.amounts()
	if err != nil {
		t.Fatal(err)
	}
	p := task.problem(demand, unit)
	p.Fluid = true
	return task, p, unit
}

// If circuits that stay may be used while others change, the bound that counts stages which
// share no circuit with the stage before must hold for the plan.
func TestStagesThatShareNoCircuitPayForTheChange(t *testing.T) {
	for _, s := range settings(9, 2) {
		r := s.request(t)
		if r.Fabric.Forwarding == fabric.StoreAndForward {
			continue
		}
		r.Fabric.Overlap = fabric.Overlap{Kind: fabric.OverlapCircuits}
		task, p, unit := fluid(t, &r)
		f := &r.Fabric
		err := strategy.Search(t.Context(), p, func(int, int) bool { return true }, func(c *strategy.Candidate) error {
			route, err := c.Route(t.Context())
			if err != nil || route.Flows == nil {
				return err
			}
			made, err := task.whole(t.Context(), route, c.Strategy)
			if err != nil {
				return err
			}
			if err := made.Price(); err != nil {
				return err
			}
			floor := units.Time(changed(route.Flows.Stages))*f.WaitFor(f.Reconfig.Least()) + units.Time(c.Stages)*(f.Alpha.Time()+f.Delta.Time())
			for _, most := range route.Flows.Busiest() {
				floor += f.Bandwidth.Transmit(most * unit / float64(task.copies))
			}
			if made.Cost.Total() < floor*(1-1e-9) {
				t.Errorf("%v, %s with %d stages: %v, less than %v", s, c.Strategy, c.Stages, made.Cost.Total(), floor)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// If circuits are set up on free ports while others send, a plan takes at least the bound for
// its number of stages: each stage is up, or waited for, as long as a reconfiguration takes.
func TestStagesSetUpMeanwhilePayForTheChange(t *testing.T) {
	for _, s := range settings(samples.Draws(6, 12), 3) {
		r := s.request(t)
		r.Fabric.Overlap = fabric.Overlap{Kind: fabric.OverlapPorts}
		task, p, unit := fluid(t, &r)
		err := strategy.Search(t.Context(), p, func(int, int) bool { return true }, func(c *strategy.Candidate) error {
			route, err := c.Route(t.Context())
			if err != nil {
				return err
			}
			time, ok, err := task.price(t.Context(), route, unit)
			if floor := task.waits(c.Stages); err == nil && ok && time < floor*(1-1e-9) {
				t.Errorf("%v, %s with %d stages: %v, less than %v", s, c.Strategy, c.Stages, time, floor)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
