package harvest

import (
	"context"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/reproduce/claim"
	"github.com/lightpath-net/lightpath/units"
)

// gridReason is for means over ranges of sizes and delays.
const gridReason = "5%: the text does not say which points are averaged"

const gridTolerance = 0.05

// figureReason is for single figures printed with two digits.
const figureReason = "2.5%: printed with two digits, of packets that are simulated"

const figureTolerance = 0.025

// harvestCollectives returns the collectives of Fig. 5: 64 GPUs, 800 Gbps, alpha = 500 ns.
// Recursive doubling and the exchange go around in one direction; Swing needs both directions,
// and its GPUs exchange with one peer at a time.
func harvestCollectives(hop units.Duration) map[string]claim.Work {
	f := fabric.Default()
	f.Delta = hop
	both := f
	both.Ports, both.Duplex = 2, true
	return map[string]claim.Work{
		"recursive-doubling": {Fabric: f, Op: collective.AllReduce, Algorithm: "recursive-doubling"},
		"swing":              {Fabric: both, Op: collective.AllReduce, Algorithm: "swing", Ports: 1},
		"alltoall":           {Fabric: f, Op: collective.AllToAll, Algorithm: "shift"},
	}
}

// mean and most pick a figure of a grid.
func mean(s claim.Speedups) float64 { return s.Mean }
func most(s claim.Speedups) float64 { return s.Most }

// figure5 is a speed-up stated in §6.2.
type figure5 struct {
	id, collective, quantity string
	published                float64
	from, to                 units.Bytes
	soon, late               units.Duration
	bvn                      bool // over BvN, else over static
	largest                  bool // of the grid, else the mean
	// verdicts as stated and by the convention
	stated, convention claim.Verdict
	why                string
}

// grid returns the points of a figure: those of the authors' scripts, with sizes in powers of
// four and delays in powers of ten, or finer ones.
func (f *figure5) grid(fine bool) (sizes []units.Bytes, delays []units.Duration) {
	if fine {
		return claim.Doubled(f.from, f.to), claim.Decades(f.soon, f.late)
	}
	return claim.Quadrupled(f.from, f.to), claim.Tens(f.soon, f.late)
}

// tolerance returns the relative tolerance and its reason.
func (f *figure5) tolerance() (float64, string) {
	if f.largest {
		return figureTolerance, figureReason
	}
	return gridTolerance, gridReason
}

// fig5Setting says how the points of Fig. 5 are computed.
type fig5Setting struct {
	hop   units.Duration
	pool  bool // Swing by the authors' synthesis (pool, delta/theta); else by the model
	finer bool // than the grid of the authors' scripts
	// byHops charges delta for every hop in the authors' pool, as the paper does
	byHops bool
}

// stated and byConvention are the time of a hop, as stated and by the convention of the paper.
const stated, byConvention = 500 * units.Nanosecond, units.Microsecond

// The settings: as stated, by the convention of the paper, and that with our pool for Swing.
var (
	asStated     = fig5Setting{hop: stated}
	inConvention = fig5Setting{hop: byConvention, pool: true, finer: true}
	withOurPool  = fig5Setting{hop: byConvention, finer: true}
)

const ourPool = "a hop takes 1 us, on the grid of the convention, with the model of the paper and a pool that also has circuits between the pairs of two steps"

// speedups computes the speed-ups of a collective of Fig. 5 over the points of a figure.
func (s fig5Setting) speedups(ctx context.Context, f *figure5, over claim.Baseline) (claim.Speedups, error) {
	curve, err := s.curves(ctx, f.collective)
	if err != nil {
		return claim.Speedups{}, err
	}
	sizes, delays := f.grid(s.finer)
	return claim.Compare(sizes, delays, over, curve)
}

// curves returns the times of a collective of Fig. 5 for a size, at every delay.
func (s fig5Setting) curves(ctx context.Context, collective string) (func(units.Bytes) (*claim.Curve, error), error) {
	w := harvestCollectives(s.hop)[collective]
	if !s.pool || w.Fabric.Ports == 1 { // with one port both are the same
		return func(size units.Bytes) (*claim.Curve, error) {
			w.Size = size
			return w.Curve(ctx)
		}, nil
	}
	made, err := newSynthesis(ctx, w)
	if err != nil {
		return nil, err
	}
	made.byHops = s.byHops
	return func(size units.Bytes) (*claim.Curve, error) { return made.curve(size), nil }, nil
}

