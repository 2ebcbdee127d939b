package harvest

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/emulate/calibrate"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/reproduce/claim"
	"github.com/lightpath-net/lightpath/units"
)

// The authors of HARVEST publish measurements on their eight GPUs with their code
// (STyGIANet/Harvest, hardware-emulation, revision f3a2069): times of messages over one hop, and
// of the steps of a reduce-scatter by recursive doubling with and without the circuits that
// match it.

// sample is a message over one hop.
type sample struct {
	size units.Bytes
	took units.Time
}

// testbedSamples are the samples of their fit: up to 8 KiB, where the time is the start-up, and
// from 4 MiB on, where it grows with the size.
var testbedSamples = []sample{
	{1, 21841}, {2, 21754}, {4, 22392}, {8, 22033}, {16, 21895}, {32, 21423}, {64, 21567}, {128, 21567},
	{256, 22238}, {512, 21602}, {units.KiB, 21883}, {2 * units.KiB, 22587}, {4 * units.KiB, 22185}, {8 * units.KiB, 23704},
	{4 * units.MiB, 487363}, {6 * units.MiB, 703970}, {8 * units.MiB, 939713}, {12 * units.MiB, 1269722},
	{16 * units.MiB, 2148330}, {24 * units.MiB, 3374174}, {32 * units.MiB, 3924696}, {48 * units.MiB, 5612705},
	{64 * units.MiB, 8292313}, {96 * units.MiB, 10219751}, {128 * units.MiB, 22015781}, {192 * units.MiB, 19270956},
	{256 * units.MiB, 25434876}, {384 * units.MiB, 37944720}, {512 * units.MiB, 50594416}, {768 * units.MiB, 74006966},
	{units.GiB, 98547911},
}

// plateau is the size up to which the time of a message is its start-up.
const plateau = 8 * units.KiB

// calibrated returns the samples for calibrate.
func calibrated() []calibrate.Sample {
	return each.Of(testbedSamples, func(s sample) calibrate.Sample {
		return calibrate.Sample{Bytes: float64(s.size), Time: s.took}
	})
}

// testbedFit fits the samples as the authors do.
func testbedFit() (*calibrate.Line, error) { return calibrate.FitPlateau(calibrated(), plateau) }

// measuredSteps are times of the three steps of a reduce-scatter, in ns: on circuits that match
// each step, on the ring, and of the third step on the circuits of the second.
type measuredSteps struct {
	size  units.Bytes
	own   [3]units.Time
	ring  [3]units.Time
	after units.Time
}

// testbedSteps are the sizes from 512 KiB to 16 MiB, around the largest gain.
var testbedSteps = []measuredSteps{
	{512 * units.KiB, [3]units.Time{53711, 37751, 30446}, [3]units.Time{53711, 49106, 48306}, 35848},
	{768 * units.KiB, [3]units.Time{69353, 46789, 33755}, [3]units.Time{69353, 88752, 67571}, 43122},
	{units.MiB, [3]units.Time{86665, 53172, 39780}, [3]units.Time{86665, 126609, 94710}, 49282},
	{1536 * units.KiB, [3]units.Time{118324, 70737, 46077}, [3]units.Time{118324, 433896, 230415}, 85459},
	{2 * units.MiB, [3]units.Time{150934, 86391, 53540}, [3]units.Time{150934, 353259, 235250}, 276567},
	{3 * units.MiB, [3]units.Time{208383, 119867, 69828}, [3]units.Time{208383, 721676, 314324}, 333575},
	{4 * units.MiB, [3]units.Time{273142, 153287, 87602}, [3]units.Time{273142, 507765, 339818}, 356206},
	{6 * units.MiB, [3]units.Time{345466, 208923, 126659}, [3]units.Time{345466, 828266, 629730}, 419281},
	{8 * units.MiB, [3]units.Time{490383, 256620, 152168}, [3]units.Time{490383, 1633620, 504606}, 565792},
	{12 * units.MiB, [3]units.Time{712961, 369029, 203812}, [3]units.Time{712961, 1229349, 1530149}, 1028111},
	{16 * units.MiB, [3]units.Time{923691, 482362, 269150}, [3]units.Time{923691, 1112258, 1560800}, 1353108},
}

func sum(times [3]units.Time) units.Time { return times[0] + times[1] + times[2] }

// times returns the times of a reduce-scatter at a delay: of HARVEST's best of no, one and two
// changes, on the ring, and with a change before every step after the first.
func (m *measuredSteps) times(delay units.Duration) (best, static, every units.Time) {
	change := delay.Time()
	static, every = sum(m.ring), sum(m.own)+2*change
	return min(static, every, m.own[0]+m.own[1]+m.after+change), static, every
}

// overSteps evaluates sizes and delays of the testbed.
func overSteps(each func(size units.Bytes, delay units.Duration, best, static, every units.Time)) {
	for i := range testbedSteps {
		for _, delay := range claim.Decades(units.Microsecond, 10*units.Millisecond) {
			best, static, every := testbedSteps[i].times(delay)
			each(testbedSteps[i].size, delay, best, static, every)
		}
	}
}

