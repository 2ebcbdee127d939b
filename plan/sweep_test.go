package plan_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/units"
)

// made is a plan with what it was made for.
type made struct {
	name    string
	planner planner.Planner
	request planner.Request
	plan    *plan.Plan
	err     error
}

// outcome sums up all combinations.
type outcome struct {
	made       []made
	infeasible int
	unfit      int // combinations with an invalid fabric
	errors     []error
	seen       map[string]int // plans per setting
}

// sweep plans every planner, algorithm, operation, number of nodes, number of ports and kind of
// circuit. The other settings have 72 combinations; each case takes the next one of a walk
// through them all, so that every pair of settings meets. It runs planners concurrently, which
// they must support.
var sweep = sync.OnceValue(func() outcome {
	o := outcome{seen: map[string]int{}}
	var cases []made
	turn := 0
	for _, p := range staged.Planners() {
		for _, n := range []int{2, 3, 4, 5, 8, 16} {
			for _, op := range collective.Ops() {
				for ports := 1; ports <= 4; ports++ {
					for _, a := range algorithms.For(op, collective.Shape{Nodes: n, Ports: ports}) {
						for _, duplex := range []bool{false, true} {
							turn += 29 // coprime to 72
							if n == 16 && (ports == 3 || duplex && ports != 2) {
								continue // slow, and like n = 8
							}
							if n >= 8 && (turn-29)/58%2 > 0 && !samples.Every() {
								continue // in turn
							}
							if m, ok := newCase(p, op, a.Name, settings(n, ports, duplex, turn)); ok {
								cases = append(cases, m)
							} else {
								o.unfit++
							}
						}
					}
				}
			}
		}
	}
	var workers sync.WaitGroup
	for w := range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := w; i < len(cases); i += runtime.GOMAXPROCS(0) {
				m := &cases[i]
				m.plan, m.err = m.planner.Plan(context.Background(), m.request)
			}
		})
	}
	workers.Wait()
	for _, m := range cases {
		o.add(m)
	}
	return o
})

// settings returns one of 72 variants of a fabric.
func settings(n, ports int, duplex bool, turn int) fabric.Fabric {
	pick := func(options int) int {
		i := turn % options
		turn /= options
		return i
	}
	turn %= 72
	f := fabric.Default()
	f.Nodes, f.Ports, f.Duplex = n, ports, duplex
	f.Routing = []flow.Policy{flow.Optimal, flow.Shortest, flow.ShortestSplit}[pick(3)]
	f.Forwarding = []fabric.Forwarding{fabric.CutThrough, fabric.StoreAndForward}[pick(2)]
	f.Initial = []string{fabric.InitialFree, fabric.InitialDark, fabric.InitialBase, fmt.Sprintf("Ring(%d)", n)}[pick(4)]
	if f.Initial == fmt.Sprintf("Ring(%d)", n) && ports == 1 && n > 2 {
		f.Initial = fmt.Sprintf("DC(%d;%d)", n, n-1)
	}
	f.Reconfig = []fabric.Reconfig{
		{Model: fabric.Constant, Base: 3 * units.Microsecond},
		{Model: fabric.PerPort, Base: units.Microsecond, Each: 20 * units.Nanosecond},
		{Model: fabric.PerCircuit, Base: 100 * units.Nanosecond, Each: 300 * units.Nanosecond},
	}[pick(3)]
	return f
}

// newCase makes a request; it reports whether the fabric is valid.
func newCase(p planner.Planner, op collective.Op, algorithm string, f fabric.Fabric) (made, bool) {
	c, err := algorithms.New(op, algorithm, f.Nodes, f.Ports)
	if err != nil {
		panic(err) // only supported algorithms are requested
	}
	name := fmt.Sprintf("%s/%s/%s/n%d/d%d/duplex=%v/%s/%s/%s/%s", p.Name(), op, algorithm, f.Nodes, f.Ports,
		f.Duplex, f.Routing, f.Forwarding, f.Initial, f.Reconfig)
	r := planner.Request{Fabric: f, Collective: c, Size: 300_000}
	return made{name: name, planner: p, request: r}, f.Validate() == nil
}

