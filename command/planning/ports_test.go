package planning_test

import (
	"maps"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command/commandtest"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/units"
)

// TestAnotherPortIsNeverWorseWhereCircuitsCost: if the delay grows with the circuits that are
// set, if theta is capped, or around failures, fewer ports can be better. A plan may then leave
// a port unused, so one more port is never worse.
func TestAnotherPortIsNeverWorseWhereCircuitsCost(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		op       collective.Op
		nodes    int
		size     units.Bytes
		reconfig string
		overlap  string
		most     int
		with     map[string]string
	}{
		{collective.AllGather, 8, units.MiB, "per-circuit:100ns+2us", "none", 3, nil},
		{collective.ReduceScatter, 16, units.KiB, "per-circuit:100ns+2us", "none", 3, nil},
		{collective.AllToAll, 6, units.KiB, "per-circuit:1us+200ns", "none", 3, nil},
		{collective.AllReduce, 7, 64 * units.KiB, "per-port:1us+1us", "ports", samples.Draws(2, 3), nil},
		{collective.Broadcast, 9, units.MiB, "per-switch:1us+5us", "none", 3, nil},
		{collective.RootReduce, 8, 125 * units.KiB, "25.6us", "none", 5, map[string]string{"theta": "1", "initial": "free", "sync": "0ns"}},
		{collective.Gather, 4, units.KB, "3.2us", "none", 4, map[string]string{"avoid": "link:0-2", "initial": "free", "sync": "0ns"}},
	} {
		last := units.Time(0)
		for ports := 1; ports <= c.most; ports++ {
			f := fabric.Default()
			f.Nodes, f.Ports = c.nodes, ports
			settings := map[string]string{"reconfig": c.reconfig, "overlap": c.overlap, "initial": "dark", "sync": "1us"}
			maps.Copy(settings, c.with)
			for setting, value := range settings {
				for _, s := range fabric.Settings() {
					if s.Name == setting {
						if err := s.Set(&f, value); err != nil {
							t.Fatal(err)
						}
					}
				}
			}
			p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{
				Fabric: f, Operations: []lightpath.Operation{{Op: c.op, Size: c.size}},
			}, lightpath.WithoutBaselines())
			if err != nil {
				t.Fatal(err)
			}
			total := p.Cost.Total()
			if ports > 1 && total > last*(1+1e-9) {
				t.Errorf("%s on %d GPUs, %s: %v with %d ports, %v with one fewer", c.op, c.nodes, c.reconfig, total, ports, last)
			}
			last = total
		}
	}
}

// With a random demand, too, another port is never worse: the base of six ports was once a torus
// with sides of 2, which left three ports unused and was slower than five ports.
func TestAnotherPortIsNeverWorseForARandomDemand(t *testing.T) {
	t.Parallel()
	last := units.Time(0)
	for ports := 3; ports <= 7; ports++ {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Forwarding, f.Reconfig = 8, ports, fabric.StoreAndForward, fabric.Reconfig{Model: fabric.Constant}
		seed := uint64(2)
		p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{
			Fabric: f, Operations: []lightpath.Operation{{Op: collective.AllToAll, Size: 256 * units.KiB, Generator: "random", Seed: &seed}},
		}, lightpath.WithoutBaselines())
		if err != nil {
			t.Fatal(err)
		}
		if total := p.Cost.Total(); ports > 3 && total > last*commandtest.Rounding {
			t.Errorf("%v with %d ports, %v with one fewer", total, ports, last)
		}
		last = p.Cost.Total()
	}
}

// Two-way circuits cannot use all ports if both the number of ports and the number of GPUs are
// odd. Even then one port fewer must not be better.
func TestAnOddPortIsNeverWorse(t *testing.T) {
	t.Parallel()
	last := units.Time(0)
	for ports := 4; ports <= 8; ports++ {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Duplex = 9, ports, true
		p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{
			Fabric: f, Operations: []lightpath.Operation{{Op: collective.Broadcast, Size: 4 * units.MiB}},
		}, lightpath.WithoutBaselines())
		if err != nil {
			t.Fatal(err)
		}
		if total := p.Cost.Total(); ports > 4 && total > last*commandtest.Rounding {
			t.Errorf("%v with %d ports, %v with one fewer", total, ports, last)
		}
		last = p.Cost.Total()
	}
}

// If the base is up and a reconfiguration takes long, another port means another base, on which
// large messages are faster, not slower. Breadth-first broadcasts once ran only on the finder's
// topologies, and a reconfiguration to these took longer than everything else.
func TestAnotherPortOfTheBaseIsNeverWorseForLargeMessages(t *testing.T) {
	t.Parallel()
	for i, op := range []collective.Op{collective.AllGather, collective.ReduceScatter, collective.AllReduce} {
		for j, nodes := range []int{8, 12, 17, 27, 36} {
			if (i+2*j)%5 > 0 && !samples.Every() {
				continue // in turn: plans take up to a second each
			}
			last := units.Time(0)
			for ports := 1; ports <= samples.Draws(5, 7); ports++ {
				f := fabric.Default()
				f.Nodes, f.Ports, f.Initial = nodes, ports, fabric.InitialBase
				f.Reconfig.Base = 10 * units.Millisecond
				p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{
					Fabric: f, Operations: []lightpath.Operation{{Op: op, Size: 256 * units.MiB}},
				}, lightpath.WithoutBaselines())
				if err != nil {
					t.Fatal(err)
				}
				if total := p.Cost.Total(); ports > 1 && total > last*commandtest.Rounding {
					t.Errorf("%s on %d GPUs: %v with %d ports, %v with one fewer", op, nodes, total, ports, last)
				}
				last = p.Cost.Total()
			}
		}
	}
}
