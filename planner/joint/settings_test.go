package joint

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/joint/digit"
	"github.com/lightpath-net/lightpath/planner/joint/jointtest"
	"github.com/lightpath-net/lightpath/units"
)

// Under every model of the delay, overlap, start, forwarding and cap, on two-way circuits and
// around failures, plans are correct and no faster than the bound for any plan.
func TestPlansAreCorrectOnEveryFabric(t *testing.T) {
	random := rand.New(rand.NewPCG(14, 1))
	pick := func(n int) int { return random.IntN(n) }
	made := 0
	draws := samples.Draws(75, 150)
	for range draws {
		n := 2 + pick(14)
		op := ops[pick(len(ops))]
		size := []units.Bytes{3 * units.KiB, 100 * units.KiB, 3 * units.MiB}[pick(3)]
		r := jointtest.Request(op, n, 1+pick(4), size)
		f := &r.Fabric
		f.Reconfig = []fabric.Reconfig{
			{Model: fabric.Constant, Base: 2 * units.Microsecond},
			{Model: fabric.PerPort, Base: units.Microsecond, Each: 100 * units.Nanosecond},
			{Model: fabric.PerCircuit, Base: units.Microsecond, Each: 50 * units.Nanosecond},
			{Model: fabric.PerSwitch, Base: units.Microsecond, Each: 500 * units.Nanosecond},
		}[pick(4)]
		f.Overlap = []fabric.Overlap{
			{}, {Kind: fabric.OverlapCompute, Compute: units.Microsecond}, {Kind: fabric.OverlapPorts}, {Kind: fabric.OverlapCircuits},
		}[pick(4)]
		f.Initial = []string{fabric.InitialFree, fabric.InitialDark, fabric.InitialBase}[pick(3)]
		f.Duplex = pick(3) == 0
		f.CapTheta = pick(4) == 0
		if pick(3) == 0 {
			f.Forwarding = fabric.StoreAndForward
		}
		if pick(4) == 0 && n > 3 {
			f.Avoid = fabric.FailedLink(pick(n/2), n/2+pick(n/2), true)
		}
		if pick(4) == 0 && n > 3 {
			members := random.Perm(n)[:2+pick(n-2)]
			r.Collective.Space.Members = members
			if slices.IsSorted(members) && len(members) == n {
				r.Collective.Space.Members = nil
			}
		}
		if f.Validate() != nil {
			continue
		}
		name := fmt.Sprintf("%s of %v, %d members on %+v", op, size, r.Collective.Space.MembersCount(), *f)
		p, err := New().Plan(t.Context(), r)
		if errors.Is(err, planner.ErrInfeasible) {
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		made++
		report, err := verify.Plan(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if bad := report.First(); bad != nil {
			t.Errorf("%s: %s: %s", name, bad.Name, bad.Detail)
		}
		if bound := p.OperationBound().Total(); p.Cost.Total() < bound*(1-1e-9) {
			t.Errorf("%s: takes %v, the bound is %v", name, p.Cost.Total(), bound)
		}
	}
	if made < draws*2/3 {
		t.Errorf("only %d plans were made", made)
	}
}

// A limit does not change a plan that keeps it. If the plan does not, the planner says so, and no
// more than is true.
func TestALimitGivesUpOnlySlowerPlans(t *testing.T) {
	random := rand.New(rand.NewPCG(14, 9))
	late := 0
	for range samples.Draws(40, 200) {
		r := jointtest.Request(ops[random.IntN(len(ops))], 2+random.IntN(14), 1+random.IntN(4), units.Bytes(3)<<(6+random.IntN(16)))
		f := &r.Fabric
		f.Reconfig.Base = units.Duration(random.IntN(3000)) * units.Nanosecond
		f.Initial = []string{fabric.InitialFree, fabric.InitialDark, fabric.InitialBase}[random.IntN(3)]
		f.Overlap.Kind = []fabric.OverlapKind{fabric.OverlapNone, fabric.OverlapPorts, fabric.OverlapCircuits}[random.IntN(3)]
		f.Duplex = random.IntN(2) == 0
		if f.Validate() != nil {
			continue
		}
		free, err := New().Plan(t.Context(), r)
		if errors.Is(err, planner.ErrInfeasible) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		best := free.Cost.Total()
		r.Limit = best
		if p, err := New().Plan(t.Context(), r); err != nil || p.Cost != free.Cost || p.Strategy != free.Strategy {
			t.Errorf("%s on %+v: within %v another plan, or %v", r.Collective.Op, *f, best, err)
		}
		r.Limit = best * units.Time(1-random.Float64()/2)
		p, err := New().Plan(t.Context(), r)
		var beyond *planner.Beyond
		switch {
		case errors.As(err, &beyond):
			late++
			if beyond.Least > best || !planner.Above(beyond.Least, r.Limit) {
				t.Errorf("%s on %+v: takes %v; within %v at least %v", r.Collective.Op, *f, best, r.Limit, beyond.Least)
			}
		case err != nil || p.Cost != free.Cost:
			t.Errorf("%s on %+v: takes %v; within %v it takes another time, %v", r.Collective.Op, *f, best, r.Limit, err)
		}
	}
	if late < 10 {
		t.Errorf("only %d plans were given up", late)
	}
}

// Without overlap, and with one delay for all reconfigurations, the prediction is exact on every
// fabric: stored and forwarded, capped, two-way.
func TestPredictionsHoldForStoreAndForwardCapsAndDuplex(t *testing.T) {
	for i, op := range []collective.Op{collective.AllReduce, collective.AllGather, collective.Broadcast} {
		for j, n := range []int{4, 6, 9, 16} {
			for ports := 1; ports <= 4; ports++ {
				if (i+j+ports)%2 > 0 && !samples.Every() {
					continue // in turn
				}
				for mode := range 3 {
					for _, size := range []units.Bytes{4 * units.KiB, 4 * units.MiB} {
						r := jointtest.Request(op, n, ports, size)
						switch mode {
						case 0:
							r.Fabric.Forwarding = fabric.StoreAndForward
						case 1:
							r.Fabric.CapTheta = true
						case 2:
							r.Fabric.Duplex = true
						}
						all := options(&r, free, never)
						if len(all) == 0 {
							continue
						}
						t.Run(fmt.Sprintf("%s/n=%d/ports=%d/%v/mode=%d", op, n, ports, size, mode), func(t *testing.T) {
							p, err := all[0].plan(t.Context(), &r)
							if err != nil {
								t.Fatal(err)
							}
							if p == nil {
								t.Fatal("it does not fit")
							}
							jointtest.Check(t, p, all[0].time)
						})
					}
				}
			}
		}
	}
}

// If waits depend on what changes, no plan takes less than the floor of its option, and the best
// is the best of all that the search distinguishes. Few GPUs have few.
func TestFloorsHoldAndTheBestIsFound(t *testing.T) {
	random := rand.New(rand.NewPCG(14, 3))
	pick := func(n int) int { return random.IntN(n) }
	for range samples.Draws(20, 40) {
		n := 4 + pick(9)
		r := jointtest.Request(ops[pick(len(ops))], n, 1+pick(2), []units.Bytes{3 * units.KiB, 100 * units.KiB, 3 * units.MiB}[pick(3)])
		r.Fabric.Reconfig = []fabric.Reconfig{
			{Model: fabric.PerPort, Base: 100 * units.Nanosecond, Each: 100 * units.Nanosecond},
			{Model: fabric.PerCircuit, Base: units.Microsecond, Each: 50 * units.Nanosecond},
			{Model: fabric.Constant, Base: units.Microsecond},
		}[pick(3)]
		r.Fabric.Overlap.Kind = []fabric.OverlapKind{fabric.OverlapNone, fabric.OverlapPorts, fabric.OverlapCircuits}[pick(3)]
		if pick(3) == 0 {
			r.Fabric.Avoid = fabric.FailedLink(pick(n/2), n/2+pick(n/2), true)
		}
		if r.Fabric.Validate() != nil || exact(&r) {
			continue
		}
		best, _, err := bestOf(t.Context(), &r, free)
		if err != nil {
			t.Fatal(err)
		}
		m := digit.NewMachine(&r.Fabric, workingPorts(&r.Fabric, nil), n)
		m.Wait = float64(r.Fabric.LeastBarrier())
		all := append(options(&r, free, never), optionsOn(m, &r, free, 200, never)...)
		for _, o := range all {
			p, err := o.plan(t.Context(), &r)
			if err != nil {
				t.Fatal(err)
			}
			if p == nil {
				continue
			}
			if total := float64(p.Cost.Total()); total < o.floor*(1-1e-9) {
				t.Errorf("%s on %+v: %s takes %v, its floor is %v", r.Collective.Op, r.Fabric, p.Strategy, total, o.floor)
			}
			if p.Cost.Total() < best.Cost.Total()*(1-1e-9) {
				t.Errorf("%s on %+v: %s takes %v, the best %v", r.Collective.Op, r.Fabric, p.Strategy, p.Cost.Total(), best.Cost.Total())
			}
		}
	}
}

// free has no limits.
var free = digit.Limits{Changes: digit.AnyChanges}

// If a port is lost, the planner finds a plan that leaves a port unused somewhere, although
// another plan, which uses all ports, is faster without failures: sums on a de Bruijn graph, two
// of whose nodes need one circuit less.
func TestALostPortIsOneThatAPlanLeavesOver(t *testing.T) {
	r := jointtest.Request(collective.AllReduce, 16, 2, 4*units.KiB)
	r.Fabric.Reconfig.Base = units.Microsecond
	whole, err := New().Plan(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if r.Fabric.Avoid, err = fabric.ParseFailures("port:3"); err != nil {
		t.Fatal(err)
	}
	left, err := New().Plan(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if left.Cost.Total() > 1.05*whole.Cost.Total() {
		t.Errorf("%v without a port, %v with all", left.Cost.Total(), whole.Cost.Total())
	}
}