// add counts the result of a case.
func (o *outcome) add(m made) {
	if errors.Is(m.err, planner.ErrInfeasible) {
		o.infeasible++
		return
	}
	if m.err != nil {
		o.errors = append(o.errors, fmt.Errorf("%s: %w", m.name, m.err))
		return
	}
	o.made = append(o.made, m)
	f, c := m.request.Fabric, m.request.Collective
	initial := f.Initial
	if initial != fabric.InitialFree && initial != fabric.InitialDark && initial != fabric.InitialBase {
		initial = "topology"
	}
	for _, setting := range []string{
		"planner " + m.planner.Name(), "algorithm " + c.Algorithm, "op " + string(c.Op),
		fmt.Sprint("n ", f.Nodes), fmt.Sprint("ports ", f.Ports), fmt.Sprint("duplex ", f.Duplex),
		"routing " + string(f.Routing), "forwarding " + string(f.Forwarding),
		"initial " + initial, "reconfig " + f.Reconfig.Model.String(),
	} {
		o.seen[setting]++
	}
}

// mustVerify verifies p and fails if that returns an error.
func mustVerify(t testing.TB, p *plan.Plan) *verify.Report {
	t.Helper()
	report, err := verify.Plan(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func TestEveryPlanVerifies(t *testing.T) {
	o := sweep()
	for _, err := range o.errors {
		t.Error(err)
	}
	for _, m := range o.made {
		if report := mustVerify(t, m.plan); !report.OK {
			t.Errorf("%s: %s: %s", m.name, report.First().Name, report.First().Detail)
		}
	}
}

// The sweep would prove little if most requests were refused.
func TestMostRequestsHaveAPlan(t *testing.T) {
	o := sweep()
	total := len(o.made) + o.infeasible + o.unfit
	t.Logf("%d plans, %d without a plan, %d fabrics that cannot be", len(o.made), o.infeasible, o.unfit)
	if len(o.made) < total*3/4 {
		t.Errorf("only %d of %d requests have a plan", len(o.made), total)
	}
	const needDemand = 2 // bvn and bvn-few: see the tests of package lightpath
	if len(o.seen) != 4+len(algorithms.Algorithms())-needDemand+len(collective.Ops())+6+4+2+3+2+4+3 {
		t.Errorf("not every setting was met: %v", o.seen)
	}
	for setting, count := range o.seen {
		// Some algorithms support only few of these sizes and ports.
		if count < 30 && !strings.HasPrefix(setting, "algorithm ") || count < 4 {
			t.Errorf("%s: only %d plans", setting, count)
		}
	}
}

func TestBoundsAreBelowEveryPlan(t *testing.T) {
	for _, m := range sweep().made {
		b := bound.OfAlgorithm(&m.request.Fabric, m.request.Collective, m.request.Size)
		if total := m.plan.Cost.Total() * (1 + 1e-9); !(b.PerStep <= b.Schedule && b.Schedule <= total) {
			t.Errorf("%s: per step %v, schedule %v, cost %v", m.name, b.PerStep, b.Schedule, m.plan.Cost.Total())
		}
		if m.plan.Bound != b.Schedule {
			t.Errorf("%s: the plan claims the bound %v, not %v", m.name, m.plan.Bound, b.Schedule)
		}
	}
}

func TestPricingAgainChangesNothing(t *testing.T) {
	for _, m := range sweep().made {
		before := m.plan.Cost
		if err := m.plan.Price(); err != nil || m.plan.Cost != before {
			t.Errorf("%s: %v, %+v became %+v", m.name, err, before, m.plan.Cost)
		}
	}
}

// No plan of the sweep is faster than the bound of its operation, whatever its algorithm.
func TestNoPlanBeatsTheOperationBound(t *testing.T) {
	tight := map[collective.Op]float64{}
	for _, m := range sweep().made {
		bound := m.plan.OperationBound().Total()
		ratio := float64(m.plan.Cost.Total() / bound)
		if ratio < 1-1e-9 {
			t.Errorf("%s: takes %v, the bound is %v", m.name, m.plan.Cost.Total(), bound)
		}
		if best, ok := tight[m.plan.Collective.Op]; !ok || ratio < best {
			tight[m.plan.Collective.Op] = ratio
		}
	}
	// The bound is worth something only if some plan comes close.
	for op, ratio := range tight {
		if ratio > 1.2 {
			t.Errorf("%s: the best plan is %.2f times the bound", op, ratio)
		}
	}
}