// value computes the figure in a setting.
func (f *figure5) value(in fig5Setting) func(context.Context) (float64, error) {
	return func(ctx context.Context) (float64, error) {
		over, pick := claim.Baseline(claim.OverStatic), mean
		if f.bvn {
			over = claim.OverEveryStep
		}
		if f.largest {
			pick = most
		}
		s, err := in.speedups(ctx, f, over)
		return pick(s), err
	}
}

// figures5 returns the speed-ups stated in §6.2.
func figures5() []figure5 {
	const rd, swing, exchange = "recursive-doubling", "swing", "alltoall"
	const ns, us = units.Nanosecond, units.Microsecond
	const overS, overB = "speed-up over static, ", "speed-up over BvN, "
	const small, slow = overS + "1 KiB to 256 KiB, changes below 1 us, mean", overB + "1 KiB to 256 KiB, a change takes 100 us, mean"
	const large, medium = overS + "1 GiB, a change takes 10 us", overB + "4 MiB, a change takes 10 us to 100 us, largest"
	const m, d = claim.Matched, claim.Differs
	return []figure5{
		{"static/small", rd, small, 6.4, units.KiB, 256 * units.KiB, 10 * ns, us - 1, false, false, d, m, ""},
		{"static/small", swing, small, 4.7, units.KiB, 256 * units.KiB, 10 * ns, us - 1, false, false, d, d,
			"with the authors' pool and delta/theta, static takes longer than in the paper's own model, in which the mean is 4.75; no convention of harvest/fig5/search gives it with the others"},
		{"static/small", exchange, small, 20, units.KiB, 256 * units.KiB, 10 * ns, us - 1, false, false, d, m, ""},
		{"static/1GiB", rd, large, 3.0, units.GiB, units.GiB, 10 * us, 10 * us, false, true, m, m, ""},
		{"static/1GiB", swing, large, 3.1, units.GiB, units.GiB, 10 * us, 10 * us, false, true, m, m,
			"Swing uses two ports, with one peer in a step, as in the schedules that the authors publish"},
		{"static/1GiB", exchange, large, 30, units.GiB, units.GiB, 10 * us, 10 * us, false, true, m, m, ""},
		{"bvn/100us", rd, slow, 7.3, units.KiB, 256 * units.KiB, 100 * us, 100 * us, true, false, d, m, ""},
		{"bvn/100us", swing, slow, 10, units.KiB, 256 * units.KiB, 100 * us, 100 * us, true, false, d, m,
			"with 500 ns a hop the plan is twice as fast as published"},
		{"bvn/100us", exchange, slow, 5.3, units.KiB, 256 * units.KiB, 100 * us, 100 * us, true, false, d, m, ""},
		{"bvn/4MiB", rd, medium, 3.0, 4 * units.MiB, 4 * units.MiB, 10 * us, 100 * us, true, true, d, m, ""},
		{"bvn/4MiB", exchange, medium, 4.8, 4 * units.MiB, 4 * units.MiB, 10 * us, 100 * us, true, true, d, d,
			"the exchange is the exception: 500 ns come nearer to its figure, 1 us falls short of it; no convention of harvest/fig5/search gives it with the others"},
	}
}

func harvestFigure5() []claim.Entry {
	var entries []claim.Entry
	for _, f := range figures5() {
		tolerance, reason := f.tolerance()
		e := claim.Entry{
			ID: "harvest/fig5/" + f.id + "/" + f.collective, Source: "HARVEST, §6.2, Fig. 5", Quantity: f.collective + ": " + f.quantity, Unit: "times",
			Published: f.published, Tolerance: tolerance * f.published, Reason: reason, Recorded: f.stated, Why: f.why,
			Ours:       f.value(asStated),
			Convention: &claim.Reading{Name: fig5Convention(f.collective), Recorded: f.convention, Ours: f.value(inConvention)},
		}
		if f.stated == claim.Differs && e.Why == "" {
			e.Why = "with the stated 500 ns a hop it does not come out, neither by the model nor in packets (harvest/fig5/search tries both)"
		}
		if f.convention == claim.Differs && f.collective == "swing" {
			e.Best = &claim.Reading{Name: ourPool, Recorded: claim.Matched, Ours: f.value(withOurPool)}
		}
		if f.convention == claim.Differs {
			e.Rerun = "lightpath reproduce harvest/fig5/search"
		}
		entries = append(entries, e)
	}
	return append(entries, harvestBoth()...)
}

