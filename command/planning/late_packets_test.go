package planning_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/planning"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/units"
)

// A plan whose packets are later than the model by a hundredth or more says why, and only such a
// plan does.
func TestLatePacketsAreExplained(t *testing.T) {
	late := 0
	for _, c := range []struct {
		op    collective.Op
		nodes int
		ports int
		size  units.Bytes
		hops  fabric.Forwarding
	}{
		{collective.Gather, 7, 3, 43_000, fabric.StoreAndForward},
		{collective.AllToAll, 15, 4, 64 * units.KiB, fabric.CutThrough},
		{collective.AllToAll, 11, 3, units.MiB, fabric.StoreAndForward},
		{collective.AllReduce, 8, 2, units.MiB, fabric.CutThrough},
	} {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Forwarding, f.Bandwidth = c.nodes, c.ports, c.hops, 100*units.Gbps
		p, err := planning.Plan(t.Context(), planning.PlanRequest{
			Fabric: f, Operations: []collective.Operation{{Op: c.op, Size: c.size}}, PacketOptions: planning.PacketOptions{Simulate: true},
		}, command.WithoutBaselines())
		if err != nil {
			t.Fatal(err)
		}
		by := float64(p.Simulated/p.Cost.Total()) - 1
		if (by >= 0.01) != (len(p.Late) > 0) {
			t.Errorf("%+v: packets are later by %.4f, and that is explained by %v", c, by, p.Late)
		}
		sum := units.Time(0)
		for i, l := range p.Late {
			if sum += l.Ns; l.Cause == "" || l.Why == "" || l.Ns <= 0 || i > 0 && l.Ns > p.Late[i-1].Ns {
				t.Errorf("%+v: %v", c, p.Late)
			}
		}
		if len(p.Late) > 0 {
			late++
			// Causes below half of a hundredth are left out, and others may take time off.
			if over := p.Simulated - p.Cost.Total(); sum < over/2 {
				t.Errorf("%+v: %v of %v is explained", c, sum, over)
			}
		}
	}
	if late == 0 {
		t.Error("no packets are late, so nothing was looked at")
	}
}

// If a plan that is nearly as fast by the model has faster packets, the chosen plan says so, and
// --choose-by simulated then finds a plan that is at least as fast.
func TestCloseRunnersOvertakeInPackets(t *testing.T) {
	overtaken := 0
	for _, c := range []struct {
		op           collective.Op
		nodes, ports int
		size         units.Bytes
		alpha, delta units.Duration
		reconfig     units.Duration
		hops         fabric.Forwarding
		gbps         units.Bandwidth
	}{
		{collective.Broadcast, 8, 4, 64 * units.KiB, 0, 10 * units.Nanosecond, 100 * units.Nanosecond, fabric.CutThrough, 800},
		{collective.ReduceScatter, 16, 5, 43_000, 100 * units.Nanosecond, 10 * units.Nanosecond, 10 * units.Microsecond, fabric.CutThrough, 800},
		{collective.AllReduce, 9, 2, 693, 100 * units.Nanosecond, 10 * units.Nanosecond, 10 * units.Microsecond, fabric.CutThrough, 100},
		{collective.AllReduce, 9, 5, 4096, 100 * units.Nanosecond, 10 * units.Nanosecond, 100 * units.Nanosecond, fabric.StoreAndForward, 100},
		{collective.AllReduce, 12, 3, 43_000, 500 * units.Nanosecond, 10 * units.Nanosecond, 10 * units.Microsecond, fabric.StoreAndForward, 800},
		{collective.ReduceScatter, 9, 3, 693, 100 * units.Nanosecond, 10 * units.Nanosecond, units.Microsecond, fabric.StoreAndForward, 400},
		{collective.AllGather, 7, 2, 4096, 500 * units.Nanosecond, 500 * units.Nanosecond, 100 * units.Nanosecond, fabric.CutThrough, 400},
		{collective.AllToAll, 5, 5, 43_000, 500 * units.Nanosecond, 10 * units.Nanosecond, units.Microsecond, fabric.CutThrough, 400},
		{collective.AllGather, 8, 2, units.MiB, 500 * units.Nanosecond, 500 * units.Nanosecond, 10 * units.Microsecond, fabric.CutThrough, 800},
	} {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Forwarding, f.Bandwidth = c.nodes, c.ports, c.hops, c.gbps*units.Gbps
		f.Alpha, f.Delta, f.Reconfig = c.alpha, c.delta, fabric.Reconfig{Model: fabric.Constant, Base: c.reconfig}
		request := planning.PlanRequest{Fabric: f, Operations: []collective.Operation{{Op: c.op, Size: c.size}}}
		p, err := planning.Plan(t.Context(), request)
		if err != nil {
			t.Fatal(err)
		}
		if p.Rival == nil {
			continue
		}
		overtaken++
		if p.Rival.SimulatedNs >= p.Simulated || p.Rival.TotalNs < p.Cost.Total()*(1-1e-9) {
			t.Errorf("%+v: %v and %v packet by packet; rival %+v", c, p.Cost.Total(), p.Simulated, p.Rival)
		}
		request.ChooseBy = planning.ChooseBySimulated
		chosen, err := planning.Plan(t.Context(), request)
		if err != nil {
			t.Fatal(err)
		}
		if chosen.Simulated > p.Rival.SimulatedNs {
			t.Errorf("%+v: chosen by packets it takes %v, the rival %v", c, chosen.Simulated, p.Rival.SimulatedNs)
		}
	}
	if overtaken < 3 {
		t.Errorf("%d plans have rivals", overtaken)
	}
}

