package planning_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command/commandtest"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/fabrictest"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/units"
)

// betterCase is an operation on circuits that differ, with one circuit to improve.
type betterCase struct {
	op            collective.Op
	size          units.Bytes
	nodes, ports  int
	stored        bool
	delay         units.Duration
	links, better string
}

// Cases in which a better circuit once made the plan of auto slower, by up to a third.
var onceWorse = []betterCase{
	{collective.Gather, 256000, 6, 3, true, 3 * units.Microsecond,
		"0>1:200Gbps+1us,0>2:1Tbps+250ns,0>3:1.2Tbps+1.5us,1>2:1Tbps+1.25us,1>3:1.2Tbps+1us,1>4:700Gbps+1.5us,2>4:700Gbps+1us,2>5:1.1Tbps+1.25us,3>4:700Gbps+1us,3>5:600Gbps+1us,4>0:800Gbps+500ns,4>1:700Gbps+1.5us,4>5:300Gbps+750ns,5>0:300Gbps+750ns,5>1:700Gbps+500ns", "5>0:750Gbps+750ns"},
	{collective.AllToAll, 128000, 3, 2, true, 3 * units.Microsecond, "0>1:1.2Tbps+750ns,0>2:600Gbps+1.25us,1>2:700Gbps+1us,2>1:300Gbps+1.25us", "2>1:450Gbps+1.25us"},
	{collective.AllReduce, 8000, 5, 3, false, 0, "0>1:500Gbps+1.25us,0>2:900Gbps+1.25us,0>3:200Gbps+500ns,1>2:900Gbps+750ns,1>4:100Gbps+750ns,2>0:100Gbps+500ns,2>3:600Gbps+500ns,2>4:900Gbps+250ns,3>0:1.2Tbps+1.5us,3>4:800Gbps+750ns,4>0:1Tbps+500ns,4>1:800Gbps+500ns", "1>4:400Gbps+750ns"},
	{collective.ReduceScatter, 16000, 5, 3, true, 6 * units.Microsecond,
		"0>1:700Gbps+250ns,0>3:400Gbps+750ns,1>2:400Gbps+1.5us,1>3:700Gbps+250ns,1>4:200Gbps+1us,2>0:900Gbps+500ns,2>4:200Gbps+750ns,3>1:100Gbps+1.25us,4>1:300Gbps+1.25us,4>2:500Gbps+1.5us", "4>1:900Gbps+1.25us"},
}

// fabric returns the fabric of a case.
func (c *betterCase) fabric() fabric.Fabric {
	f := fabric.Default()
	f.Nodes, f.Ports, f.Reconfig.Base, f.Links = c.nodes, c.ports, c.delay, fabrictest.Links(c.links)
	if c.stored {
		f.Forwarding = fabric.StoreAndForward
	}
	return f
}

// drawBetter draws a case. It reports false where no circuit differs.
func drawBetter(rng *rand.Rand, nodes int, stored bool) (betterCase, bool) {
	ops := []collective.Op{collective.AllReduce, collective.AllGather, collective.Broadcast, collective.AllToAll, collective.ReduceScatter, collective.RootReduce, collective.Gather, collective.Scatter}
	c := betterCase{
		op: ops[rng.IntN(len(ops))], size: units.Bytes(1000) << rng.IntN(14), nodes: nodes, ports: 1 + rng.IntN(3),
		stored: stored, delay: units.Duration(rng.IntN(3)) * 3 * units.Microsecond,
	}
	f := c.fabric()
	drawLinks(rng, &f)
	c.links = f.Links.String()
	if c.links == "" {
		return c, false
	}
	list := f.Circuits().List()
	l := list[rng.IntN(len(list))]
	if rng.IntN(2) == 0 {
		l.Bandwidth = l.Bandwidth * units.Bandwidth(2+rng.IntN(7)) / 2
	} else {
		l.Delay /= 2
	}
	c.better = l.String()
	return c, true
}

// A faster or shorter circuit never makes the plan of auto slower, with cut-through or
// store-and-forward: routes are the fastest on the actual circuits, and the candidates do not
// depend on the circuits' properties. This does not hold if there are too many GPUs to try all
// numberings (planner/standin), or if steps are too large for the exact program of
// store-and-forward (flow.FastestDelayed).
func TestABetterCircuitNeverMakesAPlanSlower(t *testing.T) {
	t.Parallel()
	cases := slices.Clone(onceWorse)
	for seed := range uint64(samples.Draws(6, 16)) {
		rng := rand.New(rand.NewPCG(41, seed))
		if c, ok := drawBetter(rng, 3+rng.IntN(4), seed%2 == 0); ok {
			cases = append(cases, c)
		}
	}
	for _, c := range cases {
		r := lightpath.PlanRequest{Operations: []lightpath.Operation{{Op: c.op, Size: c.size}}, Fabric: c.fabric()}
		before, err := lightpath.Plan(t.Context(), r, lightpath.WithoutBaselines())
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		r.Fabric.Links = r.Fabric.Links.And(fabrictest.Links(c.better))
		after, err := lightpath.Plan(t.Context(), r, lightpath.WithoutBaselines())
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		if after.Cost.Total() > before.Cost.Total()*commandtest.Rounding {
			t.Errorf("%+v: %v by %s, with a better circuit %v by %s", c, before.Cost.Total(), before.Planner, after.Cost.Total(), after.Planner)
		}
	}
}