// fig5Convention names the convention for a collective.
func fig5Convention(collective string) string {
	text := "a hop takes 1 us; sizes in powers of two, delays at 1, 2 and 5 times powers of ten"
	if collective == "swing" {
		text += "; the authors' pool, and delta/theta for a hop"
	}
	return text
}

// harvestBoth returns claims on the speed-ups over the better of static and BvN, about 2 at most
// according to the abstract.
func harvestBoth() []claim.Entry {
	const abstract = "HARVEST, §1, Fig. 5d and 5h"
	var entries []claim.Entry
	for _, name := range []string{"recursive-doubling", "swing", "alltoall"} {
		e := claim.Entry{ID: "harvest/fig5/both/" + name, Source: abstract,
			Quantity: name + ": speed-up over the better of static and BvN, 1 KiB to 1 GiB, 10 ns to 10 ms, largest, said to be up to about 2", Unit: "times",
			Published: overBoth, Tolerance: aboutTolerance * overBoth, Reason: about, Recorded: claim.Differs, Ours: largestOfBoth(name, asStated),
			Convention: &claim.Reading{Name: fig5Convention(name), Recorded: claim.Matched, Ours: largestOfBoth(name, inConvention)}}
		switch name {
		case "swing":
			e.Convention.Recorded = claim.Differs
			e.Best = &claim.Reading{Name: ourPool, Recorded: claim.Matched, Ours: largestOfBoth(name, withOurPool)}
			e.Parts = swingOverBoth
			e.Why = "the authors' pool has the base and the steps' own circuits: where the gain is largest, the best plan changes four times and takes 78 us. With circuits between the pairs of two steps, as in our pool, it changes twice and takes 46 us. As stated, with 500 ns a hop, our pool gains most, 1.85, at a change of 5 us, which the grid of the authors' scripts does not have"
		case "alltoall":
			e.Convention.Recorded = claim.Differs
			e.Parts = exchangeOverBoth
			e.Why = "the gain is largest where static and BvN take about the same, and a finer grid comes nearer to that. On the grid of the authors' scripts with 1 us a hop one point of 77 is above 2.2 (16 MiB, 100 us), by the model with 2.25 and in packets with 2.21; all others are below 2.06. The sentence of §1 does not name the exchange"
		}
		entries = append(entries, e)
	}
	reach := func(hop units.Duration, late units.Duration) func(context.Context) (float64, error) {
		return func(ctx context.Context) (float64, error) {
			return betweenBoth(ctx, harvestCollectives(hop)["alltoall"], claim.Tens(late/10, late))
		}
	}
	const us = units.Microsecond
	return append(entries,
		claim.Entry{ID: "harvest/fig5d/alltoall/16MB", Source: "HARVEST, §6.2, Fig. 5d",
			Quantity: "all-to-all: largest size, in powers of four, that is more than 1% faster than both static and BvN when a change takes 10 us and when it takes 100 us", Unit: "MiB",
			Published: 16, Recorded: claim.Matched, Ours: reach(stated, 100*us),
			Convention: &claim.Reading{Name: "a hop takes 1 us", Recorded: claim.Matched, Ours: reach(byConvention, 100*us)}},
		claim.Entry{ID: "harvest/fig5d/alltoall/moves", Source: "HARVEST, §6.2, Fig. 5d",
			Quantity: "all-to-all: the same for 100 us and 1 ms, said to be at larger messages: at least the next size", Unit: "MiB",
			Published: 64, Sense: claim.AtLeast, Recorded: claim.Matched, Ours: reach(stated, 1000*us)},
	)
}

// betweenBoth computes the largest size, in MiB, that gains over both static and BvN at all
// delays.
func betweenBoth(ctx context.Context, w claim.Work, delays []units.Duration) (float64, error) {
	largest := 0.0
	for _, size := range claim.Quadrupled(units.KiB, units.GiB) {
		w.Size = size
		c, err := w.Curve(ctx)
		if err != nil {
			return 0, err
		}
		gains := true
		for _, delay := range delays {
			gains = gains && float64(claim.OverBoth(c, delay)/c.At(delay)) > gaining
		}
		if gains {
			largest = float64(size) / float64(units.MiB)
		}
	}
	return largest, nil
}

// about is the tolerance of values that the paper calls approximate.
const about = "10%: said to be about"

// gaining is the speed-up that counts as faster: more than rounding and ties.
const gaining = 1.01
