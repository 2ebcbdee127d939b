// Package commandtest holds what the tests of commands share: random requests, and the tolerance
// within which two times are equal.
package commandtest

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command/planning"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// Rounding is the factor by which a sum of times may change with the order of its terms.
const Rounding = 1 + 1e-9

// DrawFabric returns a small fabric with random settings; it may be invalid.
func DrawFabric(random *rand.Rand) fabric.Fabric {
	pick := random.IntN
	f := fabric.Default()
	f.Nodes, f.Ports = 2+pick(7), 1+pick(3)
	delay := units.Duration(100<<pick(11)) * units.Nanosecond
	f.Reconfig = []fabric.Reconfig{
		{Model: fabric.Constant, Base: delay},
		{Model: fabric.PerPort, Base: delay, Each: delay / 10},
		{Model: fabric.PerCircuit, Base: delay, Each: delay / 20},
		{Model: fabric.PerSwitch, Base: delay, Each: delay / 2},
	}[pick(4)]
	f.Overlap = []fabric.Overlap{
		{}, {Kind: fabric.OverlapCompute, Compute: delay / 3}, {Kind: fabric.OverlapPorts}, {Kind: fabric.OverlapCircuits},
	}[pick(4)]
	f.Initial = []string{fabric.InitialFree, fabric.InitialFree, fabric.InitialDark, fabric.InitialBase}[pick(4)]
	f.Duplex = pick(4) == 0
	f.CapTheta = pick(4) == 0
	if pick(4) == 0 {
		f.Forwarding = fabric.StoreAndForward
	}
	if pick(5) == 0 {
		f.Sync = delay / 7
	}
	if pick(5) == 0 && f.Nodes > 3 {
		f.Avoid = []fabric.Failures{fabric.FailedLink(0, 1+pick(f.Nodes-1), true), fabric.FailedGPU(pick(f.Nodes))}[pick(2)]
	}
	return f
}

// DrawPlain returns a fabric of few to few+more-1 GPUs with 1 to 3 ports, a delay of 0 to
// times-1 units, and circuits that are free or dark at the start.
func DrawPlain(random *rand.Rand, few, more int, unit units.Duration, times int) fabric.Fabric {
	f := fabric.Default()
	f.Nodes, f.Ports = few+random.IntN(more), 1+random.IntN(3)
	f.Reconfig.Base = units.Duration(random.IntN(times)) * unit
	f.Initial = []string{fabric.InitialFree, fabric.InitialDark}[random.IntN(2)]
	return f
}

// DrawOperation returns an operation of 1 kB to 131 MB.
func DrawOperation(random *rand.Rand) collective.Operation {
	ops := []collective.Op{
		collective.AllReduce, collective.AllGather, collective.ReduceScatter, collective.Broadcast, collective.RootReduce, collective.AllToAll,
	}
	return collective.Operation{Op: ops[random.IntN(len(ops))], Size: units.Bytes(1000) << random.IntN(18)}
}

// UnusedPorts returns requests whose fastest plans leave ports unused.
func UnusedPorts(t *testing.T) []planning.PlanRequest {
	t.Helper()
	var all []planning.PlanRequest
	for _, c := range []struct {
		op       collective.Op
		nodes    int
		ports    int
		size     units.Bytes
		settings map[string]string
	}{
		{collective.Gather, 11, 4, 256 * units.KiB, map[string]string{"reconfig": "per-circuit:2us+100ns", "overlap": "planes", "initial": "dark", "delta": "0ns"}},
		{collective.AllToAll, 17, 3, 4 * units.MiB, map[string]string{"reconfig": "per-switch:1us+2us", "duplex": "true", "initial": "base"}},
		{collective.RootReduce, 6, 3, 256_000, map[string]string{"reconfig": "per-switch:800ns+400ns", "overlap": "ports", "initial": "dark"}},
		{collective.AllReduce, 7, 3, 64 * units.KiB, map[string]string{"reconfig": "per-port:1us+1us", "overlap": "ports", "initial": "base"}},
	} {
		f := fabric.Default()
		f.Nodes, f.Ports = c.nodes, c.ports
		set(t, &f, c.settings)
		all = append(all, planning.PlanRequest{Fabric: f, Operations: []collective.Operation{{Op: c.op, Size: c.size}}})
	}
	return all
}

// set changes settings of a fabric.
func set(t *testing.T, f *fabric.Fabric, values map[string]string) {
	t.Helper()
	known := 0
	for _, s := range fabric.Settings() {
		if value, ok := values[s.Name]; ok {
			known++
			if err := s.Set(f, value); err != nil {
				t.Fatal(err)
			}
		}
	}
	if known != len(values) {
		t.Fatalf("not all of %v are settings", values)
	}
}

// EqualTimes reports whether two times are equal except for rounding.
func EqualTimes(a, b units.Time) bool { return math.Abs(float64(a-b)) <= (Rounding-1)*float64(b) }

// Request returns the request for an allreduce of 4 MiB on the default fabric.
func Request() planning.PlanRequest {
	return planning.PlanRequest{
		Fabric:     fabric.Default(),
		Operations: []collective.Operation{{Op: collective.AllReduce, Size: 4 * units.MiB}},
	}
}
