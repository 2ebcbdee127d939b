package lightpath_test

import (
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/units"
)

// No broadcast or reduction that is planned is faster than its bound, whatever the fabric: two-way
// circuits, ports that have failed, other start-ups, hops and delays.
func TestNoPlannedBroadcastBeatsItsBound(t *testing.T) {
	r := rand.New(rand.NewPCG(35, 1))
	near, cases := 0, 0
	for i := range samples.Draws(32, 150) {
		f := fabric.Default()
		f.Nodes, f.Ports = 3+r.IntN(14), 1+r.IntN(4)
		if i%5 == 0 {
			f.Nodes = 20 + r.IntN(60)
		}
		f.Alpha = units.Duration(20_000 + r.IntN(2_000_000))
		f.Delta = units.Duration(20_000 + r.IntN(1_500_000))
		f.Reconfig.Base = []units.Duration{0, 200 * units.Nanosecond, 3 * units.Microsecond, 100 * units.Microsecond}[r.IntN(4)]
		f.Duplex = i%3 == 1 && f.Ports > 1
		if i%7 == 3 && f.Ports > 1 {
			var err error
			if f.Avoid, err = fabric.ParseFailures("port:1"); err != nil {
				t.Fatal(err)
			}
		}
		op := []collective.Op{collective.Broadcast, collective.RootReduce}[i%2]
		size := units.Bytes(1) << (12 + r.IntN(16))
		if i%5 == 0 && i%25 != 0 && i%25 != 10 && !samples.Every() {
			continue // large fabrics take seconds: some, of both operations and with all of the above
		}
		cases++
		p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{Fabric: f, Operations: []lightpath.Operation{{Op: op, Size: size}}}, lightpath.WithoutBaselines())
		if err != nil {
			t.Logf("%s, %d GPUs, %d ports, two-way %v: %v", op, f.Nodes, f.Ports, f.Duplex, err)
			continue
		}
		s := collective.Section{Op: op, Size: size, Space: collective.SpaceOf(op, f.Nodes, 1)}
		least, time := bound.OfOperation(&f, &s).Total(), p.Cost.Total()
		if time < least*(1-1e-9) {
			t.Errorf("%s of %v, %d GPUs, %d ports, two-way %v, start-up %v, hop %v, delay %v: takes %v, the bound is %v",
				op, size, f.Nodes, f.Ports, f.Duplex, f.Alpha, f.Delta, f.Reconfig.Base, time, least)
		}
		if time < least*1.05 {
			near++
		}
	}
	t.Logf("within 5%% of the bound in %d of %d cases", near, cases)
	if near < cases/5 {
		t.Errorf("within 5%% of the bound in %d of %d cases only", near, cases)
	}
}

// No all-to-all of unequal pairs that is planned is faster than its bound.
func TestNoPlannedExchangeBeatsItsBound(t *testing.T) {
	r := rand.New(rand.NewPCG(35, 3))
	near, cases := 0, samples.Draws(30, 60)
	for i := range cases {
		f := fabric.Default()
		f.Nodes, f.Ports = 3+r.IntN(8), 1+i%2
		f.Reconfig.Base = []units.Duration{200 * units.Nanosecond, 10 * units.Microsecond, 100 * units.Microsecond}[r.IntN(3)]
		if i%5 == 1 {
			f.Forwarding = fabric.StoreAndForward
		}
		size := units.Bytes(1) << (14 + r.IntN(8))
		demand, err := collective.GenerateDemand([]string{"zipf:1", "moe:2", "random"}[r.IntN(3)], f.Nodes, size, r.Uint64())
		if err != nil {
			t.Fatal(err)
		}
		p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{Fabric: f, Operations: []lightpath.Operation{{Op: collective.AllToAll, Demand: demand}}}, lightpath.WithoutBaselines())
		if err != nil {
			t.Fatal(err)
		}
		least, time := bound.OfOperation(&f, p.Collective.Section()).Total(), p.Cost.Total()
		if time < least*(1-1e-9) {
			t.Errorf("%d GPUs, %d ports, delay %v, %s: takes %v, the bound is %v", f.Nodes, f.Ports, f.Reconfig.Base, f.Forwarding, time, least)
		}
		if time < least*1.1 {
			near++
		}
	}
	t.Logf("within 10%% of the bound in %d of %d cases", near, cases)
	if near < cases/5 {
		t.Errorf("within 10%% of the bound in %d of %d cases only", near, cases)
	}
}

// No operation of all GPUs that is planned is faster than its bound where circuits go both ways:
// even and odd numbers of ports, some of them failed.
func TestNoTwoWayPlanBeatsItsBound(t *testing.T) {
	r := rand.New(rand.NewPCG(35, 5))
	near, planned, cases := 0, 0, samples.Draws(120, 240)
	ops := []collective.Op{collective.AllReduce, collective.AllGather, collective.AllToAll, collective.ReduceScatter}
	for i := range cases {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Duplex = 3+r.IntN(12), 1+r.IntN(4), true
		f.Alpha = units.Duration(20_000 + r.IntN(2_000_000))
		f.Delta = units.Duration(20_000 + r.IntN(1_500_000))
		f.Reconfig.Base = []units.Duration{0, 200 * units.Nanosecond, 3 * units.Microsecond, 100 * units.Microsecond}[r.IntN(4)]
		if i%9 == 3 && f.Ports > 1 {
			var err error
			if f.Avoid, err = fabric.ParseFailures("port:1"); err != nil {
				t.Fatal(err)
			}
		}
		op, size := ops[i%len(ops)], units.Bytes(1)<<(10+r.IntN(15))
		p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{Fabric: f, Operations: []lightpath.Operation{{Op: op, Size: size}}}, lightpath.WithoutBaselines())
		if err != nil {
			t.Logf("%s, %d GPUs, %d ports: %v", op, f.Nodes, f.Ports, err)
			continue
		}
		planned++
		s := collective.Section{Op: op, Size: size, Space: collective.SpaceOf(op, f.Nodes, 1)}
		least, time := bound.OfOperation(&f, &s).Total(), p.Cost.Total()
		if time < least*(1-1e-9) {
			t.Errorf("%s of %v, %d GPUs, %d ports, start-up %v, hop %v, delay %v, avoid %q: takes %v, the bound is %v",
				op, size, f.Nodes, f.Ports, f.Alpha, f.Delta, f.Reconfig.Base, f.Avoid, time, least)
		}
		if time < least*1.05 {
			near++
		}
	}
	t.Logf("within 5%% of the bound in %d of %d cases", near, planned)
	if near < cases/5 || planned < cases*3/4 {
		t.Errorf("within 5%% of the bound in %d of %d cases only", near, planned)
	}
}