// No search cuts a message into parts of less than a byte: pipelines, trees and shards have at
// most as many parts as bytes. The plan states by how much the packets of such small messages
// exceed the model's time.
func TestNothingIsCutBelowAByte(t *testing.T) {
	ops := []collective.Op{
		collective.AllReduce, collective.AllGather, collective.ReduceScatter, collective.Broadcast, collective.RootReduce,
		collective.AllToAll, collective.Gather, collective.Scatter,
	}
	searched := map[string]bool{"joint": true, "bfb": true}
	rng := rand.New(rand.NewPCG(1, 2))
	for size := units.Bytes(1); size <= 64; size++ {
		for k := range samples.Draws(1, 2) { // of the operations, with -every each with sixteen sizes
			op := ops[(int(size)+4*k)%len(ops)]
			f := fabric.Default()
			f.Nodes, f.Bandwidth = 2+rng.IntN(26), []units.Bandwidth{10 * units.Mbps, units.Gbps, 100 * units.Gbps}[rng.IntN(3)]
			f.Ports = 1 + rng.IntN(min(6, f.Nodes-1))
			f.Alpha, f.Delta = units.Duration(rng.IntN(100))*units.Nanosecond, units.Duration(1+rng.IntN(100))*units.Nanosecond
			f.Reconfig.Base = units.Duration(rng.IntN(100_000)) * units.Nanosecond
			if rng.IntN(3) == 0 {
				f.Forwarding = fabric.StoreAndForward
			}
			if size/8%4 > 0 && !samples.Every() {
				continue // each operation with two sizes
			}
			p, err := planning.Plan(t.Context(), planning.PlanRequest{
				Fabric: f, Operations: []collective.Operation{{Op: op, Size: size}}, PacketOptions: planning.PacketOptions{Simulate: true},
			}, command.WithoutBaselines())
			if err != nil {
				t.Fatal(err)
			}
			shard := size
			if p.Collective.Space.Kind != collective.Whole {
				shard /= units.Bytes(f.Nodes)
			}
			algorithm, tuned, _ := strings.Cut(p.Collective.Algorithm, ":")
			if parts := units.Bytes(p.Collective.Space.Parts); (searched[algorithm] || strings.HasPrefix(tuned, "parts=")) && parts > max(1, shard) {
				t.Errorf("%s of %v on %d GPUs, %d ports by %s (%s): %d parts of %v", op, size, f.Nodes, f.Ports, p.Planner, p.Strategy, parts, shard)
			}
			stated := units.Time(0)
			for _, l := range p.Late {
				stated += l.Ns
			}
			// What is below half a hundredth of the time each is not stated.
			if over := p.Simulated - p.Cost.Total(); over > stated+0.03*p.Cost.Total() {
				t.Errorf("%s of %v on %d GPUs by %s: packets take %v more, stated are %v", op, size, f.Nodes, p.Planner, over, p.Late)
			}
		}
	}
}