// estimated computes the largest speed-up in the model over a static ring of 8 GPUs, with the
// fit printed in Fig. 7.
func estimated(w claim.Work) func(context.Context) (float64, error) {
	return func(ctx context.Context) (float64, error) {
		s, err := w.Grid(ctx, claim.Doubled(units.KiB, units.GiB), claim.Decades(10*units.Nanosecond, 10*units.Millisecond), claim.OverStatic)
		return s.Most, err
	}
}

// harvestTestbed returns the claims on measurements.
func harvestTestbed() []claim.Entry {
	const steps = "reduce-scatter by recursive doubling on 8 GPUs, 512 KiB to 16 MiB, 1 us to 10 ms, from the step times that the authors publish: "
	largest := func(pick func(delay units.Duration, best, static, every units.Time) float64) func(context.Context) (float64, error) {
		return func(context.Context) (float64, error) {
			most := 0.0
			overSteps(func(_ units.Bytes, delay units.Duration, best, static, every units.Time) {
				most = max(most, pick(delay, best, static, every))
			})
			return most, nil
		}
	}
	f := fabric.Default()
	f.Nodes, f.Alpha, f.Delta, f.Bandwidth = 8, 30320*units.Nanosecond, 0, 85_110_000_000
	cyclic := claim.Work{Fabric: f, Op: collective.AllReduce, Algorithm: "recursive-doubling"}
	return append([]claim.Entry{
		{ID: "harvest/fig6a", Source: "HARVEST, §6.2, Fig. 6a", Quantity: steps + "sizes, of 11, at which HARVEST is less than 1% faster than BvN when a change takes 1 ms, said to be none at high delays",
			Recorded: claim.Matched,
			Ours: func(context.Context) (float64, error) {
				count := 0.0
				overSteps(func(_ units.Bytes, delay units.Duration, best, _, every units.Time) {
					if delay == units.Millisecond && float64(every/best) <= gaining {
						count++
					}
				})
				return count, nil
			}},
		{ID: "harvest/fig6b", Source: "HARVEST, §6.2, Fig. 6b", Quantity: steps + "largest speed-up over the static ring", Unit: "times",
			Published: 3, Tolerance: 0.3, Reason: "10%: as for Fig. 6d", Recorded: claim.Differs,
			Why:   "at 1.5 MiB one step took longer on the ring, 434 us, than the same step of 2 MiB, 353 us; the next largest speed-up, at 3 MiB, is 3.11. To one digit it prints as 3",
			Rerun: "go test ./reproduce/harvest -run TestTheLargestMeasuredGainIsOfOneSlowStep",
			Ours:  largest(func(_ units.Duration, best, static, _ units.Time) float64 { return float64(static / best) })},
		{ID: "harvest/fig6c", Source: "HARVEST, §6.2, Fig. 6c", Quantity: steps + "cells, of 143, that are more than 1% faster than both the ring and BvN, said to be some", Published: 1, Sense: claim.AtLeast,
			Recorded: claim.Matched,
			Ours: func(context.Context) (float64, error) {
				count := 0.0
				overSteps(func(_ units.Bytes, _ units.Duration, best, static, every units.Time) {
					if float64(min(static, every)/best) > gaining {
						count++
					}
				})
				return count, nil
			}},
		{ID: "harvest/fig6d", Source: "HARVEST, §6.2, Fig. 6d", Quantity: "speed-up over a static ring of 8 GPUs by the model with the fit that Fig. 7 prints, largest, said to match the measured 3 closely; recursive doubling in the cyclic form of §3.2", Unit: "times",
			Published: 3, Tolerance: 0.3, Reason: "10%: said to match closely", Recorded: claim.Differs, Ours: estimated(cyclic),
			Best:  &claim.Reading{Name: "pairwise exchange, both ways round: the nearest of four forms, tried after the fact; the testbed ran the cyclic one", Recorded: claim.Matched, Ours: estimated(testbed())},
			Why:   "no parameters give more than 7/3 for the cyclic form: its hops are 1+2+4 against 3, its bytes 12 against 7, and a mix of both is between. The measured gain is larger because a step over several hops takes up to 6 times as long as on circuits of its own (1.5 MiB, second step), where the model has twice",
			Rerun: "go test ./reproduce/harvest -run TestNoParametersGiveMoreThanSevenThirds"},
	}, harvestFit()...)
}

