package staged

import (
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// retriFabric is the scale-up system of ReTri §4: 400 Gbps links, 1 us per hop, 1.7 us per
// phase, two two-way ports. The initial ring is up at no cost.
func retriFabric(n int, reconfig units.Duration) fabric.Fabric {
	f := fabric.Default()
	f.Nodes, f.Ports, f.Duplex = n, 2, true
	f.Bandwidth = 400_000_000_000
	f.Alpha, f.Delta = 1700*units.Nanosecond, 1000*units.Nanosecond
	f.Reconfig = fabric.Reconfig{Model: fabric.Constant, Base: reconfig}
	return f
}

// hopTime is y of ReTri §3.4, alpha_h + beta*share*m: a phase between neighbours.
func hopTime(f fabric.Fabric, size units.Bytes, share float64) float64 {
	return float64(f.Delta.Time()) + float64(f.Bandwidth.Transmit(1))*float64(size)*share
}

func threeTo(exponent int) int {
	power := 1
	for range exponent {
		power *= 3
	}
	return power
}

// retriTime is C(R) of ReTri §3.4, with R+1 segments whose numbers of phases differ by one at
// most. If R+1 divides s, it is the formula printed there.
func retriTime(f fabric.Fabric, size units.Bytes, phases, changes int) float64 {
	y, sum := hopTime(f, size, 1./3), 0.
	for segment := range changes + 1 {
		length := phases / (changes + 1)
		if segment < phases%(changes+1) {
			length++
		}
		sum += y * float64(threeTo(length)-1) / 2
	}
	return float64(phases)*float64(f.Alpha.Time()) + sum + float64(changes)*float64(f.Reconfig.Base.Time())
}

// On 81 GPUs the best plans have the cost of §3.4 with the best R: in units of y the four phases
// take 40, 8, 6, 4 for R = 0, 1, 2, 3, so R = 3 is best up to a delay of 2y, R = 1 up to 32y,
// and R = 0 beyond; R = 2 is never best.
func TestRetriPlansCostWhatTheFormulaSays(t *testing.T) {
	const n, phases = 81, 4
	const tolerance = 1e-9 // both are sums of few terms in float64
	for _, size := range []units.Bytes{units.KiB, units.MiB, 256 * units.MiB} {
		for _, tc := range []struct {
			delay   float64 // in units of y
			changes int
			by      []string // who finds it
		}{
			{1e-3, 3, []string{"every-step", "light-bends", "harvest"}},
			{1.9, 3, []string{"every-step", "light-bends", "harvest"}},
			{2.1, 1, []string{"harvest"}},
			{10, 1, []string{"harvest"}},
			{31, 1, []string{"harvest"}},
			{33, 0, []string{"static", "light-bends", "harvest"}},
			{1e4, 0, []string{"static", "light-bends", "harvest"}},
		} {
			f := retriFabric(n, 0)
			f.Reconfig.Base = units.Duration(tc.delay*hopTime(f, size, 1./3)) * units.Nanosecond
			want := retriTime(f, size, phases, tc.changes)
			for other := range phases {
				if retriTime(f, size, phases, other) < want*(1-tolerance) {
					t.Fatalf("%v at %gy: R = %d is better", size, tc.delay, other)
				}
			}
			for _, name := range tc.by {
				made, err := plannedExchange(t, named(t, name), f, "retri", size)
				if err != nil {
					t.Fatal(err)
				}
				got := float64(made.Cost.Total())
				if made.Reconfigurations != tc.changes || math.Abs(got-want) > tolerance*want {
					t.Errorf("%s, %v at %gy: %v with %d changes, want %v with %d",
						name, size, tc.delay, got, made.Reconfigurations, want, tc.changes)
				}
			}
		}
	}
}

// ReTri §3.4: with a reconfiguration before every phase but the first, mirrored Bruck takes
// log2(n)*(alpha + alpha_h + beta*m/4) + (log2(n)-1)*delta. In the last phase both
// directions lead to the same peer, over both ports.
func TestMirroredBruckPlansCostWhatTheFormulaSays(t *testing.T) {
	const tolerance = 1e-9
	for phases := 1; phases <= 6; phases++ {
		f := retriFabric(1<<phases, 100*units.Nanosecond)
		size := 8 * units.MiB
		want := float64(phases)*(float64(f.Alpha.Time())+hopTime(f, size, 1./4)) + float64(phases-1)*100
		made, err := plannedExchange(t, named(t, "every-step"), f, "mirrored-bruck", size)
		if err != nil {
			t.Fatal(err)
		}
		if got := float64(made.Cost.Total()); math.Abs(got-want) > tolerance*want {
			t.Errorf("n=%d: %v, want %v", f.Nodes, got, want)
		}
	}
}