// A two-way circuit is two one-way circuits, so a one-way fabric is never slower, even if
// circuits differ or are up at the start. The first cases were once slower, by up to a fifth.
func TestOneWayIsNeverSlowerThanTwoWay(t *testing.T) {
	t.Parallel()
	type request struct {
		op      collective.Op
		size    units.Bytes
		nodes   int
		ports   int
		stored  bool
		delay   units.Duration
		initial string
		links   string
	}
	const drawn = "drawn" // instead of links that are given
	cases := []request{
		{collective.RootReduce, 1024000, 5, 3, false, 0, fabric.InitialBase,
			"0>1:900Gbps+1.5us,0>4:1.2Tbps+750ns,1>0:300Gbps+1.5us,1>2:1.1Tbps+1us,2>1:600Gbps+1.5us,2>3:500Gbps+750ns,3>2:200Gbps+1us,3>4:400Gbps+1.5us"},
		{collective.AllGather, 8192000, 6, 3, false, 0, fabric.InitialDark,
			"0>1:900Gbps+250ns,0>5:1.2Tbps+750ns,1>2:800Gbps+1us,2>1:500Gbps+1.5us,2>3:500Gbps+750ns,3>2:1.1Tbps+1.25us,3>4:400Gbps+500ns,4>3:100Gbps+250ns,4>5:1.1Tbps+500ns,5>0:100Gbps+500ns,5>4:600Gbps+1.5us"},
		{collective.AllGather, 1024000, 6, 3, true, 0, fabric.InitialBase,
			"0>1:300Gbps+1.5us,0>5:600Gbps+1us,1>0:1Tbps+500ns,1>2:300Gbps+250ns,3>2:800Gbps+1.5us,3>4:700Gbps+1.5us,4>3:500Gbps+750ns,4>5:1Tbps+750ns,5>0:200Gbps+750ns"},
		{collective.AllReduce, 512000, 8, 2, false, 3 * units.Microsecond, fabric.InitialBase, ""},
		{collective.RootReduce, 64000, 6, 2, false, 3 * units.Microsecond, fabric.InitialBase, ""},
	}
	ops := []collective.Op{collective.AllReduce, collective.AllGather, collective.Broadcast, collective.AllToAll, collective.ReduceScatter, collective.RootReduce}
	for seed := range uint64(samples.Draws(3, 6)) {
		rng := rand.New(rand.NewPCG(42, seed))
		cases = append(cases, request{
			ops[seed], units.Bytes(1000) << rng.IntN(14), 4 + rng.IntN(4), 2 + rng.IntN(2), seed%2 == 0, units.Duration(rng.IntN(3)) * 3 * units.Microsecond,
			[]string{fabric.InitialFree, fabric.InitialDark, fabric.InitialBase}[rng.IntN(3)], drawn,
		})
	}
	for i, c := range cases {
		given := c.links
		if given == drawn {
			given = ""
		}
		f := (&betterCase{nodes: c.nodes, ports: c.ports, stored: c.stored, delay: c.delay, links: given}).fabric()
		f.Initial, f.Base = c.initial, fmt.Sprintf("C(%d;1)", c.nodes)
		if c.links == drawn {
			drawLinks(rand.New(rand.NewPCG(43, uint64(i))), &f)
		}
		r := lightpath.PlanRequest{Operations: []lightpath.Operation{{Op: c.op, Size: c.size}}, Fabric: f}
		oneWay, err := lightpath.Plan(t.Context(), r, lightpath.WithoutBaselines()) // which verifies it
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		r.Fabric.Duplex = true
		twoWay, err := lightpath.Plan(t.Context(), r, lightpath.WithoutBaselines())
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		if oneWay.Cost.Total() > twoWay.Cost.Total()*commandtest.Rounding || oneWay.Fabric.Duplex {
			t.Errorf("%+v: one-way %v by %s, two-way %v by %s", c, oneWay.Cost.Total(), oneWay.Planner, twoWay.Cost.Total(), twoWay.Planner)
		}
	}
}