// harvestFit returns the claims of Fig. 7, by the fit of calibrate.
func harvestFit() []claim.Entry {
	const samples = "fitted to the samples that the authors publish "
	pick := func(fit func() (*calibrate.Line, error), of func(*calibrate.Line) float64) func(context.Context) (float64, error) {
		return func(context.Context) (float64, error) {
			line, err := fit()
			if err != nil {
				return 0, err
			}
			return of(line), nil
		}
	}
	alpha := func(l *calibrate.Line) float64 { return float64(l.Alpha) / float64(units.Microsecond.Time()) }
	bandwidth := func(l *calibrate.Line) float64 { return 8 / float64(l.PerByte) }
	const plateau = "the authors' way: the mean up to 8 KiB, and least squares from 4 MiB on"
	return []claim.Entry{
		{ID: "harvest/fig7/alpha", Source: "HARVEST, Fig. 7", Quantity: "alpha " + samples + "by command calibrate", Unit: "us",
			Published: 30.32, Tolerance: 0.3, Reason: "1%: the samples are of few runs", Recorded: claim.Differs, Ours: pick(calibrateFit, alpha),
			Convention: &claim.Reading{Name: plateau, Recorded: claim.Differs, Ours: pick(testbedFit, alpha)},
			Why:        "no message of up to 8 KiB takes more than 23.8 us in the samples that are published; they must be of another run than the one that is printed",
			Rerun:      "go test ./reproduce/harvest -run TestNoPublishedSampleTakesThirtyMicroseconds"},
		{ID: "harvest/fig7/bandwidth", Source: "HARVEST, Fig. 7", Quantity: "bandwidth " + samples + "by command calibrate", Unit: "Gbps",
			Published: 85.11, Tolerance: 0.85, Reason: "1%: the samples are of few runs", Recorded: claim.Differs, Ours: pick(calibrateFit, bandwidth),
			Convention: &claim.Reading{Name: plateau, Recorded: claim.Matched, Ours: pick(testbedFit, bandwidth)}},
	}
}

// calibrateFit fits the samples as command calibrate does by default: one line for all, with
// least squares of relative errors.
func calibrateFit() (*calibrate.Line, error) { return calibrate.Fit(calibrated()) }

// Times on the authors' machine that they publish with their code (STyGIANet/Harvest,
// compute-sync, revisions d1f181d and 1c05e75), in us, ten runs each: of the dynamic program for
// recursive doubling, and of synchronising GPUs.
var (
	solving64      = []float64{30.08, 25.536, 22.528, 23.04, 21.12, 20.384, 20.16, 20.48, 20.416, 19.328}
	solving1024    = []float64{47.84, 40.96, 34.944, 34.144, 32.768, 31.424, 32.608, 31.584, 32.704, 32.672}
	synchronise8   = []float64{4.114, 4.137, 4.138, 4.124, 4.140, 4.110, 4.168, 4.116, 4.105, 4.139}
	synchronise256 = []float64{41.743, 41.738, 41.742, 41.743, 41.741, 41.779, 41.737, 41.744, 41.760, 41.766}
)

func meanOf(values []float64) float64 { return arithmetic.Sum(values) / float64(len(values)) }

// runs returns the times of all runs, in order, and the means of both halves.
func runs(times []float64) []claim.Part {
	var parts []claim.Part
	for i, t := range times {
		parts = append(parts, claim.Part{Name: fmt.Sprintf("run %d", i+1), Value: t, Unit: "us"})
	}
	half := len(times) / 2
	return append(parts, claim.Part{Name: "mean of the first half", Value: meanOf(times[:half]), Unit: "us"},
		claim.Part{Name: "mean of the second half", Value: meanOf(times[half:]), Unit: "us"})
}

// harvestOverheads returns the claims of Fig. 11 and 12, from the times that the authors
// publish.
func harvestOverheads() []claim.Entry {
	average := func(times []float64) func(context.Context) (float64, error) {
		return func(context.Context) (float64, error) { return meanOf(times), nil }
	}
	const solve = "time to solve recursive doubling on %d GPUs, mean of the ten runs that the authors publish"
	const cold = "the runs get faster as they are repeated: the first five take 24.5 us in the mean, the last five 20.2 us, which is within. The paper does not say which runs are counted. BenchmarkHarvestRecursiveDoubling of planner/staged measures a closed form"
	return []claim.Entry{
		{ID: "harvest/fig11/64", Source: "HARVEST, Fig. 11", Quantity: fmt.Sprintf(solve, 64), Unit: "us", Published: 20, Sense: claim.AtMost, Tolerance: 0.5, Reason: printed,
			Recorded: claim.Differs, Ours: average(solving64), Why: cold,
			Parts: func(context.Context) ([]claim.Part, error) { return runs(solving64), nil }},
		{ID: "harvest/fig11/1024", Source: "HARVEST, Fig. 11", Quantity: fmt.Sprintf(solve, 1024), Unit: "us", Published: 35, Sense: claim.AtMost, Tolerance: 0.5, Reason: printed,
			Recorded: claim.Matched, Ours: average(solving1024)},
		{ID: "harvest/fig12/8", Source: "HARVEST, Fig. 12", Quantity: "time to synchronise 8 GPUs, mean of the ten runs that the authors publish", Unit: "us", Published: 4, Tolerance: 0.5, Reason: printed,
			Recorded: claim.Matched, Ours: average(synchronise8), Why: "measured by the authors; the fabric's sync takes it as an input"},
		{ID: "harvest/fig12/256", Source: "HARVEST, Fig. 12", Quantity: "time to synchronise 256 GPUs, mean of the ten runs that the authors publish", Unit: "us", Published: 45, Sense: claim.AtMost,
			Recorded: claim.Matched, Ours: average(synchronise256), Why: "measured by the authors; the fabric's sync takes it as an input"},
	}
}

const printed = "half a unit of the last digit that is printed"
